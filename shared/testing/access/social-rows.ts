import type { Scene } from "#shared/testing/scene.ts";
import type {
  AccessMatrix,
  At as AnyAt,
  Outcomes as AnyOutcomes,
  Row as AnyRow,
  Outcome,
  Place,
} from "./access-row.ts";

/** The callers of the social API's matrix, in this order. All are people of a scene. */
export const callers = ["stranger", "blocked", "member", "owner"] as const;

export type CallerName = (typeof callers)[number];
export type Outcomes = AnyOutcomes<typeof callers>;
export type At = AnyAt<Scene, CallerName>;
export type Row = AnyRow<Scene, typeof callers>;
export type SocialMatrix = AccessMatrix<Scene, typeof callers>;

export const row = (outcomes: Row["outcomes"], at?: At): Row => ({ outcomes, ...(at && { at }) });
/** All callers succeed, because the call concerns their own or public resources. */
export const anybody = (at?: At): Row => row("ok", at);
/** The outcome of any incorrect code, token, or price. */
export const refused = (outcome: Outcome, at?: At): Row => row(outcome, at);

export const onlyOwner: Outcomes = ["NOT_FOUND", "NOT_FOUND", "NOT_FOUND", "ok"];
export const theTwo: Outcomes = ["NOT_FOUND", "NOT_FOUND", "ok", "ok"];
export const unlessBlocked: Outcomes = ["ok", "NOT_FOUND", "ok", "ok"];
export const runners: Outcomes = ["NOT_A_MEMBER", "NOT_A_MEMBER", "FORBIDDEN", "ok"];
export const toOthers: Outcomes = ["ok", "NOT_FOUND", "ok", "FORBIDDEN"];

export type IdOf = (scene: Scene) => string | Promise<string>;
export const id =
  (idOf: IdOf, more: Place = {}): At =>
  async (scene) => ({ ...more, params: { id: await idOf(scene) } });
