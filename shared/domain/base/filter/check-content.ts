import { DomainError } from "#shared/kernel/domain-error.ts";
import type { Finding, Where } from "./compile-rules.ts";
import { type PlaceName, places } from "./places.ts";
import { currentRules } from "./rules.ts";

/**
 * Returns what may be shown of a text that someone wrote: all of it, or with stars instead of what a rule masks. From
 * memory: it waits for nothing.
 * @throws CONTENT_BLOCKED with the text of the rule
 */
export function checkContent(place: PlaceName, text: string, where: Where = {}): string {
  if (text === "" || currentRules().count === 0) return text;
  const findings = currentRules().find(text, where);
  const blocking = findings.find(({ rule }) => rule.action.kind === "block" || !places[place].masks);
  if (blocking) throw new DomainError("CONTENT_BLOCKED", blocking.rule.action.text);
  return findings.length > 0 ? masked(text, findings) : text;
}

/** The same for several texts of one thing: those that are given. */
export function checkContents<Texts extends object>(
  texts: Texts,
  placeOf: { readonly [Name in keyof Texts]?: PlaceName },
  where?: Where,
): Texts {
  const checked = { ...texts } as Record<string, unknown>;
  for (const [name, place] of Object.entries(placeOf) as [string, PlaceName][]) {
    const text = checked[name];
    if (typeof text === "string") checked[name] = checkContent(place, text, where);
  }
  return checked as Texts;
}

/** Whether nothing is wrong with a text, for one that its owner hasn't typed here. */
export const isAllowed = (text: string): boolean => currentRules().find(text, {}).length === 0;

/** Each character that was found becomes a star. */
function masked(text: string, findings: readonly Finding[]): string {
  const ranges = [...findings].sort((one, other) => one.from - other.from);
  let shown = "";
  let at = 0;
  for (const { from, to } of ranges) {
    if (to <= at) continue;
    const begin = Math.max(from, at);
    shown += text.slice(at, begin) + "*".repeat([...text.slice(begin, to)].length);
    at = to;
  }
  return shown + text.slice(at);
}
