import type { Tx } from "#shared/db/transaction.ts";

/** Step: returns the integer by which the catalogue knows a user. */
export async function customerOf(tx: Tx, userId: string): Promise<number> {
  await tx.query("INSERT INTO catalogue_customers (user_id) VALUES ($1) ON CONFLICT (user_id) DO NOTHING", [userId]);
  const [customer] = await tx.query<{ id: number }>("SELECT id FROM catalogue_customers WHERE user_id = $1", [userId]);
  return customer!.id;
}
