import type { LedgerRecord } from "#shared/contracts/views.ts";
import { cursorFiltered, type FilteredList, type ListFilter, readFiltered } from "#shared/db/filtered-list.ts";
import type { CursorPage, CursorQuery } from "#shared/kernel/page.ts";

const ledger: FilteredList = {
  columns: `e.id, e.movement_id AS transaction_id, e.user_id, e.house, e.type,
    e.asset, CASE WHEN e.amount > 0 THEN 'credit' ELSE 'debit' END AS direction, abs(e.amount) AS amount,
    abs(e.bought) AS bought, e.balance_after,
    m.reference_type, m.reference_id, m.description, m.principal_kind, m.principal_id, e.created_at`,
  from: "ledger_entries e",
  id: "e.id",
  joins: "JOIN ledger_movements m ON m.id = e.movement_id",
  filters: {
    asset: "e.asset = ?",
    user_id: "e.user_id = ?",
    house: "e.house = ?",
    type: "e.type = ?",
    direction: "(e.amount > 0) = (?::text = 'credit')",
    transaction_id: "e.movement_id = ?",
    reference_type: "m.reference_type = ?",
    reference_id: "m.reference_id = ?",
  },
  time: "e.created_at",
  sorts: {},
};

/** Money of prepaid balances has lists of its own. */
type LedgerFilter = ListFilter & { readonly asset: "coins" | "earnings" };

/** Returns entries of coins or earnings in the ledger, newest first. */
export const listLedger = (filter: LedgerFilter, cursor: CursorQuery): Promise<CursorPage<LedgerRecord>> =>
  cursorFiltered<LedgerRecord>(ledger, filter, cursor);

/** Yields all of them in batches, newest first. */
export const readLedger = (filter: LedgerFilter): AsyncGenerator<LedgerRecord[]> =>
  readFiltered<LedgerRecord>(ledger, filter);
