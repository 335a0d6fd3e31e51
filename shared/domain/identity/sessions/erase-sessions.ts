import { countChanges, deletionOf } from "#shared/db/batches.ts";
import type { Tx } from "#shared/db/transaction.ts";

const batch = 1000;

/** Step: deletes sessions of a user with their tokens and devices, a batch at a time. Returns how many. */
export const eraseSessions = (tx: Tx, userId: string): Promise<number> =>
  countChanges(tx, userId, deletionOf({ from: "sessions", key: "id", where: "user_id = $1" }, batch));
