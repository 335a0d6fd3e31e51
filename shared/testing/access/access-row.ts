import type { ErrorCode } from "#shared/kernel/error-codes.ts";
import type { Scene } from "#shared/testing/scene.ts";

/** What rows of the access matrix are made of. */

export const callers = ["stranger", "blocked", "member", "owner"] as const;
export type CallerName = (typeof callers)[number];

export type Outcome = "ok" | ErrorCode;

/** What a call names of the scene. What is left out is the operation's example. */
export interface Place {
  readonly params?: Record<string, string>;
  readonly query?: Record<string, string>;
  readonly body?: object;
}

export interface Row {
  /** In the order of `callers`, in which they are asked. */
  readonly outcomes: readonly [stranger: Outcome, blocked: Outcome, member: Outcome, owner: Outcome];
  /** Absent: it names nothing, and does nothing to what others have. */
  readonly at?: (scene: Scene, caller: CallerName) => Place | Promise<Place>;
}

export type Outcomes = Row["outcomes"];
export type At = NonNullable<Row["at"]>;

export const row = (outcomes: Outcomes, at?: At): Row => ({ outcomes, ...(at && { at }) });
const each = (outcome: Outcome): Outcomes => [outcome, outcome, outcome, outcome];
/** Does everybody the same good: what it reads or changes is his own, or everybody's. */
export const anybody = (at?: At): Row => row(each("ok"), at);
/** As with any code, token or price that is not the right one. */
export const refused = (outcome: Outcome, at?: At): Row => row(each(outcome), at);

export const onlyOwner: Outcomes = ["NOT_FOUND", "NOT_FOUND", "NOT_FOUND", "ok"];
export const theTwo: Outcomes = ["NOT_FOUND", "NOT_FOUND", "ok", "ok"];
export const unlessBlocked: Outcomes = ["ok", "NOT_FOUND", "ok", "ok"];
export const runners: Outcomes = ["NOT_A_MEMBER", "NOT_A_MEMBER", "FORBIDDEN", "ok"];
export const toOthers: Outcomes = ["ok", "NOT_FOUND", "ok", "FORBIDDEN"];

export type IdOf = (scene: Scene) => string | Promise<string>;
export const id =
  (idOf: IdOf, more: Place = {}): At =>
  async (scene) => ({ ...more, params: { id: await idOf(scene) } });
