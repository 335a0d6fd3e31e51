import { readFile, writeFile } from "node:fs/promises";
import { type Command, InvalidArgumentError, Option } from "commander";
import { OperatorError } from "#shared/kernel/operator-error.ts";
import { positive } from "../bench-commands.ts";
import { say } from "../report.ts";
import { defaultMix } from "../scenarios/mixed.ts";
import { scenarios } from "../scenarios/scenarios.ts";
import { compare } from "./compare.ts";
import { htmlReport } from "./html-report.ts";
import { assertOwnHost } from "./own-host.ts";
import { registerPeople, savePeople } from "./people.ts";
import { printResult, type Result } from "./result.ts";
import { type RunOptions, run } from "./run.ts";
import { doors } from "./scenario.ts";
import type { Mix } from "./stage.ts";
import { parseThreshold, type Threshold } from "./thresholds.ts";

const whole = (text: string): number => {
  const value = positive(text);
  if (!Number.isInteger(value)) throw new InvalidArgumentError("It must be a whole number.");
  return value;
};
const atLeastZero = (text: string): number => (Number(text) === 0 ? 0 : positive(text));
const url = (text: string): string => {
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? "")) throw new InvalidArgumentError("It must be an http address.");
  return text;
};
const threshold = (text: string, before: readonly Threshold[]): Threshold[] => [...before, parseThreshold(text)];

interface Files {
  readonly report?: string;
  readonly json?: string;
  readonly mix?: string;
}

/** Adds a command for each scenario, `people`, and `compare`. */
export function addScenarios(program: Command): void {
  for (const [name, { description, clients, rate, rooms, doors: known }] of Object.entries(scenarios())) {
    const command = program.command(name).description(description);
    command
      .option("--url <url>", "the service, on this machine", url)
      .option("--start", "start a service with an empty database, and load that")
      .option("--yes-load-this-host", "load another machine, which you may load")
      .option("--metrics-url <url>", "where the service has /metrics, if not below --url", url)
      .addOption(new Option("--door <door>", `how people connect (default: ${known[0]})`).choices(doors))
      .option("--clients <n>", `people (default: ${clients})`, whole)
      .option("--rooms <n>", `rooms, where they matter (default: ${rooms})`, whole)
      .option("--rate <n>", `arrivals per second, whatever the service does (default: ${rate})`, positive)
      .option("--ramp <n>", "seconds in which the rate rises; not in the figures", atLeastZero, 2)
      .option("--seconds <n>", "duration after the ramp", positive, 30)
      .addOption(
        new Option("--duration <n>").hideHelp().argParser(() => {
          throw new InvalidArgumentError("Use --seconds.");
        }),
      )
      .option("--workers <n>", "processes that make the load", whole, 1)
      .option("--timeout <n>", "limit of a call, seconds", positive, 10)
      .option("--token-file <file>", "people from a file of `loadtest people`")
      .option("--threshold <text>", "a promise such as p99<50ms or say.errors<1%; repeatable", threshold, [])
      .option("--report <file>", "write a page with charts, which needs no network")
      .option("--json <file>", "write the result")
      .option("--seed <n>", "repeats the choices of a run", whole);
    if (name === "mixed") command.option("--mix <file>", "weights of the scenarios, and shares of the hours, as JSON");
    command.action((options: Omit<RunOptions, "mix"> & Files) => told(() => load(name, options)));
  }

  program
    .command("people")
    .description("registers people for load tests, and writes their tokens to a file")
    .requiredOption("--url <url>", "the service, on this machine", url)
    .requiredOption("--token-file <file>", "the file")
    .option("--clients <n>", "how many", whole, 100)
    .option("--yes-load-this-host", "register them on another machine")
    .action((options: PeopleOptions) => told(() => preparePeople(options)));

  program
    .command("compare")
    .description("prints two results of --json beside each other")
    .argument("<before>")
    .argument("<after>")
    .option("--fail-above <n>", "fail if something became slower by more than so many percent", positive)
    .action((before: string, after: string, options) => told(() => compareFiles(before, after, options.failAbove)));
}

async function compareFiles(before: string, after: string, failAbove?: number): Promise<void> {
  for (const worse of await compare(before, after, failAbove)) {
    say(`✗ ${worse}`);
    process.exitCode = 1;
  }
}

/** Tells an OperatorError without its stack. */
export async function told(work: () => Promise<void> | void): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  }
}

async function load(name: string, options: Omit<RunOptions, "mix"> & Files): Promise<void> {
  const result = await run(name, { ...options, mix: options.mix ? await readMix(options.mix) : defaultMix });
  printResult(result);
  await writeFiles(result, options);
  if (!result.passed) process.exitCode = 1;
}

async function writeFiles(result: Result, { report, json }: Files): Promise<void> {
  if (json) await writeFile(json, `${JSON.stringify(result, null, 1)}\n`);
  if (report) await writeFile(report, await htmlReport(result));
  for (const file of [json, report]) if (file) say(`written: ${file}`);
}

/** @throws OperatorError */
async function readMix(file: string): Promise<Mix> {
  const text = await readFile(file, "utf8").catch((error: Error) => {
    throw new OperatorError(`The file of --mix can't be read: ${error.message}`);
  });
  const isShare = (value: unknown) => typeof value === "number" && value >= 0;
  try {
    const { weights, day } = JSON.parse(text) as Mix;
    const isRight =
      Object.values(weights).every(isShare) && (day === undefined || (day.length > 0 && day.every(isShare)));
    if (isRight) return { weights, day };
  } catch {
    // Told below.
  }
  throw new OperatorError(`${file} has no weights, such as ${JSON.stringify(defaultMix)}.`);
}

interface PeopleOptions {
  readonly url: string;
  readonly tokenFile: string;
  readonly clients: number;
  readonly yesLoadThisHost?: boolean;
}

async function preparePeople({ url: address, tokenFile, clients, yesLoadThisHost }: PeopleOptions): Promise<void> {
  if (!yesLoadThisHost) await assertOwnHost(address);
  const people = await registerPeople(new URL(address).origin, clients);
  await savePeople(tokenFile, people);
  say(`${people.length} people are in ${tokenFile}.`);
}
