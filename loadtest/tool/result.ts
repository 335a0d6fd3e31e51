import { cpus } from "node:os";
import { printTable, say } from "../report.ts";
import type { ServerFigure, ServerSample } from "./server-figures.ts";
import { type Latencies, packed, type Sum } from "./tally.ts";
import type { Kept } from "./thresholds.ts";

/** Latencies of what succeeded, milliseconds from when it was due. */
export interface Percentiles {
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
  readonly mean: number;
}

export interface OperationResult {
  /** How often it succeeded. */
  readonly count: number;
  readonly errors: number;
  readonly codes: Readonly<Record<string, number>>;
  readonly perSecond: number;
  readonly ms: Percentiles;
  /** HdrHistogram of microseconds, V2, compressed, base64. */
  readonly histogram?: string;
}

/** One second of a run, with the ramp. */
export interface Second {
  readonly at: number;
  readonly operations: Readonly<Record<string, { count: number; p50: number; p99: number; max: number }>>;
  readonly errors: Readonly<Record<string, number>>;
  readonly inFlight: number;
}

/** The result of a run, as `--json` writes it. */
export interface Result {
  readonly version: 1;
  readonly scenario: string;
  readonly startedAt: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly machine: string;
  /** Without the ramp, as all figures but those of `timeline` and `server`. */
  readonly seconds: number;
  readonly stopped: boolean;
  readonly arrivals: {
    readonly due: number;
    readonly done: number;
    readonly perSecond: number;
    /** How late the latest was because its worker was busy, milliseconds. */
    readonly lateMs: number;
  };
  readonly operations: Readonly<Record<string, OperationResult>>;
  readonly timeline: readonly Second[];
  readonly server: readonly ServerSample[];
  readonly thresholds: readonly Kept[];
  readonly violations: readonly string[];
  readonly passed: boolean;
}

export const machine = (): string =>
  `${cpus().length} × ${cpus()[0]?.model.trim() ?? "CPU"}, Node.js ${process.version}`;

export const percentilesOf = (latencies: Latencies): Percentiles => {
  const at = (percentile: number) =>
    latencies.totalCount === 0 ? 0 : latencies.getValueAtPercentile(percentile) / 1000;
  return {
    p50: at(50),
    p90: at(90),
    p95: at(95),
    p99: at(99),
    p999: at(99.9),
    max: latencies.totalCount === 0 ? 0 : latencies.maxValue / 1000,
    mean: latencies.totalCount === 0 ? 0 : latencies.mean / 1000,
  };
};

/** Returns the figures of each operation, and of those that only failed. */
export function operationsOf(sum: Sum, seconds: number): Record<string, OperationResult> {
  const names = [...new Set([...sum.latencies.keys(), ...sum.errors.keys()])];
  return Object.fromEntries(names.map((name) => [name, operationOf(sum, name, seconds)]));
}

function operationOf(sum: Sum, name: string, seconds: number): OperationResult {
  const latencies = sum.latencies.get(name);
  const codes = Object.fromEntries(sum.codes(name));
  const errors = sum.failed(name);
  if (!latencies) {
    const none = { p50: 0, p90: 0, p95: 0, p99: 0, p999: 0, max: 0, mean: 0 };
    return { count: 0, errors, codes, perSecond: 0, ms: none };
  }
  return {
    count: latencies.totalCount,
    errors,
    codes,
    perSecond: latencies.totalCount / seconds,
    ms: percentilesOf(latencies),
    histogram: packed(latencies),
  };
}

export const serverLabels: Readonly<Record<ServerFigure, string>> = {
  cpu: "CPU, cores",
  busy: "main thread, share",
  memoryMb: "memory, MB",
  connections: "connections",
  actors: "actors",
  poolWaiting: "waiting for the database pool",
  mailboxMs: "waiting for an actor, ms",
};

/** Mean and maximum of each figure of the server. */
export function serverRows(samples: readonly ServerSample[]): { server: string; mean: string; most: string }[] {
  if (samples.length === 0) return [];
  return (Object.keys(serverLabels) as ServerFigure[]).map((figure) => {
    const values = samples.map((sample) => sample[figure]);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return { server: serverLabels[figure], mean: mean.toFixed(2), most: Math.max(...values).toFixed(2) };
  });
}

/** Rows of a table of the operations. */
export const operationRows = ({ operations }: Pick<Result, "operations">) =>
  Object.entries(operations)
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([operation, { count, errors, perSecond, ms }]) => ({
      operation,
      count,
      errors,
      "per second": perSecond.toFixed(1),
      "p50 ms": ms.p50.toFixed(1),
      "p90 ms": ms.p90.toFixed(1),
      "p99 ms": ms.p99.toFixed(1),
      "p99.9 ms": ms.p999.toFixed(1),
      "max ms": ms.max.toFixed(1),
    }));

const violationsShown = 20;
const lateShownMs = 20;

/** Prints a result. */
export function printResult(result: Result): void {
  say(
    `${result.scenario}: ${result.arrivals.done} of ${result.arrivals.due} arrivals in ${result.seconds.toFixed(1)} s`,
  );
  if (result.arrivals.lateMs > lateShownMs)
    say(
      `The workers were busy: arrivals were up to ${result.arrivals.lateMs.toFixed(0)} ms late, which is in the figures.`,
    );
  printTable(operationRows(result));
  for (const [name, { codes }] of Object.entries(result.operations))
    for (const [code, count] of Object.entries(codes)) say(`  ${name} failed ${count} times: ${code}`);
  const server = serverRows(result.server);
  if (server.length > 0) printTable(server);
  for (const { text, kept, found } of result.thresholds) say(`${kept ? "  " : "✗ "}${text}: ${found}`);
  for (const violation of result.violations.slice(0, violationsShown)) say(`✗ ${violation}`);
  if (result.violations.length > violationsShown) say(`✗ … ${result.violations.length} violations`);
  say(result.passed ? "passed" : "failed");
}
