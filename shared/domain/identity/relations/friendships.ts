import type { Tx } from "#shared/db/transaction.ts";
import { tooManyFriends } from "./relations.errors.ts";

/** Steps that write friendships, which are always two rows. `lockRelation` has locked the users. */

/** Friends that one user may have. */
const friendsMax = 5000;

/** @throws CONFLICT when one of the two has reached the limit of friends */
export async function beginFriendship(tx: Tx, userId: string, otherId: string): Promise<void> {
  const [most] = await tx.query<{ count: number }>(
    `SELECT greatest(
       (SELECT count(*) FROM friendships WHERE user_id = $1), (SELECT count(*) FROM friendships WHERE user_id = $2)
     ) AS count`,
    [userId, otherId],
  );
  if ((most?.count ?? 0) >= friendsMax) throw tooManyFriends(friendsMax);

  await tx.query("INSERT INTO friendships (user_id, friend_id) VALUES ($1, $2), ($2, $1)", [userId, otherId]);
}

export async function endFriendship(tx: Tx, userId: string, otherId: string): Promise<void> {
  await tx.query("DELETE FROM friendships WHERE (user_id, friend_id) IN (($1, $2), ($2, $1))", [userId, otherId]);
}
