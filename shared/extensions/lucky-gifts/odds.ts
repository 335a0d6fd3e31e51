import { drawOf, Joi, listOf } from "#shared/extension/index.ts";

/** Chances are out of so many. */
export const outOf = 1_000_000;

/** What a draw can win: `times` the stake, with a chance out of a million. */
export type Outcome = Readonly<Record<"times" | "chance", number>>;

/** Reads entries such as `5:10000`. */
export const readOdds = (entries: readonly string[]): Outcome[] =>
  entries.map((entry) => {
    const [times, chance] = entry.split(":").map(Number);
    return { times: times!, chance: chance! };
  });

const sumOf = (outcomes: readonly Outcome[], of: (outcome: Outcome) => number): number =>
  outcomes.reduce((sum, outcome) => sum + of(outcome), 0);

/** Returns what comes back of all stakes in the long run, out of a million. */
export const returned = (outcomes: readonly Outcome[]): number =>
  sumOf(outcomes, ({ times, chance }) => times * chance);

/** Returns what a draw wins at most. */
export const topOf = (outcomes: readonly Outcome[]): number => Math.max(0, ...outcomes.map(({ times }) => times));

/** The setting: chances add up to a million at most, and what comes back is at most the stake. */
export const oddsSchema = listOf(
  Joi.string()
    .pattern(/^[1-9]\d{0,3}:[1-9]\d{0,5}$/, "times, a colon, and a chance out of 1,000,000")
    .example("5:10000"),
)
  .min(1)
  .max(20)
  .custom((entries: string[], helpers) => {
    const outcomes = readOdds(entries);
    const isFair = sumOf(outcomes, ({ chance }) => chance) <= outOf && returned(outcomes) <= outOf;
    return isFair ? entries : helpers.error("any.invalid");
  });

/**
 * Makes draw number `place` of a seed, as dice are drawn: a number below a million. The outcomes share the numbers in
 * their order, from 0; the rest wins nothing.
 */
export function drawTimes(seed: string, place: number, outcomes: readonly Outcome[]) {
  const number = drawOf(seed, place, outOf);
  let above = 0;
  const won = outcomes.find(({ chance }) => {
    above += chance;
    return number < above;
  });
  return { number, times: won?.times ?? 0 };
}
