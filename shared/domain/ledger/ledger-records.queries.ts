import type { LedgerRecord } from "#shared/contracts/views.ts";
import { cursorFiltered, type FilteredList, type ListFilter, readFiltered } from "#shared/db/filtered-list.ts";
import { firstIdAt } from "#shared/kernel/ids.ts";
import type { CursorPage, CursorQuery } from "#shared/kernel/page.ts";
import { coins } from "./assets.ts";

const ledger: FilteredList = {
  columns: `e.id, e.movement_id AS transaction_id, e.user_id, e.house, e.type,
    CASE WHEN e.amount > 0 THEN 'credit' ELSE 'debit' END AS direction, abs(e.amount) AS amount, e.balance_after,
    m.reference_type, m.reference_id, m.description, m.principal_kind, m.principal_id, e.created_at`,
  from: "ledger_entries e",
  id: "e.id",
  joins: "JOIN ledger_movements m ON m.id = e.movement_id",
  filters: {
    asset: "e.asset = ?",
    user_id: "e.user_id = ?",
    house: "e.house = ?",
    type: "e.type = ?",
    sign: "sign(e.amount) = ?",
    transaction_id: "e.movement_id = ?",
    reference_type: "m.reference_type = ?",
    reference_id: "m.reference_id = ?",
    from: "e.created_at >= ?",
    to: "e.created_at < ?",
    // IDs are indexed and times are not: these bound what `from` and `to` select.
    first: "e.id >= ?",
    last: "e.id < ?",
  },
  sorts: {},
};

/** An ID is made up to this time before its entry, by a clock that may differ. */
const marginMs = 600_000;

function toListFilter({ direction, ...filter }: ListFilter): ListFilter {
  const { from, to } = filter as { from?: string; to?: string };
  return {
    ...filter,
    asset: coins,
    ...(direction !== undefined && { sign: direction === "credit" ? 1 : -1 }),
    ...(from !== undefined && { first: firstIdAt(Math.max(0, Date.parse(from) - marginMs)) }),
    ...(to !== undefined && { last: firstIdAt(Math.max(0, Date.parse(to) + marginMs)) }),
  };
}

/** Returns entries of coins in the ledger, newest first. */
export const listLedger = (filter: ListFilter, cursor: CursorQuery): Promise<CursorPage<LedgerRecord>> =>
  cursorFiltered<LedgerRecord>(ledger, toListFilter(filter), cursor);

/** Yields all entries of coins in batches, newest first. */
export const readLedger = (filter: ListFilter): AsyncGenerator<LedgerRecord[]> =>
  readFiltered<LedgerRecord>(ledger, toListFilter(filter));
