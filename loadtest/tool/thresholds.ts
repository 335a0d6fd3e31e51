import { OperatorError } from "#shared/kernel/operator-error.ts";
import type { OperationResult, Result } from "./result.ts";

/** A promise about the result, such as `p99<50ms`, `say.p99<50ms`, `errors<1%`, or `rate>=95%`. */
export interface Threshold {
  readonly text: string;
  /** Only of this operation; otherwise each operation must keep it. */
  readonly operation: string | undefined;
  readonly figure: Figure;
  readonly isUpper: boolean;
  readonly isStrict: boolean;
  readonly limit: number;
  readonly unit: string;
}

const figures = ["p50", "p90", "p95", "p99", "p999", "max", "mean", "errors", "rate"] as const;
type Figure = (typeof figures)[number];

export interface Kept {
  readonly text: string;
  readonly kept: boolean;
  /** What was found, such as `say: p99 is 61.2 ms`. */
  readonly found: string;
}

const example = "Examples: p99<50ms, say.p95<20ms, errors<1%, errors<=0, rate>=95%, rate>100/s.";

/** @throws OperatorError */
export function parseThreshold(text: string): Threshold {
  const [, operation, figure, sign = "", value, unit = ""] =
    /^\s*(?:(.+)\.)?([a-z]+[\d.]*)\s*(<=|>=|<|>)\s*([\d.]+)\s*(ms|s|%|\/s|)\s*$/.exec(text) ?? [];
  const name = figure?.replace("p99.9", "p999") as Figure;
  const limit = Number(value);
  const units = name === "errors" ? ["", "%"] : name === "rate" ? ["%", "/s"] : ["ms", "s"];
  if (!figures.includes(name) || !Number.isFinite(limit) || !units.includes(unit))
    throw new OperatorError(`"${text}" isn't a threshold. ${example}`);
  return {
    text: text.trim(),
    operation,
    figure: name,
    isUpper: sign[0] === "<",
    isStrict: sign.length === 1,
    limit,
    unit,
  };
}

/** Compares a result with its thresholds. */
export function judgeAll(thresholds: readonly Threshold[], result: Pick<Result, "operations" | "arrivals">): Kept[] {
  return thresholds.map((threshold) => judgeOne(threshold, result));
}

function judgeOne(threshold: Threshold, { operations, arrivals }: Pick<Result, "operations" | "arrivals">): Kept {
  const { text, operation, figure, unit } = threshold;
  if (figure === "rate" && operation === undefined) {
    const found = unit === "%" ? (arrivals.done / Math.max(1, arrivals.due)) * 100 : arrivals.perSecond;
    return { text, kept: holds(threshold, found), found: `${found.toFixed(1)}${unit} of the arrivals were served` };
  }
  const meant = Object.entries(operations).filter(([name]) => operation === undefined || name === operation);
  if (meant.length === 0)
    return { text, kept: false, found: `nothing was measured of ${operation ?? "any operation"}` };
  const values = meant.map(([name, each]) => ({ name, value: figureOf(each, threshold) }));
  const worst = values.reduce((one, other) => (one.value > other.value === threshold.isUpper ? one : other));
  const shownFigure = figure === "errors" ? "errors are" : figure === "rate" ? "the rate is" : `${figure} is`;
  return {
    text,
    kept: values.every(({ value }) => holds(threshold, value)),
    found: `${worst.name}: ${shownFigure} ${Number(worst.value.toFixed(2))}${unit && unit !== "%" ? ` ${unit}` : unit}`,
  };
}

function figureOf(each: OperationResult, { figure, unit }: Threshold): number {
  if (figure === "errors")
    return unit === "%" ? (each.errors / Math.max(1, each.count + each.errors)) * 100 : each.errors;
  if (figure === "rate")
    return unit === "%" ? (each.count / Math.max(1, each.count + each.errors)) * 100 : each.perSecond;
  return unit === "s" ? each.ms[figure] / 1000 : each.ms[figure];
}

/** What was never measured keeps no promise. */
function holds({ isUpper, isStrict, limit }: Threshold, value: number): boolean {
  if (!isStrict && value === limit) return true;
  return isUpper ? value < limit : value > limit;
}
