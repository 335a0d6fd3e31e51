import { type Command, InvalidArgumentError, Option } from "commander";
import { bench } from "./bench.ts";
import { benchmarks } from "./benchmarks.ts";

/** Parses the value of an option. */
export const positive = (text: string): number => {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new InvalidArgumentError("It must be a positive number.");
  return value;
};

/** Adds `bench`, which runs all benchmarks, and below it a command for each. */
export function addBenchmarks(program: Command): void {
  const all = program
    .command("bench")
    .description("all benchmarks in turn, and a table of their results beside the targets; takes about an hour")
    .option("--only <names>", "only these benchmarks, separated by commas")
    .action(bench);
  for (const { name, description, options, load } of benchmarks) {
    const command = all
      .command(name)
      .description(description)
      .action(async (values) => (await load())(values as never));
    for (const [flags, about, value] of options)
      if (value === undefined && flags.endsWith("<n>")) command.option(flags, about, positive);
      else if (value === undefined) command.option(flags, about);
      else if (typeof value === "number") command.option(flags, about, positive, value);
      else command.addOption(new Option(flags, about).choices(value).default(value[0]));
  }
}
