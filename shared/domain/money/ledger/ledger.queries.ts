import type { LedgerEntry, LedgerType } from "#shared/contracts/views.ts";
import { queryPage } from "#shared/db/query-page.ts";
import type { Page, PageQuery } from "#shared/kernel/page.ts";

export interface EntryFilter extends PageQuery {
  readonly type?: LedgerType;
  readonly direction?: LedgerEntry["direction"];
}

type EntryRow = Omit<LedgerEntry, "direction" | "reference"> & { reference_type: string; reference_id: string };

/** `$1`: whose wallet; `$2` and `$3`: the type and the sign of the amount, null for any. */
const filtered = `e.user_id = $1 AND e.asset = 'coins' AND ($2::text IS NULL OR e.type = $2) AND ($3::int IS NULL OR e.amount * $3 > 0)`;
const entries = {
  count: `SELECT count(*) FROM ledger_entries e WHERE ${filtered}`,
  rows: `SELECT e.id, e.type, e.amount, e.balance_after, e.created_at, m.reference_type, m.reference_id, m.description
    FROM (SELECT * FROM ledger_entries e WHERE ${filtered} ORDER BY e.entry_no DESC LIMIT $4 OFFSET $5) e
      JOIN ledger_movements m ON m.id = e.movement_id
    ORDER BY e.entry_no DESC`,
};

/** Returns the ledger entries of a user's wallet, newest first. */
export async function listEntries(userId: string, filter: EntryFilter): Promise<Page<LedgerEntry>> {
  const sign = filter.direction && (filter.direction === "credit" ? 1 : -1);
  const found = await queryPage<EntryRow>(entries, [userId, filter.type ?? null, sign ?? null], filter);
  return { ...found, items: found.items.map(toEntry) };
}

const toEntry = ({ amount, reference_type, reference_id, ...entry }: EntryRow): LedgerEntry => ({
  ...entry,
  direction: amount > 0 ? "credit" : "debit",
  amount: Math.abs(amount),
  reference: { type: reference_type, id: reference_id },
});
