import type { Command } from "commander";
import { backfillSink } from "#shared/domain/operations/sinks/backfill-sink.ts";
import { nameOfSink } from "#shared/domain/operations/sinks/run-sinks.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { OperatorError } from "#shared/kernel/operator-error.ts";
import type { Config } from "#shared/start/config.ts";
import { withDatabase } from "#shared/start/service-database.ts";

const print = (text: string): void => void process.stdout.write(`${text}\n`);
/** How often progress is printed, milliseconds. */
const printMs = 5000;

interface Options {
  readonly sink: string;
  readonly from?: string;
}

/** Adds the command that writes events of the past to a sink. */
export function addEventCommands(program: Command, readConfig: () => Config): void {
  program
    .command("events-backfill")
    .description("write the events since a time to a sink again, also while the service is running")
    .requiredOption("--sink <name>", "its URL in EVENT_SINKS, without the password")
    .option("--from <time>", "a date or a time (UTC), such as 2026-01-31; without it, goes on where it was stopped")
    .action((options: Options) => backfillCommand(readConfig(), options));
}

async function backfillCommand(config: Config, { sink, from }: Options): Promise<void> {
  const since = from === undefined ? undefined : timeOf(from);
  const names = config.eventSinks.map(nameOfSink);
  const url = config.eventSinks[names.indexOf(sink)];
  if (!url) throw new OperatorError(`EVENT_SINKS has no sink ${sink}. It has: ${names.join(", ") || "none"}.`);

  let printedAt = 0;
  const begins = await withDatabase(config, { command: "events-backfill", migrated: false }, () =>
    backfillSink({ name: sink, url, from: since }, ({ left, error }) => {
      if (left === 0 || performance.now() - printedAt < printMs) return;
      printedAt = performance.now();
      print(`${left} events are left.${error ? ` The last batch failed and is written again: ${error}` : ""}`);
    }),
  ).catch((error: unknown) => {
    if (!(error instanceof DomainError && error.code === "NOT_FOUND")) throw error;
    throw new OperatorError(`Nothing was ever logged for ${sink}: start the service with it first.`);
  });
  if (begins === null) print(`The log has no events since ${since}.`);
  else print(`Written${begins ? ` from ${begins} on` : ""}.`);
}

/** @throws OperatorError for what is no time */
function timeOf(text: string): string {
  const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z)?$/.test(text) && !Number.isNaN(Date.parse(text));
  if (!isTime) throw new OperatorError(`"${text}" is no date or time, such as 2026-01-31 or 2026-01-31T12:00Z.`);
  return new Date(text).toISOString();
}
