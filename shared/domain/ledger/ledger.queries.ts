import type { LedgerEntry, LedgerType } from "#shared/contracts/views.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { offsetOf, type Page, type PageQuery, toPage } from "#shared/kernel/page.ts";

/**
 * Returns the coins in a user's wallet.
 * @throws NOT_FOUND
 */
export async function walletBalance(userId: string): Promise<number> {
  const wallet = await queryOne<{ balance: number }>("SELECT balance FROM wallets WHERE user_id = $1", [userId]);
  if (!wallet) throw new DomainError("NOT_FOUND");
  return wallet.balance;
}

export interface EntryFilter extends PageQuery {
  readonly type?: LedgerType;
  readonly direction?: LedgerEntry["direction"];
}

type EntryRow = Omit<LedgerEntry, "direction" | "reference"> & { reference_type: string; reference_id: string };

/** Returns the ledger entries of a user's wallet, newest first. */
export async function listEntries(userId: string, filter: EntryFilter): Promise<Page<LedgerEntry>> {
  const sign = filter.direction && (filter.direction === "credit" ? 1 : -1);
  const conditions = [userId, filter.type ?? null, sign ?? null];
  const [counted, rows] = await Promise.all([
    queryOne<{ total: number }>(
      `SELECT count(*) AS total FROM ledger_entries
       WHERE user_id = $1 AND ($2::text IS NULL OR type = $2) AND ($3::int IS NULL OR sign(amount) = $3)`,
      conditions,
    ),
    query<EntryRow>(
      `SELECT e.id, e.type, e.amount, e.balance_after, e.created_at, m.reference_type, m.reference_id, m.description
       FROM ledger_entries e JOIN ledger_movements m ON m.id = e.movement_id
       WHERE e.user_id = $1 AND ($2::text IS NULL OR e.type = $2) AND ($3::int IS NULL OR sign(e.amount) = $3)
       ORDER BY e.entry_no DESC LIMIT $4 OFFSET $5`,
      [...conditions, filter.limit, offsetOf(filter)],
    ),
  ]);
  return toPage(rows.map(toEntry), counted?.total ?? 0, filter);
}

function toEntry({ id, type, amount, balance_after, created_at, ...row }: EntryRow): LedgerEntry {
  return {
    id,
    type,
    direction: amount > 0 ? "credit" : "debit",
    amount: Math.abs(amount),
    balance_after,
    reference: { type: row.reference_type, id: row.reference_id },
    description: row.description,
    created_at,
  };
}
