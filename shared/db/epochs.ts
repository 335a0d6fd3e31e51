import { queryOne } from "./query.ts";

/** Tables of what actors own, with the column of its ID. The newest actor has the row's `epoch`. */
const keys = { room_states: "room_id", game_sessions: "id", game_lobbies: "id" } as const;

/** Returns whether no newer actor has claimed this. */
export async function isNewestEpoch(table: keyof typeof keys, id: string, epoch: number): Promise<boolean> {
  return (await queryOne(`SELECT 1 FROM ${table} WHERE ${keys[table]} = $1 AND epoch = $2`, [id, epoch])) !== undefined;
}
