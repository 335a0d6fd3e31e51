import type { LiveCounts } from "#shared/contracts/actors.ts";
import { queryColumn } from "#shared/db/query.ts";
import { alone } from "#shared/db/transaction.ts";

/** What an actor says of its room. */
export interface RoomReport extends LiveCounts {
  readonly roomId: string;
  /** An older actor of the room doesn't overwrite what a newer one has said. */
  readonly epoch: number;
}

/** Stores how many people are in these rooms. Rooms without any aren't live. */
export async function storeLiveRooms(processId: string, rooms: readonly RoomReport[]): Promise<void> {
  // In one order, so that processes that store the same rooms don't wait for each other in a circle.
  const sorted = rooms.toSorted((a, b) => (a.roomId < b.roomId ? -1 : 1));
  await alone(
    `WITH said AS (
       SELECT * FROM unnest($2::uuid[], $3::bigint[], $4::int[], $5::int[]) AS said (room_id, epoch, members, seated)
     ), emptied AS (
       DELETE FROM live_rooms l USING said WHERE l.room_id = said.room_id AND said.members = 0 AND l.epoch <= said.epoch
     )
     INSERT INTO live_rooms AS l (room_id, epoch, category, member_count, seated_count, process_id)
     SELECT said.room_id, said.epoch, r.category, said.members, said.seated, $1
     FROM said JOIN rooms r ON r.id = said.room_id WHERE said.members > 0 ORDER BY said.room_id
     ON CONFLICT (room_id) DO UPDATE SET epoch = excluded.epoch, category = excluded.category,
       member_count = excluded.member_count, seated_count = excluded.seated_count, process_id = excluded.process_id
     WHERE l.epoch <= excluded.epoch`,
    [
      processId,
      sorted.map(({ roomId }) => roomId),
      sorted.map(({ epoch }) => epoch),
      sorted.map(({ member_count }) => member_count),
      sorted.map(({ seated_count }) => seated_count),
    ],
  );
}

/**
 * Returns the processes that have live rooms, or had them when they died. There are few: each is looked up in the
 * index.
 */
export function processesWithLiveRooms(): Promise<string[]> {
  return queryColumn(
    `WITH RECURSIVE found AS (
       SELECT min(process_id) AS id FROM live_rooms
       UNION ALL SELECT (SELECT min(process_id) FROM live_rooms WHERE process_id > found.id) FROM found WHERE id IS NOT NULL
     ) SELECT id FROM found WHERE id IS NOT NULL`,
  );
}

/**
 * Returns the live rooms of these processes, in an order of their own for each that asks: several restore them
 * together.
 */
export const liveRoomsOf = (processIds: readonly string[]): Promise<string[]> =>
  queryColumn("SELECT room_id FROM live_rooms WHERE process_id = ANY ($1::text[]) ORDER BY random()", [processIds]);

/** Forgets the live rooms of processes: all, or these. */
export async function dropLiveRooms(processIds: readonly string[], roomIds?: readonly string[]): Promise<void> {
  await alone(
    "DELETE FROM live_rooms WHERE process_id = ANY ($1::text[]) AND ($2::uuid[] IS NULL OR room_id = ANY ($2))",
    [processIds, roomIds ?? null],
  );
}

export async function countLiveRooms(processId: string): Promise<number> {
  const [counted] = await queryColumn("SELECT count(*) FROM live_rooms WHERE process_id = $1", [processId]);
  return Number(counted);
}
