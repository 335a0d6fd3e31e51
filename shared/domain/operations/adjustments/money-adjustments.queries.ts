import type { MoneyAdjustment } from "#shared/contracts/catalogue-balance-admin-views.ts";
import { type FilteredList, type ListFilter, listFiltered, readFiltered } from "#shared/db/filtered-list.ts";
import { queryOne } from "#shared/db/query.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { PageQuery } from "#shared/kernel/page.ts";

const isOfMoney = "a.asset <> 'coins'";

const adjustments: FilteredList = {
  columns: `a.id, a.user_id, a.asset AS currency, trim_scale(a.amount::numeric / 10000)::text AS amount, a.reason, a.status,
    a.requested_by, a.decided_by, a.created_at, a.decided_at, a.expires_at`,
  from: `(SELECT * FROM balance_adjustments a WHERE ${isOfMoney}) a`,
  id: "a.id",
  filters: {
    user_id: "a.user_id = ?",
    currency: "a.asset = ?",
    status: "a.status = ?",
    requested_by: "a.requested_by = ?",
  },
  sorts: { created_at: "a.id" },
};

/** Returns a page of the adjustments of money. */
export const listMoneyAdjustments = (filter: ListFilter, page: PageQuery) =>
  listFiltered<MoneyAdjustment>(adjustments, filter, page);
export const readMoneyAdjustments = (filter: ListFilter) => readFiltered<MoneyAdjustment>(adjustments, filter);

/** @throws NOT_FOUND */
export async function getMoneyAdjustment(id: string): Promise<MoneyAdjustment> {
  const found = await queryOne<MoneyAdjustment>(
    `SELECT ${adjustments.columns} FROM balance_adjustments a WHERE a.id = $1 AND ${isOfMoney}`,
    [id],
  );
  if (!found) throw new DomainError("NOT_FOUND");
  return found;
}
