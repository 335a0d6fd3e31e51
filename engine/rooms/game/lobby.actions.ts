import { service } from "#shared/contracts/principal.ts";
import type { Lobby } from "#shared/contracts/views.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { areBlocked, assertNotBlocked } from "#shared/domain/identity/blocks/blocks.queries.ts";
import type { Position } from "#shared/domain/live/games/game.ts";
import { noSuchLobby } from "#shared/domain/live/games/games.errors.ts";
import { gameOf, lobbyView } from "#shared/domain/live/games/games.queries.ts";
import type { LobbyPlayer, LobbyRow } from "#shared/domain/live/games/lobby-state.ts";
import { newSeed, SeededRandom } from "#shared/domain/live/games/random.ts";
import { insertSession } from "#shared/domain/live/games/session-state.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { andThen, type Later } from "#shared/kernel/later.ts";
import { logger } from "#shared/kernel/logger.ts";
import { atMost } from "#shared/kernel/within.ts";
import { untilDone } from "../../bridge/until-done.ts";
import { type Ask, type Decision, type SomeActions, type StoredData, userOf } from "../../core/decision.ts";
import { engine } from "../../engine.ts";
import { presentIn } from "./present-in.ts";

type LobbyActions<Prepared> = SomeActions<"game_lobby", StoredData<LobbyRow>, LobbyRow, Prepared>;
type LobbyDecision = Decision<LobbyRow, Lobby>;

/** Pauses between checks for a block while the database is unreachable. */
const pausesMs = [50, 250, 1000, 5000];
/** The caller waits at most this long. After that, they are in the lobby regardless. */
const awaitedMs = 2000;

const notInRoom = () => new DomainError("NOT_A_MEMBER", "Join the lobby's room first.");

const isIn = ({ players }: LobbyRow, userId: string): boolean => players.some((player) => player.userId === userId);

/** Returns the caller, who is in the lobby. @throws NOT_A_MEMBER */
function accessPlayer(row: LobbyRow, ask: Ask<unknown>): { userId: string; isHost: boolean } {
  const { userId } = userOf(ask);
  if (!isIn(row, userId)) throw new DomainError("NOT_A_MEMBER", "You aren't in this lobby.");
  return { userId, isHost: userId === row.host_id };
}

interface BecomeOptions {
  /** Further rows that belong to the change. */
  readonly durable?: (tx: Tx) => Promise<void>;
  /** A promise that the caller waits for. Rejects only if the change was undone. */
  readonly beforeReply?: () => Promise<void>;
}

/**
 * The lobby as it is after this. One that is no longer open has no actor. It is read for the reply before the commit:
 * what can't be answered is not done.
 */
function become(next: LobbyRow, { durable, beforeReply }: BecomeOptions = {}): LobbyDecision {
  let view: Lobby;
  return {
    next,
    durable: async (tx) => {
      await durable?.(tx);
      view = await lobbyView(next);
    },
    effects: (effects) => {
      if (next.status !== "open") effects.endAfter(0);
    },
    reply: async () => {
      await beforeReply?.();
      return view;
    },
  };
}

/** A repeated action changes nothing. */
const unchanged = (row: LobbyRow): LobbyDecision => ({ reply: () => lobbyView(row) });

/** A lobby is cancelled when its host leaves. */
const withoutPlayer = (row: LobbyRow, userId: string): LobbyDecision =>
  userId === row.host_id
    ? become({ ...row, status: "cancelled" })
    : become({ ...row, players: row.players.filter((player) => player.userId !== userId) });

/** Returns which of these users have left the room that the lobby belongs to. */
async function awayFromRoom({ room_id }: LobbyRow, userIds: readonly string[]): Promise<readonly string[]> {
  if (!room_id) return [];
  const present = await presentIn(room_id, userIds);
  return userIds.filter((userId) => !present.includes(userId));
}

/** Checks again for a block created while the user was joining, when it couldn't remove them. @throws BLOCKED */
async function assertMayStay({ id, host_id }: LobbyRow, userId: string): Promise<void> {
  let isBlocked = false;
  const command = { principal: service, action: "lobby:expel", input: { user_id: userId } } as const;
  const settled = untilDone(
    async () => {
      if (!(await areBlocked(userId, host_id))) return;
      const expelled = await engine().directory.call("game_lobby", id, command);
      if (!expelled.ok && expelled.code === "ENGINE_UNAVAILABLE") throw DomainError.from(expelled);
      isBlocked = expelled.ok;
    },
    { pausesMs, onFailure: (error) => logger.warn({ err: error, lobbyId: id }, "a block was not looked for") },
  );
  await atMost(awaitedMs, settled);
  if (isBlocked) throw new DomainError("BLOCKED");
}

/** The lobby's game begins, with its numbers fixed by a seed. */
function begin(row: LobbyRow, players: readonly LobbyPlayer[], nowMs: number): Later<LobbyDecision> {
  const seed = newSeed();
  const random = new SeededRandom(seed);
  const userIds = players.map(({ userId }) => userId);
  const decide = ({ state: board, deadlineMs }: Position): LobbyDecision => {
    const session = {
      id: newId(),
      lobbyId: row.id,
      type: row.type,
      roomId: row.room_id,
      seed,
      state: { players: userIds, board, version: 1, draws: random.draws, actionIds: {} },
      dueMs: deadlineMs,
    };
    const next: LobbyRow = { ...row, players, status: "in_game", session_id: session.id };
    return become(next, { durable: (tx) => insertSession(tx, session), beforeReply: () => wake(session.id) });
  };
  return andThen(gameOf(row.type).start(userIds, { random, nowMs }), decide);
}

/** Makes the game's actor, which notifies the players. If that fails, it is made when a player opens the game. */
async function wake(sessionId: string): Promise<void> {
  try {
    await engine().directory.ensure("game_session", sessionId);
  } catch (error) {
    logger.warn({ err: error, sessionId }, "a new game's actor was not made");
  }
}

export const lobbyActorActions = {
  "lobby:join": {
    prepare: async ({ stored }, ask) => {
      const { userId } = userOf(ask);
      await assertNotBlocked("shared", userId, stored.host_id);
      if ((await awayFromRoom(stored, [userId])).length > 0) throw notInRoom();
    },
    decide: ({ stored }, ask) => {
      const { userId } = userOf(ask);
      if (isIn(stored, userId)) return unchanged(stored);
      if (stored.players.length >= gameOf(stored.type).meta.max_players) throw new DomainError("LOBBY_FULL");
      const players = [...stored.players, { userId, ready: false }];
      return become({ ...stored, players }, { beforeReply: () => assertMayStay(stored, userId) });
    },
  },

  "lobby:ready": {
    decide: ({ stored }, ask) => {
      const { userId, isHost } = accessPlayer(stored, ask);
      // The host always counts as ready.
      const isReady = isHost || (ask.input.ready ?? true);
      const players = stored.players.map((player) => (player.userId === userId ? { userId, ready: isReady } : player));
      return become({ ...stored, players });
    },
  },

  "lobby:leave": {
    decide: ({ stored }, ask) => withoutPlayer(stored, accessPlayer(stored, ask).userId),
  },

  "lobby:start": {
    prepare: ({ stored }) =>
      awayFromRoom(
        stored,
        stored.players.map(({ userId }) => userId),
      ),
    decide: ({ stored }, ask, away) => {
      const { userId, isHost } = accessPlayer(stored, ask);
      if (!isHost) throw new DomainError("FORBIDDEN", "Only the lobby's host can start the game.");
      if (away.includes(userId)) throw notInRoom();
      // A player who has left the room meanwhile is not taken along.
      const players = stored.players.filter((player) => !away.includes(player.userId));
      const game = gameOf(stored.type);
      if (!game.isOn()) throw noSuchLobby();
      if (players.length < game.meta.min_players) throw new DomainError("NOT_ENOUGH_PLAYERS");
      if (players.some((player) => !player.ready)) throw new DomainError("PLAYERS_NOT_READY");
      return begin(stored, players, ask.nowMs);
    },
  },

  "lobby:cancel": {
    decide: ({ stored }) => become({ ...stored, status: "cancelled" }),
  },

  "lobby:expel": {
    decide: ({ stored }, { input: { user_id } }) =>
      isIn(stored, user_id) ? withoutPlayer(stored, user_id) : unchanged(stored),
  },
} satisfies LobbyActions<{ "lobby:start": readonly string[] }>;
