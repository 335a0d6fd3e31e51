import type { BalanceItem, BalanceRecord, MovementRecord } from "#shared/contracts/catalogue-balance-admin-views.ts";
import { type FilteredList, type ListFilter, listFiltered, readFiltered } from "#shared/db/filtered-list.ts";
import { queryOne } from "#shared/db/query.ts";
import { queryPage } from "#shared/db/query-page.ts";
import { instant } from "#shared/domain/catalogue/products/catalogue-rows.ts";
import { debtOf } from "#shared/domain/money/ledger/debts.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { Page, PageQuery } from "#shared/kernel/page.ts";

/** What administrators read of balances of money. */

/** An amount of the ledger as a numeral. */
const numeral = (amount: string): string => `trim_scale((${amount})::numeric / 10000)::text`;

const balances: FilteredList = {
  columns: `b.id, b.user_id, b.currency, ${numeral("b.balance")} AS balance, b.entry_count AS movements, b.created_at`,
  from: "catalogue_balances b",
  id: "b.id",
  filters: { user_id: "b.user_id = ?", currency: "b.currency = ?" },
  sorts: { created_at: "b.id" },
};

/** Returns a page of all balances. */
export const listBalanceRecords = (filter: ListFilter, page: PageQuery) =>
  listFiltered<BalanceItem>(balances, filter, page);
export const readBalanceRecords = (filter: ListFilter) => readFiltered<BalanceItem>(balances, filter);

/** @throws NOT_FOUND */
export async function getBalanceRecord(id: string): Promise<BalanceRecord> {
  const found = await queryOne<BalanceRecord>(
    `SELECT ${balances.columns}, ${numeral(debtOf("b.user_id", "b.currency"))} AS debt
     FROM catalogue_balances b WHERE b.id = $1`,
    [id],
  );
  if (!found) throw new DomainError("NOT_FOUND");
  return found;
}

/** Returns a page of the movements of a balance, newest first. @throws NOT_FOUND */
export async function listMovementRecords(id: string, page: PageQuery): Promise<Page<MovementRecord>> {
  const balance = await queryOne<{ user_id: string; currency: string }>(
    "SELECT user_id, currency FROM catalogue_balances WHERE id = $1",
    [id],
  );
  if (!balance) throw new DomainError("NOT_FOUND");
  return queryPage<MovementRecord>(
    {
      count: "SELECT count(*) FROM ledger_entries e WHERE e.user_id = $1 AND e.asset = $2",
      rows: `SELECT e.id, e.type, CASE WHEN e.amount > 0 THEN 'credit' ELSE 'debit' END AS direction,
          e.asset AS currency, ${numeral("abs(e.amount)")} AS amount, ${numeral("e.balance_after")} AS balance_after,
          p.order_id, m.description, ${instant("e.created_at")} AS created_at, e.movement_id AS transaction_id,
          m.principal_kind, m.principal_id
        FROM ledger_entries e JOIN ledger_movements m ON m.id = e.movement_id
          LEFT JOIN catalogue_payments p
            ON m.reference_type IN ('catalogue_payment', 'catalogue_refund') AND p.id = m.reference_id
        WHERE e.user_id = $1 AND e.asset = $2 ORDER BY e.entry_no DESC LIMIT $3 OFFSET $4`,
    },
    [balance.user_id, balance.currency],
    page,
  );
}
