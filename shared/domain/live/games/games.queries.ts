import type { Actors, VoiceActors } from "#shared/contracts/actors.ts";
import type { GameName } from "#shared/contracts/games/games.ts";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { GameProof, GameType, Lobby, PlayedGame, Session } from "#shared/contracts/views/game-views.ts";
import type { UserCard } from "#shared/contracts/views.ts";
import { queryColumn } from "#shared/db/query.ts";
import { queryPage } from "#shared/db/query-page.ts";
import { queryAnywhere } from "#shared/db/replica.ts";
import { seenCards, userCards } from "#shared/domain/identity/users/user-cards.queries.ts";
import { assertInRoom } from "#shared/domain/live/rooms/rooms.policy.ts";
import { DomainError, type Failure, unwrap } from "#shared/kernel/domain-error.ts";
import type { Page, PageQuery } from "#shared/kernel/page.ts";
import type { Game, Position } from "./game.ts";
import { noSuchGame, noSuchLobby } from "./games.errors.ts";
import { accessLobby } from "./games.policy.ts";
import { games, gamesOn } from "./games.ts";
import { findLobby, type LobbyRow, lobbiesOf } from "./lobby-state.ts";
import { hashSeed } from "./random.ts";
import { findSession, type SessionRow, wasTaken } from "./session-state.ts";

/** A stored game, with what follows from its state. */
export interface Played extends SessionRow {
  readonly position: Position;
}

/** Returns the game of a stored session. @throws NOT_FOUND for one of an extension that is gone */
export function gameOf(type: string): Game {
  const game = games.get(type);
  if (!game) throw noSuchGame();
  return game;
}

/** Returns everything that a client needs to draw a lobby. */
export const listGameTypes = (): GameType[] =>
  gamesOn().map(({ meta, actions }) => ({ ...meta, type: meta.type as GameName, actions: Object.keys(actions) }));

export async function lobbyView(row: LobbyRow): Promise<Lobby> {
  const cards = await userCards([row.host_id, ...row.players.map(({ userId }) => userId)]);
  // Of a game that is gone, a lobby can only be left.
  const { min_players, max_players } = games.get(row.type)?.meta ?? { min_players: 20, max_players: 20 };
  return {
    id: row.id,
    type: row.type,
    room_id: row.room_id,
    host: cards.get(row.host_id)!,
    status: row.status,
    players: row.players.map(({ userId, ready }) => ({ user: cards.get(userId)!, ready })),
    min_players,
    max_players,
    session_id: row.session_id,
  };
}

/** Loads a lobby. Doesn't authorize. @throws NOT_FOUND */
export async function existingLobby(lobbyId: string): Promise<LobbyRow> {
  const row = await findLobby(lobbyId);
  if (!row) throw noSuchLobby();
  return row;
}

/** Returns a lobby as the caller may see it. @throws NOT_FOUND */
export const getLobby = async (actors: VoiceActors, caller: UserPrincipal, lobbyId: string): Promise<Lobby> =>
  lobbyView(await accessLobby(actors, caller, lobbyId));

/**
 * Returns the lobbies of a room that are open or in a game, newest first.
 * @throws NOT_A_MEMBER to users outside the room, or the error of the room's actor
 */
export async function listLobbies(actors: VoiceActors, caller: UserPrincipal, roomId: string): Promise<Lobby[]> {
  await assertInRoom(actors, caller, roomId);
  return Promise.all((await lobbiesOf(roomId, caller.userId)).map(lobbyView));
}

type CardOf = (userId: string) => UserCard;

/**
 * Returns a game as one user sees it: a player with their private state, others as spectators. `connected`: the players
 * who have a connection.
 */
export async function sessionView(row: SessionRow, viewerId: string, connected: ReadonlySet<string>): Promise<Session> {
  const cards = await userCards(row.state.players);
  const played = await playedOf(row);
  const shared = publicSession(played, connected, (userId) => cards.get(userId)!);
  return sessionFor(shared, played, viewerId);
}

export async function playedOf(row: SessionRow): Promise<Played> {
  return { ...row, position: await gameOf(row.type).at(row.state.board, row.state.players) };
}

/** Returns a game as everyone may see it. */
export function publicSession(row: Played, connected: ReadonlySet<string>, cardOf: CardOf): Session {
  const { position } = row;
  const over = row.status !== "active";
  const turn = over ? null : position.turn;
  const { standings } = position;
  return {
    id: row.id,
    type: row.type,
    lobby_id: row.lobby_id,
    status: row.status,
    version: row.state.version,
    players: standings.map(({ userId, score, place }) => ({
      user: cardOf(userId),
      score,
      place,
      connected: connected.has(userId),
    })),
    turn: turn && {
      user_id: turn.userId,
      allowed: [...turn.allowed],
      deadline_at: new Date(position.deadlineMs ?? 0).toISOString(),
    },
    board: position.board,
    you: null,
    result: over
      ? {
          reason: row.status === "finished" ? "finished" : "abandoned",
          finished_at: row.finished_at!,
          standings: standings.map(({ userId, score, place }) => ({ user_id: userId, score, place })),
        }
      : null,
    seed_hash: hashSeed(row.seed),
    // The type names the game, whose rules are typed by what its clients see.
  } as Session;
}

/**
 * Returns the same game for one user, with their private state if they play. `shared` is the `publicSession` of the
 * same row.
 */
export const sessionFor = (shared: Session, { state, position }: Played, viewerId: string): Session =>
  state.players.includes(viewerId) ? ({ ...shared, you: position.you(viewerId) } as Session) : shared;

/**
 * Returns the game as it ended, for an action that was taken in it and is repeated after its actor has gone: the error
 * hides that. Undefined for every other error.
 * @throws NOT_FOUND to users who didn't play: they may not learn that the game is over
 */
export async function endOfRepeated(
  { code }: Pick<Failure, "code">,
  sessionId: string,
  viewerId: string,
  actionId: string | undefined,
): Promise<Session | undefined> {
  if (code !== "SESSION_FINISHED") return undefined;
  const row = await findSession(sessionId);
  if (!row?.state.players.includes(viewerId)) throw noSuchGame();
  const taken = actionId !== undefined && wasTaken(row.state, viewerId, actionId);
  return taken ? sessionView(row, viewerId, new Set()) : undefined;
}

/** Returns which of these users have a connection now, over any transport of any process. */
export async function connectedAmong(userIds: readonly string[]): Promise<ReadonlySet<string>> {
  const text = "SELECT DISTINCT user_id FROM online_users WHERE user_id = ANY($1::uuid[]) AND lease_until > now()";
  return new Set(await queryColumn(text, [userIds]));
}

/** Loads a game. Doesn't authorize. @throws NOT_FOUND */
export async function existingSession(sessionId: string): Promise<SessionRow> {
  const row = await findSession(sessionId);
  if (!row) throw noSuchGame();
  return row;
}

/**
 * Returns a game as the caller may see it. A finished game has no actor: its players see it as it ended.
 * @throws NOT_FOUND, ENGINE_UNAVAILABLE
 */
export async function getSession(actors: Actors, caller: UserPrincipal, sessionId: string): Promise<Session> {
  let row = await existingSession(sessionId);
  if (row.status === "active") {
    const viewed = await actors.game(sessionId, caller, "game:view", {});
    if (viewed.ok || viewed.code !== "SESSION_FINISHED") return unwrap(viewed);
    row = await existingSession(sessionId);
  }

  if (!row.state.players.includes(caller.userId)) throw noSuchGame();
  return sessionView(row, caller.userId, new Set());
}

/**
 * Returns the seed and everything drawn from it, once the game is over.
 * @throws NOT_FOUND to users who didn't play, CONFLICT before the end
 */
export async function gameProof(sessionId: string, viewerId: string): Promise<GameProof> {
  const row = await existingSession(sessionId);
  if (!row.state.players.includes(viewerId)) throw noSuchGame();
  if (row.status === "active") throw new DomainError("CONFLICT", "The seed is revealed when the game is over.");
  const draws = row.state.draws.map(([purpose, value], index) => ({ index, purpose, value }));
  return { seed: row.seed, seed_hash: hashSeed(row.seed), draws };
}

type HistoryRow = Omit<PlayedGame, "players"> & {
  players: (Omit<PlayedGame["players"][number], "user"> & { user_id: string })[];
};

const playedGames = {
  count: "SELECT count(*) FROM game_players WHERE user_id = $1",
  // The page first: what is skipped would be looked up, too.
  rows: `SELECT p.session_id, s.type, s.status, p.score, p.place, s.created_at, s.finished_at,
      (SELECT json_agg(json_build_object('user_id', o.user_id, 'score', o.score, 'place', o.place) ORDER BY o.place, o.user_id)
       FROM game_players o WHERE o.session_id = p.session_id) AS players
    FROM (
      SELECT * FROM game_players WHERE user_id = $1 ORDER BY session_id DESC LIMIT $2 OFFSET $3
    ) p JOIN game_sessions s ON s.id = p.session_id ORDER BY p.session_id DESC`,
};

/** Returns the games that a user has played, newest first. */
export async function listPlayedGames(userId: string, page: PageQuery): Promise<Page<PlayedGame>> {
  const found = await queryPage<HistoryRow>(playedGames, [userId], page, queryAnywhere);
  const people = new Set(found.items.flatMap(({ players }) => players.map(({ user_id }) => user_id)));
  const cards = await seenCards(userId, [...people]);
  const items = found.items.map(({ players, ...row }) => ({
    ...row,
    players: players.map(({ user_id, ...standing }) => ({ ...standing, user: cards.get(user_id)! })),
  }));
  return { ...found, items };
}
