import { appendFileSync } from "node:fs";

/** Returns the median. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Prints rows as a table with aligned columns. */
export function printTable(rows: readonly Record<string, string | number>[]): void {
  const columns = Object.keys(rows[0] ?? {});
  const width = (column: string) => Math.max(column.length, ...rows.map((row) => String(row[column]).length));
  const line = (cells: readonly string[]) =>
    cells.map((cell, index) => cell.padStart(width(columns[index]!))).join("  ");
  process.stdout.write(`${line(columns)}\n`);
  for (const row of rows) process.stdout.write(`${line(columns.map((column) => String(row[column])))}\n`);
}

export const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** A result beside its target, as `bench` collects it from the benchmarks that it runs. */
export interface Verdict {
  readonly text: string;
  readonly holds: boolean;
}

/** Names the file that collects verdicts, a line of JSON each. */
export const verdictsVariable = "BENCH_VERDICTS";

/** Prints a result. If it misses its target, the command will fail. */
export function judge(text: string, holds: boolean): void {
  say(`${holds ? "  " : "✗ "}${text}`);
  if (!holds) process.exitCode = 1;
  const file = process.env[verdictsVariable];
  if (file) appendFileSync(file, `${JSON.stringify({ text, holds } satisfies Verdict)}\n`);
}
