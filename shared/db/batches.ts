import { query } from "./query.ts";
import type { Tx } from "./transaction.ts";

/** The rows to delete. All parts are constant SQL. */
interface Deletion {
  readonly from: string;
  /** Columns that identify a row: a batch is selected by them. */
  readonly key: string;
  readonly where: string;
}

/**
 * Returns a statement that deletes at most `limit` rows, and returns them. A row that changes in the meantime is
 * checked again.
 */
export const deletionOf = ({ from, key, where }: Deletion, limit: number | "$1"): string =>
  `DELETE FROM ${from} WHERE (${key}) IN (SELECT ${key} FROM ${from} WHERE ${where} LIMIT ${limit}) AND (${where})
   RETURNING 1`;

/** Deletes a batch of at most `most` rows. Returns how many. `values` are the bind parameters from `$2` on. */
export const deleteBatch = async (deletion: Deletion, most: number, ...values: unknown[]): Promise<number> =>
  (await query(deletionOf(deletion, "$1"), [most, ...values])).length;

/** Runs statements on the data of one user (`$1`). Each returns the rows that it changes. Returns how many in all. */
export async function countChanges(tx: Tx, userId: string, ...statements: string[]): Promise<number> {
  let changes = 0;
  for (const statement of statements) changes += (await tx.query(statement, [userId])).length;
  return changes;
}
