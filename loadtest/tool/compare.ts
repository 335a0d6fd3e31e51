import { readFile } from "node:fs/promises";
import { OperatorError } from "#shared/kernel/operator-error.ts";
import { printTable } from "../report.ts";
import type { OperationResult, Result } from "./result.ts";

/** Changes that are smaller, in milliseconds, count for nothing, whatever they are in percent. */
const noiseMs = 1;

async function readResult(file: string): Promise<Result> {
  const text = await readFile(file, "utf8").catch((error: Error) => {
    throw new OperatorError(`The result can't be read: ${error.message}`);
  });
  try {
    const result = JSON.parse(text) as Result;
    if (result.version === 1) return result;
  } catch {
    // Told below.
  }
  throw new OperatorError(`${file} isn't a result of --json.`);
}

const percent = (before: number, after: number): number =>
  before === 0 ? (after === 0 ? 0 : Number.POSITIVE_INFINITY) : ((after - before) / before) * 100;

const shown = (value: number): string => `${value > 0 ? "+" : ""}${Number.isFinite(value) ? value.toFixed(0) : "∞"}%`;

const errorShare = ({ count, errors }: OperationResult): number => (errors / Math.max(1, count + errors)) * 100;

/** Returns how an operation has become worse by more than so many percent. */
function regressions(name: string, before: OperationResult, after: OperationResult, most: number): string[] {
  const slower = (["p50", "p99"] as const).flatMap((figure) => {
    const [from, to] = [before.ms[figure], after.ms[figure]];
    if (to - from <= noiseMs || percent(from, to) <= most) return [];
    return `${name}: ${figure} ${from.toFixed(1)} → ${to.toFixed(1)} ms (${shown(percent(from, to))})`;
  });
  const [from, to] = [errorShare(before), errorShare(after)];
  return to > from ? [...slower, `${name}: errors ${from.toFixed(2)}% → ${to.toFixed(2)}%`] : slower;
}

/**
 * Prints two results beside each other. With `failAbove`, returns which operations became slower by more than so many
 * percent (and a millisecond), fail more often, or aren't measured any more.
 * @throws OperatorError
 */
export async function compare(first: string, second: string, failAbove?: number): Promise<string[]> {
  const [before, after] = [await readResult(first), await readResult(second)];
  if (before.scenario !== after.scenario)
    throw new OperatorError(`${first} is about ${before.scenario}, ${second} about ${after.scenario}.`);
  const both = Object.keys(before.operations).filter((name) => after.operations[name]);
  printTable(
    both.sort().map((operation) => {
      const [from, to] = [before.operations[operation]!, after.operations[operation]!];
      return {
        operation,
        "per second": `${from.perSecond.toFixed(1)} → ${to.perSecond.toFixed(1)}`,
        "p50 ms": `${from.ms.p50.toFixed(1)} → ${to.ms.p50.toFixed(1)}`,
        "p99 ms": `${from.ms.p99.toFixed(1)} → ${to.ms.p99.toFixed(1)}`,
        "p99 change": shown(percent(from.ms.p99, to.ms.p99)),
        errors: `${from.errors} → ${to.errors}`,
      };
    }),
  );
  if (failAbove === undefined) return [];
  const gone = Object.keys(before.operations).filter((name) => !after.operations[name]);
  const worse = both.flatMap((name) => regressions(name, before.operations[name]!, after.operations[name]!, failAbove));
  return [...gone.map((name) => `${name} isn't measured any more`), ...worse];
}
