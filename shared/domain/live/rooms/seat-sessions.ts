import { deleteBatch, deletionOf } from "#shared/db/batches.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { newId } from "#shared/kernel/ids.ts";
import type { LiveSeat } from "./live.ts";

/** Step: stores how long those sat who have left their seat: one row for each time on a seat, at its end. */
export function recordSittings(tx: Tx, roomId: string, before: readonly LiveSeat[], after: readonly LiveSeat[]): void {
  const ended = before.filter(
    ({ userId, since }) => userId && since && !after.some((seat) => seat.userId === userId && seat.since === since),
  );
  if (ended.length === 0) return;
  tx.send(
    `INSERT INTO seat_sessions (id, user_id, room_id, started_at, ended_at)
     SELECT id, user_id, $3, since, now() FROM unnest($1::uuid[], $2::uuid[], $4::timestamptz[]) AS s (id, user_id, since)
     WHERE since < now()`,
    [ended.map(() => newId()), ended.map(({ userId }) => userId), roomId, ended.map(({ since }) => since)],
  );
}

/** Deletes a batch of the sessions that ended 400 days ago. Returns how many. A job calls it. */
export const pruneSittings = (most = 5000): Promise<number> =>
  deleteBatch({ from: "seat_sessions", key: "ended_at, id", where: "ended_at < now() - interval '400 days'" }, most);

/** Step: erases a batch of a user's sessions. Returns how many. */
export const eraseSittings = async (tx: Tx, userId: string): Promise<number> =>
  (await tx.query(deletionOf({ from: "seat_sessions", key: "ended_at, id", where: "user_id = $1" }, 500), [userId]))
    .length;
