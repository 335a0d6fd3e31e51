import type { InputOf } from "#shared/contracts/actors.ts";
import { actionIdOf, checkAction } from "#shared/domain/live/games/check-action.ts";
import { noSuchGame } from "#shared/domain/live/games/games.errors.ts";
import type { SeededRandom } from "#shared/domain/live/games/random.ts";
import { type SessionRow, type SessionState, wasTaken, withActionId } from "#shared/domain/live/games/session-state.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { type Ask, type Decision, type SomeActions, userOf } from "../../core/decision.ts";
import type { GameData } from "./game-data.ts";

type GameDecision<Reply = unknown> = Decision<SessionRow, Reply>;

/** The actor of a finished game stays this long, so that all clients see the end. */
const lingerMs = 10_000;

const viewerOf = ({ principal }: Ask<unknown>): string => (principal.kind === "user" ? principal.userId : "");

/** Stores the game as it is after this, then shows it. */
function change(data: GameData, state: SessionState, status: SessionRow["status"]): GameDecision {
  const row = data.stored;
  const { id: session_id, type } = row;
  const away = status === "active" ? playerToCall(data, state) : undefined;
  return {
    next: { ...row, state, status },
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
function playerToCall({ game, connected, called }: GameData, state: SessionState): string | undefined {
  const userId = game.turn(state.board)?.userId;
  return userId && !connected.has(userId) && !called.has(userId) ? userId : undefined;
}

function advance(
  data: GameData,
  board: object,
  { draws }: SeededRandom,
  actionIds: SessionState["actionIds"],
): GameDecision {
  const { state } = data.stored;
  const next: SessionState = { ...state, board, version: state.version + 1, draws, actionIds };
  return change(data, next, data.game.isOver(board) ? "finished" : "active");
}

/** If the player's time is up, the server acts, by the rules of the game. */
export function timeout(data: GameData, nowMs: number): GameDecision | undefined {
  const { deadlineMs } = data;
  if (deadlineMs === null || deadlineMs > nowMs) return undefined;
  const { state } = data.stored;
  const chance = data.chance(nowMs);
  return advance(data, data.game.timeout(state.board, chance), chance.random, state.actionIds);
}

export function abandonment(data: GameData): GameDecision | undefined {
  const { state } = data.stored;
  return data.isActive ? change(data, { ...state, version: state.version + 1 }, "abandoned") : undefined;
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
      const chance = data.chance(nowMs);
      const board = data.game.act(state.board, userId, action, chance);
      const id = actionIdOf(input);
      const actionIds = id ? withActionId(state.actionIds, userId, id) : state.actionIds;
      return { ...advance(data, board, chance.random, actionIds), reply };
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
} satisfies SomeActions<"game_session", GameData, SessionRow, object>;
