import type { CustomerRecord, CustomerStatus } from "#shared/contracts/catalogue-customer-views.ts";
import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import { type FilteredList, type ListFilter, listFiltered, readFiltered } from "#shared/db/filtered-list.ts";
import { increased } from "#shared/db/model.ts";
import { queryOne } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { parseDecimal } from "#shared/kernel/decimal.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { PageQuery } from "#shared/kernel/page.ts";
import { Customer } from "./customer.model.ts";

/** SQL: whether the customer `k` hasn't paid an order on credit in time. */
const isOverdue = "EXISTS (SELECT FROM catalogue_orders o WHERE o.customer_id = k.id AND o.due_at <= now())";

const customers: FilteredList = {
  columns: `k.id, k.user_id, k.status, k.created_at, k.reminded_at, k.version, ${isOverdue} AS is_overdue,
    (SELECT coalesce(json_agg(json_build_object('currency', c.currency, 'credit_limit', trim_scale(c.credit_limit / 10000.0)::text,
       'due', trim_scale(c.due / 10000.0)::text) ORDER BY c.currency), '[]')
     FROM catalogue_credit c WHERE c.customer_id = k.id) AS credit`,
  from: "catalogue_customers k",
  id: "k.id",
  idType: "integer",
  filters: { status: "k.status = ?", user_id: "k.user_id = ?", is_overdue: `?::boolean AND ${isOverdue}` },
  sorts: { created_at: "k.id" },
};

/** Returns a page of all customers. */
export const listCustomers = (filter: ListFilter, page: PageQuery) =>
  listFiltered<CustomerRecord>(customers, filter, page);
export const readCustomers = (filter: ListFilter) => readFiltered<CustomerRecord>(customers, filter);

/** @throws NOT_FOUND */
export async function getCustomerRecord(id: number): Promise<CustomerRecord> {
  const found = await queryOne<CustomerRecord>(`SELECT ${customers.columns} FROM ${customers.from} WHERE k.id = $1`, [
    id,
  ]);
  if (!found) throw new DomainError("NOT_FOUND");
  return found;
}

/** Step: locks a customer. @throws NOT_FOUND */
async function lockCustomer(tx: Tx, id: number): Promise<CustomerStatus> {
  const customer = await Customer.lock(tx, { id }, ["status"]);
  if (!customer) throw new DomainError("NOT_FOUND");
  return customer.status;
}

/**
 * Approves a customer, or suspends one: their keys can no longer order. What they owe stays due.
 * @throws NOT_FOUND, CONFLICT when the customer has this status
 */
export const decideOnCustomer = (
  caller: AdminPrincipal,
  { id, status, reason }: { readonly id: number; readonly status: "approved" | "suspended"; readonly reason?: string },
): Promise<CustomerRecord> =>
  inTransaction(async (tx) => {
    const before = await lockCustomer(tx, id);
    if (before === status) throw new DomainError("CONFLICT", "This customer is {{status}}.", { values: { status } });
    await Customer.change(tx, { id }, { status, version: increased("version") });
    await tx.audit(caller, {
      action: `catalogue_customer.${status === "approved" ? "approve" : "suspend"}`,
      target: { type: "catalogue_customer", id: String(id) },
      before: { status: before },
      after: { status },
      ...(reason !== undefined && { reason }),
    });
    return getCustomerRecord(id);
  });

/** Sets how much a customer may owe in a currency. A limit below what is due only stops further orders on credit. */
export const setCredit = (
  caller: AdminPrincipal,
  { id, currency, credit_limit }: { readonly id: number; readonly currency: string; readonly credit_limit: string },
): Promise<CustomerRecord> =>
  inTransaction(async (tx) => {
    await lockCustomer(tx, id);
    const [set] = await tx.query<{ before: number | null }>(
      `WITH before AS (SELECT credit_limit FROM catalogue_credit WHERE customer_id = $1 AND currency = $2)
       INSERT INTO catalogue_credit (customer_id, currency, credit_limit) VALUES ($1, $2, $3)
       ON CONFLICT (customer_id, currency) DO UPDATE SET credit_limit = EXCLUDED.credit_limit
       RETURNING (SELECT credit_limit FROM before) AS before`,
      [id, currency, parseDecimal(credit_limit).toString()],
    );
    await Customer.change(tx, { id }, { version: increased("version") });
    await tx.audit(caller, {
      action: "catalogue_customer.set_credit",
      target: { type: "catalogue_customer", id: String(id) },
      before: { currency, credit_limit: set!.before === null ? null : set!.before / 10_000 },
      after: { currency, credit_limit },
    });
    return getCustomerRecord(id);
  });
