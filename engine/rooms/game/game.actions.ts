import type { InputOf } from "#shared/contracts/actors.ts";
import type { Session } from "#shared/contracts/views.ts";
import { actionIdOf, checkAction } from "#shared/domain/live/games/check-action.ts";
import { RulesFailure } from "#shared/domain/live/games/extension-game.ts";
import type { Position, SeededChance } from "#shared/domain/live/games/game.ts";
import { noSuchGame } from "#shared/domain/live/games/games.errors.ts";
import type { Played } from "#shared/domain/live/games/games.queries.ts";
import { type SessionState, wasTaken, withActionId } from "#shared/domain/live/games/session-state.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { andThen, type Later } from "#shared/kernel/later.ts";
import { logger } from "#shared/kernel/logger.ts";
import { type Ask, type Decision, type SomeActions, userOf } from "../../core/decision.ts";
import type { GameData } from "./game-data.ts";

type GameDecision<Reply = unknown> = Decision<Played, Reply>;

/** The actor of a finished game stays this long, so that all clients see the end. */
const lingerMs = 10_000;

const viewerOf = ({ principal }: Ask<unknown>): string => (principal.kind === "user" ? principal.userId : "");

/** Stores the game as it is after this, then shows it. */
function change(data: GameData, next: Played): GameDecision {
  const { id: session_id, type, status, state } = next;
  const away = status === "active" ? playerToCall(data, next.position) : undefined;
  return {
    next,
    durable: away
      ? (tx) => tx.publish("game.turn_waits", { session_id, type, user_id: away, version: state.version })
      : undefined,
    apply: () => void (away && data.called.add(away)),
    events: () => data.stateEvents(),
    effects: (effects) => {
      if (status !== "active") effects.endAfter(lingerMs);
    },
    reply: () => undefined,
  };
}

/** Returns the player whose turn begins while they aren't connected; once for each absence. */
function playerToCall({ connected, called }: GameData, { turn }: Position): string | undefined {
  const userId = turn?.userId;
  return userId && !connected.has(userId) && !called.has(userId) ? userId : undefined;
}

/** What a player asks the rules for, and is answered. */
interface ByPlayer {
  readonly actionIds: SessionState["actionIds"];
  readonly reply: () => Session;
}

/** Decides by what the rules return, now or later. Rules that fail end their game: they would fail again. */
function byRules(
  data: GameData,
  nowMs: number,
  play: (chance: SeededChance) => Later<Position>,
  player?: ByPlayer,
): Later<GameDecision<Session>> {
  const chance = data.chance(nowMs);
  const reply = player?.reply ?? (() => data.publicView());
  const decide = (position: Position) => {
    const row = data.stored;
    const { actionIds = row.state.actionIds } = player ?? {};
    const { draws } = chance.random;
    const state = { ...row.state, board: position.state, version: row.state.version + 1, draws, actionIds };
    return { ...change(data, { ...row, state, status: position.isOver ? "finished" : "active", position }), reply };
  };
  const fail = (error: unknown) => {
    if (!(error instanceof RulesFailure)) throw error;
    const { id: sessionId, type } = data.stored;
    logger.error({ err: error.cause, sessionId, type }, "the rules of a game failed, so it is abandoned");
    const told = player ? () => Promise.reject<Session>(error) : reply;
    return { ...abandonment(data), reply: told };
  };
  try {
    const decided = andThen(play(chance), decide);
    return decided instanceof Promise ? decided.catch(fail) : decided;
  } catch (error) {
    return fail(error);
  }
}

/** If the player's time is up, the server acts, by the rules of the game. */
export function timeout(data: GameData, nowMs: number): Later<GameDecision> | undefined {
  const { deadlineMs } = data;
  if (deadlineMs === null || deadlineMs > nowMs) return undefined;
  return byRules(data, nowMs, (chance) => data.game.timeout(data.stored.position, chance));
}

export function abandonment(data: GameData): GameDecision | undefined {
  const { state } = data.stored;
  const next = { ...state, version: state.version + 1 };
  return data.isActive ? change(data, { ...data.stored, state: next, status: "abandoned" }) : undefined;
}

/** Asserts that the caller may see the game: its players and the people in its room may. @throws NOT_FOUND */
async function assertMaySee(data: GameData, { principal }: Ask<unknown>): Promise<void> {
  if (principal.kind !== "user" || data.playerIds.includes(principal.userId)) return;
  if ((await data.inRoom([principal.userId])).length === 0) throw noSuchGame();
}

function isRepeated({ stored }: GameData, ask: Ask<InputOf<"game_session", "game:action">>): boolean {
  const id = actionIdOf(ask.input);
  return id !== undefined && wasTaken(stored.state, viewerOf(ask), id);
}

/** A player who leaves remains a player: the server acts for them when their time is up. */
const nothing = { decide: () => ({ reply: () => ({}) }) };

export const gameActorActions = {
  "game:action": {
    prepare: assertMaySee,
    // When a player is late, the server has already acted, even if its timer has not fired yet.
    overdue: (data, ask) => (isRepeated(data, ask) ? undefined : timeout(data, ask.nowMs)),
    decide: (data, ask) => {
      const { input, nowMs } = ask;
      const { userId } = userOf(ask);
      const reply = () => data.view(userId);
      if (isRepeated(data, ask)) return { reply };
      const { state } = data.stored;
      const plays = state.players.includes(userId);
      // A game that is over doesn't exist for users who didn't play it.
      if (!data.isActive) throw plays ? new DomainError("SESSION_FINISHED") : noSuchGame();
      if (!plays) throw new DomainError("FORBIDDEN", "You aren't a player in this game.");

      const action = checkAction(data.game, input.action);
      const id = actionIdOf(input);
      const actionIds = id ? withActionId(state.actionIds, userId, id) : state.actionIds;
      const { position } = data.stored;
      const play = (chance: SeededChance) => data.game.act(position, userId, action, chance);
      return byRules(data, nowMs, play, { actionIds, reply });
    },
  },

  "game:view": {
    prepare: assertMaySee,
    decide: (data, ask) => ({
      effects: (effects) => {
        if (ask.connection) effects.admit(ask.connection);
      },
      reply: () => data.view(viewerOf(ask)),
    }),
  },

  "game:abandon": {
    decide: (data) => ({ ...abandonment(data), reply: () => data.publicView() }),
  },

  "game:tend": nothing,
  "connection:drop": nothing,
} satisfies SomeActions<"game_session", GameData, Played, object>;
