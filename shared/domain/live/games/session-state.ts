import type { GameName } from "#shared/contracts/games/games.ts";
import { queryColumn, queryOne } from "#shared/db/query.ts";
import { alone, type Tx } from "#shared/db/transaction.ts";
import type { Standing } from "#shared/extension/game.ts";
import { StaleActorError } from "#shared/kernel/stale-actor-error.ts";
import { games } from "./games.ts";
import type { Draw } from "./random.ts";

/** The state of a game, stored after each action. */
export interface SessionState {
  readonly players: readonly string[];
  readonly board: object;
  readonly version: number;
  readonly draws: readonly Draw[];
  /** IDs of the last actions of each player. Repeated actions have no effect. */
  readonly actionIds: Readonly<Record<string, readonly string[]>>;
}

/** Number of action IDs kept per player. Enough, because players only retry unacknowledged actions. */
const rememberedActions = 16;

/** Returns whether this action of the player was already executed. */
export const wasTaken = ({ actionIds }: SessionState, userId: string, actionId: string): boolean =>
  actionIds[userId]?.includes(actionId) ?? false;

/** Adds an action ID and drops the player's oldest one. */
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

/**
 * Claims an active game for a new actor: writes of earlier actors fail from now on. Returns undefined if it isn't
 * active.
 */
export function claimSession(sessionId: string): Promise<SessionRow | undefined> {
  return alone<SessionRow>(
    `UPDATE game_sessions SET epoch = epoch + 1 WHERE id = $1 AND status = 'active' RETURNING ${columns}`,
    [sessionId],
  ).then(([row]) => row);
}

export interface NewSession {
  readonly id: string;
  readonly lobbyId: string;
  readonly type: string;
  readonly roomId: string | null;
  readonly seed: string;
  readonly state: SessionState;
  /** When the server acts on behalf of a player, milliseconds since 1970. */
  readonly dueMs: number | null;
}

/** Step: stores a new game. */
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

/** The state of a game after an action, decided by the actor with `epoch`. */
export interface SessionSave {
  readonly sessionId: string;
  readonly epoch: number;
  readonly state: SessionState;
  /** When the server acts on behalf of a player, milliseconds since 1970. */
  readonly dueMs: number | null;
}

/**
 * Step: stores a game after an action if the actor is the newest. For actions with other writes; see `saveBatched` for
 * the others. @throws StaleActorError
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
 * Step: finishes a game stored by `saveSession`, and its lobby. Stores the places of the players. Publishes
 * `game.finished` and `lobby.updated`.
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
     FROM jsonb_to_recordset($2::jsonb) AS s ("userId" uuid, score int, place int)
     WHERE p.session_id = $1 AND p.user_id = s."userId"`,
    [row.id, JSON.stringify(standings)],
  );
  await tx.publish("game.finished", {
    session_id: row.id,
    lobby_id: row.lobby_id,
    type: row.type,
    status,
    standings: standings.map(({ userId, score, place }) => ({ user_id: userId, score, place })),
  });
  await tx.publish("lobby.updated", { lobby_id: row.lobby_id });
  return ended!.finished_at;
}

/** Step: returns the players of an active game, which can't end before this transaction, or undefined if it is over. */
export async function lockPlayersOf(tx: Tx, sessionId: string): Promise<string[] | undefined> {
  const [row] = await tx.query<{ players: string[] }>(
    "SELECT state -> 'players' AS players FROM game_sessions WHERE id = $1 AND status = 'active' FOR SHARE",
    [sessionId],
  );
  return row?.players;
}

/** The games that this process knows: one of an extension that is gone has no actor. */
const known = (): string[] => [...games.keys()];

/** Returns active games without an actor. After a start, they need one for their clocks. */
export function sessionsToRestore(): Promise<string[]> {
  return queryColumn("SELECT id FROM game_sessions WHERE status = 'active' AND type = ANY($1) LIMIT 5000", [known()]);
}

/** How long after its deadline a turn proves that the game has no actor, which would retry every second. */
const overdueSeconds = 20;

/** Returns games whose actor died with its process and that have no new one yet: their clocks stand still. */
export function abandonedByActors(): Promise<string[]> {
  return queryColumn(
    `SELECT id FROM game_sessions
     WHERE status = 'active' AND due_at < now() - make_interval(secs => $1::int) AND type = ANY($2) LIMIT 1000`,
    [overdueSeconds, known()],
  );
}

/** Returns the active games of a room. */
export function activeSessionsOf(roomId: string): Promise<string[]> {
  const text = "SELECT id FROM game_sessions WHERE room_id = $1 AND status = 'active' AND type = ANY($2)";
  return queryColumn(text, [roomId, known()]);
}
