import type { MoneyType } from "#shared/contracts/views.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { queryPage } from "#shared/db/query-page.ts";
import { instant } from "#shared/domain/catalogue/products/catalogue-rows.ts";
import { isMoney } from "#shared/domain/money/ledger/assets.ts";
import { debtOf } from "#shared/domain/money/ledger/debts.ts";
import { shownStatus } from "#shared/domain/money/payments/payments.queries.ts";
import type { Page, PageQuery } from "#shared/kernel/page.ts";

/** Amounts are in 1/10,000 of the unit of their currency. */

/** How many currencies one user can have balances in: more than there are. */
const balancesMax = 300;

export interface BalanceRow {
  readonly currency: string;
  readonly balance: number;
  readonly debt: number;
  readonly credit_limit: number;
  readonly due: number;
  readonly overdue: number;
}

/** Returns a user's balances of money, and what they may owe, and owe, in the same currencies. */
export const listBalances = (userId: string): Promise<BalanceRow[]> =>
  query<BalanceRow>(
    `WITH money AS (SELECT asset AS currency, balance FROM wallets WHERE user_id = $1 AND ${isMoney("asset")}),
       credit AS (
         SELECT c.* FROM catalogue_credit c JOIN catalogue_customers k ON k.id = c.customer_id WHERE k.user_id = $1
       )
     SELECT currency, coalesce(m.balance, 0) AS balance, ${debtOf("$1", "currency")} AS debt,
       coalesce(c.credit_limit, 0) AS credit_limit, coalesce(c.due, 0) AS due,
       (SELECT coalesce(sum(total) * 10000, 0)::bigint FROM catalogue_orders o
        WHERE o.customer_id = c.customer_id AND o.currency = c.currency AND o.due_at <= now()) AS overdue
     FROM money m FULL JOIN credit c USING (currency) ORDER BY currency LIMIT ${balancesMax}`,
    [userId],
  );

export interface MovementRow {
  readonly id: string;
  readonly entry_no: number;
  readonly type: MoneyType;
  readonly currency: string;
  /** Positive credits the balance. */
  readonly amount: number;
  readonly balance_after: number;
  /** The order that was paid or refunded. */
  readonly order_id: number | null;
  readonly description: string;
  readonly created_at: string;
}

/**
 * Selects `MovementRow`s: entries `e` of balances, with their ledger transactions `m` and the payments `p` of orders.
 */
export const movements = `SELECT e.id, e.entry_no, e.type, e.asset AS currency, e.amount, e.balance_after, p.order_id,
    m.description, ${instant("e.created_at")} AS created_at
  FROM ledger_entries e JOIN ledger_movements m ON m.id = e.movement_id
    LEFT JOIN catalogue_payments p
      ON m.reference_type IN ('catalogue_payment', 'catalogue_refund') AND p.id = m.reference_id`;

/** Returns a page of the movements of a user's balance in a currency, newest first. */
export const listMovements = (userId: string, currency: string, page: PageQuery): Promise<Page<MovementRow>> =>
  queryPage<MovementRow>(
    {
      count: "SELECT count(*) FROM ledger_entries e WHERE e.user_id = $1 AND e.asset = $2",
      rows: `${movements} WHERE e.user_id = $1 AND e.asset = $2 ORDER BY e.entry_no DESC LIMIT $3 OFFSET $4`,
    },
    [userId, currency],
    page,
  );

export interface DepositRow {
  readonly id: string;
  readonly status: "created" | "paid" | "failed" | "expired" | "refunded";
  readonly currency: string;
  readonly credit: number;
  readonly created_at: string;
  readonly paid_at: string | null;
}

/** Returns a deposit of this user. */
export const findDeposit = (userId: string, id: string): Promise<DepositRow | undefined> =>
  queryOne<DepositRow>(
    `SELECT id, ${shownStatus} AS status, currency, credit, ${instant("created_at")} AS created_at,
       ${instant("paid_at")} AS paid_at
     FROM payment_orders WHERE id = $1 AND user_id = $2 AND kind = 'deposit'`,
    [id, userId],
  );
