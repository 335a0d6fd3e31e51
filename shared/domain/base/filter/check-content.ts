import type { RuleAct } from "#shared/contracts/views.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { setting } from "../settings/settings.ts";
import type { Finding, Rule, Where } from "./compile-rules.ts";
import { type Holding, reviewLater } from "./held-content.ts";
import { type PlainPlace, places, type TextPlace } from "./places.ts";
import { punish } from "./punish.ts";
import { currentRules } from "./rules.ts";

/** What the rules say of a text that isn't refused. */
export interface Verdict {
  /** What may be shown of it: all, or with stars instead of what a rule masks. */
  readonly text: string;
  /** It is shown to its author only, until a judge or an administrator has decided. */
  readonly held?: Holding;
  /** It is shown, and reviewed afterwards. */
  readonly alert?: Rule;
}

/** Returns whether any rule is on, so that texts are judged. */
export const hasRules = (): boolean => currentRules().count > 0;

/**
 * Returns what the rules say of a text that someone wrote where it can be held. From memory: it waits for nothing.
 * @throws CONTENT_BLOCKED with the text of the rule
 */
export function judgeContent(place: TextPlace, text: string, where: Where): Verdict {
  const rules = currentRules();
  if (text === "" || !hasRules()) return { text };
  const findings = rules.find(text, where);
  const ruleFor = (kind: RuleAct["kind"]) => findings.find(({ rule }) => rule.action.kind === kind)?.rule;
  // An edited message can't wait for a judge's word: people review it.
  const alert = ruleFor("alert") ?? (place === "edit" ? rules.judged(where)[0] : undefined);
  const { masks, holds, shadows, rules: applied } = places[place];
  if (alert) countAction(alert);
  if (applied === "alerts") return { text, ...(alert && { alert }) };
  const blocking = findings.find(({ rule: { action } }) => refuses(action.kind, { masks, holds }))?.rule;
  if (blocking) {
    countAction(blocking, masksOrHolds.has(blocking.action.kind) ? "block" : undefined);
    if (where.userId) punish(blocking, where.userId);
    throw new DomainError("CONTENT_BLOCKED", blocking.action.text);
  }
  const masking = findings.filter(({ rule }) => rule.action.kind === "mask");
  const shown = masking.length > 0 ? masked(text, masking) : text;
  if (masking[0]) countAction(masking[0].rule);
  // Words that a rule holds are more than spam.
  const held = ruleFor("hold") ?? ruleFor("shadow");
  const shadowed = held?.action.kind === "shadow" && shadows && setting("shadow_spam");
  if (held) countAction(held, shadowed ? "shadow" : "hold");
  const judged = holds && !held ? rules.judged(where)[0] : undefined;
  return {
    text: shown,
    ...(held && { held: { rule: held, waitsFor: "review", shadowed } }),
    ...(judged && { held: { rule: judged, waitsFor: "judge", shadowed: false, where } }),
    ...(alert && { alert }),
  };
}

/** Where they can't be done, the text is refused instead. */
const masksOrHolds: ReadonlySet<RuleAct["kind"]> = new Set(["mask", "hold", "shadow"]);

/** Counts what a rule did to a text: by default, its action. */
export const countAction = ({ trigger, action }: Pick<Rule, "trigger" | "action">, done: string = action.kind): void =>
  metrics.ruleActions.inc({ trigger: trigger.kind, action: done });

function refuses(
  kind: RuleAct["kind"],
  { masks, holds }: { readonly masks: boolean; readonly holds: boolean },
): boolean {
  if (kind === "mask") return !masks;
  if (kind === "hold" || kind === "shadow") return !holds;
  return kind === "block" || kind === "timeout" || kind === "sanction";
}

/** Returns what may be shown of a text, where none can be held. @throws CONTENT_BLOCKED with the text of the rule */
export function checkContent(place: PlainPlace, given: string, where: Where = {}): string {
  const { text, alert } = judgeContent(place, given, where);
  if (alert && where.userId) reviewLater({ place, userId: where.userId, targetId: where.roomId ?? null, text }, alert);
  return text;
}

/** The same for several texts of one thing: those that are given. */
export function checkContents<Texts extends object>(
  texts: Texts,
  placeOf: { readonly [Name in keyof Texts]?: PlainPlace },
  where?: Where,
): Texts {
  const checked = { ...texts } as Record<string, unknown>;
  for (const [name, place] of Object.entries(placeOf) as [string, PlainPlace][]) {
    const text = checked[name];
    if (typeof text === "string") checked[name] = checkContent(place, text, where);
  }
  return checked as Texts;
}

/** Whether nothing is wrong with a text, for one that its owner hasn't typed here. */
export const isAllowed = (text: string): boolean => currentRules().find(text, {}).length === 0;

/** Each character that was found becomes a star. */
export function masked(text: string, findings: readonly Finding[]): string {
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
