import type { GameName } from "#shared/contracts/games/games.ts";
import { query, queryOne } from "#shared/db/query.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { StaleActorError } from "#shared/kernel/stale-actor-error.ts";
import type { Standing } from "./game.ts";
import type { Draw } from "./random.ts";

/** A game as it is stored after each action. */
export interface SessionState {
  readonly players: readonly string[];
  readonly board: object;
  readonly version: number;
  readonly draws: readonly Draw[];
  /** Ids of the last actions of each player: one that comes again does nothing again. */
  readonly actionIds: Readonly<Record<string, readonly string[]>>;
}

/** Action ids that are remembered of each player. He sends again what was not answered, and that is never much. */
const rememberedActions = 16;

/** Was this action of the player taken before? */
export const wasTaken = ({ actionIds }: SessionState, userId: string, actionId: string): boolean =>
  actionIds[userId]?.includes(actionId) ?? false;

/** The ids with one more; the oldest of the player is forgotten. */
export const withActionId = (
  actionIds: SessionState["actionIds"],
  userId: string,
  actionId: string,
): SessionState["actionIds"] => ({
  ...actionIds,
  [userId]: [...(actionIds[userId] ?? []), actionId].slice(-rememberedActions),
});

export interface SessionRow {
  id: string;
  lobby_id: string;
  type: GameName;
  room_id: string | null;
  status: "active" | "finished" | "abandoned";
  seed: string;
  epoch: number;
  state: SessionState;
  finished_at: string | null;
}

const columns = "id, lobby_id, type, room_id, status, seed, epoch, state, finished_at";

export function findSession(sessionId: string): Promise<SessionRow | undefined> {
  return queryOne<SessionRow>(`SELECT ${columns} FROM game_sessions WHERE id = $1`, [sessionId]);
}

/** Takes an active game over for a new actor; undefined when there is none. Earlier actors' writes are refused. */
export function claimSession(sessionId: string): Promise<SessionRow | undefined> {
  return queryOne<SessionRow>(
    `UPDATE game_sessions SET epoch = epoch + 1 WHERE id = $1 AND status = 'active' RETURNING ${columns}`,
    [sessionId],
  );
}

export interface NewSession {
  readonly id: string;
  readonly lobbyId: string;
  readonly type: string;
  readonly roomId: string | null;
  readonly seed: string;
  readonly state: SessionState;
  /** When the server acts in a player's stead, milliseconds since 1970. */
  readonly dueMs: number | null;
}

/** Step: stores a game that begins. */
export async function insertSession(tx: Tx, game: NewSession): Promise<void> {
  await tx.query(
    `INSERT INTO game_sessions (id, lobby_id, type, room_id, seed, state, due_at)
     VALUES ($1, $2, $3, $4, $5, $6, to_timestamp($7::bigint / 1000.0))`,
    [game.id, game.lobbyId, game.type, game.roomId, game.seed, JSON.stringify(game.state), game.dueMs],
  );
  await tx.query("INSERT INTO game_players (session_id, user_id) SELECT $1, unnest($2::uuid[])", [
    game.id,
    game.state.players,
  ]);
}

/** A game after an action, as the actor with `epoch` has decided it. */
export interface SessionSave {
  readonly sessionId: string;
  readonly epoch: number;
  readonly state: SessionState;
  /** When the server acts in a player's stead, milliseconds since 1970. */
  readonly dueMs: number | null;
}

/**
 * Step: stores the game after an action, if the actor is still the newest: for one that goes with other writes, see
 * `saveBatched` for the rest. @throws StaleActorError
 */
export async function saveSession(tx: Tx, { sessionId, epoch, state, dueMs }: SessionSave): Promise<void> {
  const saved = await tx.query(
    `UPDATE game_sessions SET state = $3, due_at = to_timestamp($4::bigint / 1000.0)
     WHERE id = $1 AND epoch = $2 AND status = 'active' RETURNING 1`,
    [sessionId, epoch, JSON.stringify(state), dueMs],
  );
  if (saved.length === 0) throw new StaleActorError(sessionId, epoch);
}

/**
 * Step: ends a game that `saveSession` has stored, and its lobby; keeps who came where. Publishes `game.finished`, and
 * `lobby.updated`.
 */
export async function endSession(
  tx: Tx,
  row: Pick<SessionRow, "id" | "type" | "lobby_id">,
  status: "finished" | "abandoned",
  standings: readonly Standing[],
): Promise<string> {
  const [ended] = await tx.query<{ finished_at: string }>(
    "UPDATE game_sessions SET status = $2, finished_at = now() WHERE id = $1 RETURNING finished_at",
    [row.id, status],
  );
  await tx.query("UPDATE game_lobbies SET status = 'finished', updated_at = now() WHERE id = $1", [row.lobby_id]);
  await tx.query(
    `UPDATE game_players p SET score = s.score, place = s.place
     FROM unnest($2::uuid[], $3::int[], $4::int[]) AS s (user_id, score, place)
     WHERE p.session_id = $1 AND p.user_id = s.user_id`,
    [
      row.id,
      standings.map(({ userId }) => userId),
      standings.map(({ score }) => score),
      standings.map(({ place }) => place),
    ],
  );
  await tx.publish("game.finished", {
    session_id: row.id,
    type: row.type,
    status,
    standings: standings.map(({ userId, score, place }) => ({ user_id: userId, score, place })),
  });
  await tx.publish("lobby.updated", { lobby_id: row.lobby_id });
  return ended!.finished_at;
}

/** Step: who plays in a game that goes on, and keeps it from ending before this transaction does; undefined when it is over. */
export async function lockPlayersOf(tx: Tx, sessionId: string): Promise<string[] | undefined> {
  const [row] = await tx.query<{ players: string[] }>(
    "SELECT state -> 'players' AS players FROM game_sessions WHERE id = $1 AND status = 'active' FOR SHARE",
    [sessionId],
  );
  return row?.players;
}

/** Games that were going on when their actors ended: their clocks must run on after a start. */
export async function sessionsToRestore(): Promise<string[]> {
  const rows = await query<{ id: string }>("SELECT id FROM game_sessions WHERE status = 'active' LIMIT 5000");
  return rows.map(({ id }) => id);
}

/** How long after its time a turn is surely nobody's: an actor that lives tries every second. */
const overdueSeconds = 20;

/** Games whose actor has gone with its process, and that nobody has looked at since: their clocks stand still. */
export async function abandonedByActors(): Promise<string[]> {
  const rows = await query<{ id: string }>(
    `SELECT id FROM game_sessions WHERE status = 'active' AND due_at < now() - make_interval(secs => $1::int) LIMIT 1000`,
    [overdueSeconds],
  );
  return rows.map(({ id }) => id);
}

/** Active games that belong to a room. */
export async function activeSessionsOf(roomId: string): Promise<string[]> {
  const rows = await query<{ id: string }>("SELECT id FROM game_sessions WHERE room_id = $1 AND status = 'active'", [
    roomId,
  ]);
  return rows.map(({ id }) => id);
}
