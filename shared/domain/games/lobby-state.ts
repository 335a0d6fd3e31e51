import type { GameName } from "#shared/contracts/games/games.ts";
import { query, queryOne } from "#shared/db/query.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { StaleActorError } from "#shared/kernel/stale-actor-error.ts";

export interface LobbyPlayer {
  readonly userId: string;
  readonly ready: boolean;
}

export interface LobbyRow {
  id: string;
  type: GameName;
  room_id: string | null;
  host_id: string;
  status: "open" | "in_game" | "finished" | "cancelled";
  session_id: string | null;
  epoch: number;
  players: readonly LobbyPlayer[];
  updated_at: string;
}

const columns = "id, type, room_id, host_id, status, session_id, epoch, players, updated_at";

export function findLobby(lobbyId: string): Promise<LobbyRow | undefined> {
  return queryOne<LobbyRow>(`SELECT ${columns} FROM game_lobbies WHERE id = $1`, [lobbyId]);
}

/** Takes an open lobby over for a new actor; undefined when there is no open one. Earlier actors' writes are refused. */
export function claimLobby(lobbyId: string): Promise<LobbyRow | undefined> {
  return queryOne<LobbyRow>(
    `UPDATE game_lobbies SET epoch = epoch + 1 WHERE id = $1 AND status = 'open' RETURNING ${columns}`,
    [lobbyId],
  );
}

/** Step: writes a lobby, if the actor is still the newest and the stored one still open. @throws StaleActorError */
export async function saveLobby(tx: Tx, row: LobbyRow): Promise<void> {
  const saved = await tx.query(
    `UPDATE game_lobbies SET status = $3, session_id = $4, players = $5, updated_at = now()
     WHERE id = $1 AND epoch = $2 AND status = 'open' RETURNING 1`,
    [row.id, row.epoch, row.status, row.session_id, JSON.stringify(row.players)],
  );
  if (saved.length === 0) throw new StaleActorError(row.id, row.epoch);
}

/** Open lobbies that belong to a room. */
export async function openLobbiesOf(roomId: string): Promise<string[]> {
  const rows = await query<{ id: string }>("SELECT id FROM game_lobbies WHERE room_id = $1 AND status = 'open'", [
    roomId,
  ]);
  return rows.map(({ id }) => id);
}

/** Open lobbies that somebody is in, with those that he hosts. */
export function openLobbiesWith(userId: string): Promise<Pick<LobbyRow, "id" | "host_id">[]> {
  return query("SELECT id, host_id FROM game_lobbies WHERE status = 'open' AND players @> $1::jsonb", [
    JSON.stringify([{ userId }]),
  ]);
}

/** Open lobbies that nobody has touched for so long. */
export async function idleLobbies(idleMinutes: number): Promise<string[]> {
  const rows = await query<{ id: string }>(
    `SELECT id FROM game_lobbies WHERE status = 'open' AND updated_at < now() - make_interval(mins => $1::int)
     ORDER BY updated_at LIMIT 500`,
    [idleMinutes],
  );
  return rows.map(({ id }) => id);
}

/** Forgets lobbies that were cancelled a week ago, some at a time; a job calls it. Answers how many. */
export async function pruneLobbies(most = 5000): Promise<number> {
  const pruned = await query(
    `DELETE FROM game_lobbies WHERE id IN (
       SELECT id FROM game_lobbies WHERE status = 'cancelled' AND updated_at < now() - interval '7 days' LIMIT $1
     ) RETURNING 1`,
    [most],
  );
  return pruned.length;
}
