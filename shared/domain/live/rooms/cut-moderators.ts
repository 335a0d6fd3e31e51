import { alone } from "#shared/db/transaction.ts";

/** Removes the moderator roles that a block between moderator and host ends, also while the room has no actor. */
export async function cutModerators(userId: string, otherId: string): Promise<void> {
  await alone(
    `DELETE FROM room_moderators m USING rooms r
     WHERE r.id = m.room_id AND (r.host_id, m.user_id) IN (($1::uuid, $2::uuid), ($2, $1))`,
    [userId, otherId],
  );
}
