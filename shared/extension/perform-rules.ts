import type { Later } from "#shared/kernel/later.ts";
import { type AnyRules, type GameAction, type Random, type Standing, type Turn, takeAction, turnOf } from "./game.ts";

/** What is asked of the rules of a game: its first state, the next one, or what follows from one. */
export type RulesRequest = { readonly players: readonly string[]; readonly nowMs: number } & (
  | { readonly do: "setup" }
  | { readonly do: "act"; readonly state: object; readonly userId: string; readonly action: GameAction }
  | { readonly do: "timeout" | "see"; readonly state: object }
);

/** A state, and all that follows from it, as plain JSON. */
export interface Seen {
  readonly state: object;
  readonly turn: Turn | null;
  readonly deadlineMs: number | null;
  readonly standings: readonly Standing[];
  readonly board: object;
  /** What each player alone may see, in their order. */
  readonly you: readonly object[];
}

/** The numbers of a game: those drawn, and the source of further ones. */
export interface Draws extends Random {
  readonly seed: string;
  readonly draws: readonly (readonly [purpose: string, value: number])[];
  /** Adds what was drawn from the same seed elsewhere. */
  add(draws: Draws["draws"]): void;
}

/** Asks the rules of a game, here or in another process. @throws what they throw */
export type AskRules = (request: RulesRequest, random: Draws | undefined) => Later<Seen>;

/** Performs what is asked. `random`: for all but `see`. */
export function performRules(rules: AnyRules, request: RulesRequest, random: Random | undefined): Seen {
  const state = nextState(rules, request, random);
  return {
    state,
    turn: turnOf(rules, state),
    deadlineMs: rules.deadlineMs(state),
    standings: rules.end(state),
    board: rules.view.board(state),
    you: request.players.map((userId) => rules.view.you(state, userId)),
  };
}

function nextState(rules: AnyRules, request: RulesRequest, random: Random | undefined): object {
  // The seed stays here.
  const below: Random["below"] = (...drawn) => random!.below(...drawn);
  const chance = { random: { below }, nowMs: request.nowMs };
  switch (request.do) {
    case "setup":
      return rules.setup(request.players, chance);
    case "act":
      return takeAction(rules, request.state, request.userId, request.action, chance);
    case "timeout":
      return rules.timeout(request.state, chance);
    case "see":
      return request.state;
  }
}
