import type { Tx } from "#shared/db/transaction.ts";
import { User } from "#shared/domain/identity/users/user.model.ts";

/** Step: locks what a user owns until the end of the transaction. */
export async function lockOwner(tx: Tx, userId: string): Promise<void> {
  await User.lock(tx, { id: userId }, ["id"]);
}
