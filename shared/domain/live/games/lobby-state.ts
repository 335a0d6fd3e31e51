import type { Lobby } from "#shared/contracts/views/game-views.ts";
import { deleteBatch } from "#shared/db/batches.ts";
import { query, queryColumn, queryOne } from "#shared/db/query.ts";
import { alone, type Tx } from "#shared/db/transaction.ts";
import { StaleActorError } from "#shared/kernel/stale-actor-error.ts";

export interface LobbyPlayer {
  readonly userId: string;
  readonly ready: boolean;
}

export interface LobbyRow extends Pick<Lobby, "id" | "type" | "room_id" | "status" | "session_id"> {
  host_id: string;
  epoch: number;
  players: readonly LobbyPlayer[];
  updated_at: string;
}

const columns = "id, type, room_id, host_id, status, session_id, epoch, players, updated_at";

export function findLobby(lobbyId: string): Promise<LobbyRow | undefined> {
  return queryOne<LobbyRow>(`SELECT ${columns} FROM game_lobbies WHERE id = $1`, [lobbyId]);
}

/**
 * Claims an open lobby for a new actor: writes of earlier actors fail from now on. Returns undefined if it isn't open.
 */
export function claimLobby(lobbyId: string): Promise<LobbyRow | undefined> {
  return alone<LobbyRow>(
    `UPDATE game_lobbies SET epoch = epoch + 1 WHERE id = $1 AND status = 'open' RETURNING ${columns}`,
    [lobbyId],
  ).then(([row]) => row);
}

/** Step: writes a lobby if the actor is the newest and the lobby is still open. @throws StaleActorError */
export async function saveLobby(tx: Tx, row: LobbyRow): Promise<void> {
  const saved = await tx.query(
    `UPDATE game_lobbies SET status = $3, session_id = $4, players = $5, updated_at = now()
     WHERE id = $1 AND epoch = $2 AND status = 'open' RETURNING 1`,
    [row.id, row.epoch, row.status, row.session_id, JSON.stringify(row.players)],
  );
  if (saved.length === 0) throw new StaleActorError(row.id, row.epoch);
}

/**
 * Lobbies of a room that are open or in a game, newest first, without those of hosts that a block hides from the
 * viewer.
 */
export function lobbiesOf(roomId: string, viewerId: string): Promise<LobbyRow[]> {
  return query<LobbyRow>(
    `SELECT ${columns} FROM game_lobbies
     WHERE room_id = $1 AND status IN ('open', 'in_game') AND host_id NOT IN (SELECT blocked_people($2))
     ORDER BY id DESC LIMIT 50`,
    [roomId, viewerId],
  );
}

/** Returns the open lobbies of a room. */
export function openLobbiesOf(roomId: string): Promise<string[]> {
  return queryColumn("SELECT id FROM game_lobbies WHERE room_id = $1 AND status = 'open'", [roomId]);
}

/** Returns the open lobbies that a user is in or hosts. */
export function openLobbiesWith(userId: string): Promise<Pick<LobbyRow, "id" | "host_id">[]> {
  return query("SELECT id, host_id FROM game_lobbies WHERE status = 'open' AND players @> $1::jsonb", [
    JSON.stringify([{ userId }]),
  ]);
}

/** Returns open lobbies without activity for this long. */
export function idleLobbies(idleMinutes: number): Promise<string[]> {
  return queryColumn(
    `SELECT id FROM game_lobbies WHERE status = 'open' AND updated_at < now() - make_interval(mins => $1::int)
     ORDER BY updated_at LIMIT 500`,
    [idleMinutes],
  );
}

/** Deletes a batch of lobbies that were cancelled a week ago. Called by a job. Returns their number. */
export function pruneLobbies(most = 5000): Promise<number> {
  const where = "status = 'cancelled' AND updated_at < now() - interval '7 days'";
  return deleteBatch({ from: "game_lobbies", key: "id", where }, most);
}
