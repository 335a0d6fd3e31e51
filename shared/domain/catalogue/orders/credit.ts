import type { CustomerStatus } from "#shared/contracts/catalogue-customer-views.ts";
import { type KeyHolderPrincipal, type Principal, service } from "#shared/contracts/principal.ts";
import { defineJob } from "#shared/db/jobs.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { notApproved } from "#shared/domain/catalogue/customers/customers.ts";
import { sendMail } from "#shared/domain/identity/mail/send.ts";
import { parseDecimal } from "#shared/kernel/decimal.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { cancelOrder } from "./order-steps.ts";
import { payOrder } from "./pay-order.ts";

/** What a customer may have at a time, how long credit lasts, and what becomes of what is late. */

/** How many orders of a customer may be open. */
export const openOrdersMax = 1000;
/** How many codes may be reserved for a customer's open orders. */
export const reservedCodesMax = 100;
/** How long a code stays reserved for an order that isn't completed, hours. */
export const reservedForHours = 72;
/** When an order on credit must be paid, days after it was placed. */
export const creditDays = 30;
/** How often a customer is reminded of overdue orders, days. */
const remindedEveryDays = 7;

const batchSize = 500;

interface Customer {
  readonly id: number;
  readonly user_id: string;
}

/**
 * Step: locks the caller as a customer until the commit, so that their orders are placed one after another, and checks
 * that they may place one more. Overdue orders are paid from the balance first.
 * @throws FORBIDDEN (not approved), CONFLICT (too many open orders, or overdue ones)
 */
export async function admitOrder(tx: Tx, caller: KeyHolderPrincipal, reserves: boolean): Promise<number> {
  const [customer] = await tx.query<Customer & { status: CustomerStatus }>(
    "SELECT id, user_id, status FROM catalogue_customers WHERE user_id = $1 FOR NO KEY UPDATE",
    [caller.userId],
  );
  if (customer?.status !== "approved") throw notApproved();

  const [open] = await tx.query<{ orders: number; codes: number }>(
    `SELECT count(*) AS orders, count(card_id) AS codes FROM (
       SELECT card_id FROM catalogue_orders WHERE customer_id = $1 AND status IN ('placed', 'processing')
       LIMIT ${openOrdersMax}
     ) open`,
    [customer.id],
  );
  if (open!.orders >= openOrdersMax || (reserves && open!.codes >= reservedCodesMax))
    throw new DomainError("CONFLICT", "You have too many open orders. Wait until some are completed.");
  if (await settleOverdue(tx, caller, customer))
    throw new DomainError("CONFLICT", "You have overdue orders. Deposit what is due first.");
  return customer.id;
}

/** Step: takes an order's total from a customer's credit. Returns false if it isn't within the limit. */
export async function takeCredit(tx: Tx, customerId: number, currency: string, total: bigint): Promise<boolean> {
  const taken = await tx.query(
    `UPDATE catalogue_credit SET due = due + $3::bigint
     WHERE customer_id = $1 AND currency = $2 AND due + $3::bigint <= credit_limit RETURNING 1`,
    [customerId, currency, total.toString()],
  );
  return taken.length > 0;
}

/**
 * Step: pays overdue orders of a locked customer from their balance, the oldest first. Returns whether some are left.
 * Skips an order that is being cancelled, so that the two don't block each other.
 */
async function settleOverdue(tx: Tx, by: Principal, { id, user_id }: Customer): Promise<boolean> {
  const owed = await tx.query<{ id: number; currency: string; total: string; balance: number }>(
    `SELECT o.id, o.currency, o.total::text AS total,
       coalesce((SELECT balance FROM wallets w WHERE w.user_id = $2 AND w.asset = o.currency), 0) AS balance
     FROM catalogue_orders o WHERE o.customer_id = $1 AND o.due_at <= now() AND o.status <> 'cancelled'
     ORDER BY o.due_at, o.id LIMIT ${batchSize} FOR NO KEY UPDATE OF o SKIP LOCKED`,
    [id, user_id],
  );
  const left = new Map<string, bigint>();
  let isLate = owed.length === batchSize;
  for (const order of owed) {
    const total = parseDecimal(order.total);
    const balance = left.get(order.currency) ?? BigInt(order.balance);
    left.set(order.currency, balance < total ? 0n : balance - total);
    if (balance < total) {
      isLate = true;
      continue;
    }
    await payOrder(tx, by, user_id, { id: order.id, currency: order.currency, total });
    await tx.query("UPDATE catalogue_orders SET due_at = NULL WHERE id = $1", [order.id]);
    await tx.query("UPDATE catalogue_credit SET due = due - $3::bigint WHERE customer_id = $1 AND currency = $2", [
      id,
      order.currency,
      total.toString(),
    ]);
  }
  return isLate;
}

/** Collects what is overdue, reminds of the rest, and ends reservations. Run every hour. */
export const collectDueJob = defineJob("catalogue.collect_due", {
  retries: 0,
  retryMaxSeconds: 60,
  timeoutSeconds: 600,
  exclusive: true,
});

/** Reminds a customer of overdue orders. The address is read when it is sent. */
export const reminderJob = defineJob<{ user_id: string }>("catalogue.reminder", {
  retries: 8,
  retryMaxSeconds: 900,
  timeoutSeconds: 60,
});

export async function collectDue(): Promise<void> {
  await endReservations();
  const late = await query<Customer>(
    `SELECT id, user_id FROM catalogue_customers k
     WHERE EXISTS (SELECT FROM catalogue_orders o WHERE o.customer_id = k.id AND o.due_at <= now() AND o.status <> 'cancelled')
     ORDER BY id`,
  );
  for (const customer of late)
    await inTransaction(async (tx) => {
      await tx.query("SELECT FROM catalogue_customers WHERE id = $1 FOR NO KEY UPDATE", [customer.id]);
      if (!(await settleOverdue(tx, service, customer))) return;
      const reminded = await tx.query(
        `UPDATE catalogue_customers SET reminded_at = now()
         WHERE id = $1 AND (reminded_at IS NULL OR reminded_at <= now() - interval '${remindedEveryDays} days') RETURNING 1`,
        [customer.id],
      );
      if (reminded.length > 0) await tx.enqueue(reminderJob, { user_id: customer.user_id });
    });
}

/** Cancels orders whose codes have been reserved for too long, which puts the codes back into the stock. */
async function endReservations(): Promise<void> {
  const ended = await query<{ id: number }>(
    `SELECT id FROM catalogue_orders WHERE card_id IS NOT NULL AND status IN ('placed', 'processing')
       AND created_at < now() - interval '${reservedForHours} hours' ORDER BY id LIMIT ${batchSize}`,
  );
  for (const { id } of ended)
    await inTransaction((tx) => cancelOrder(tx, service, id, "The reservation of the code has ended."));
}

/** Sends a reminder of overdue orders. @throws Error when the mail server does not accept it */
export async function remindCustomer(userId: string): Promise<void> {
  const found = await queryOne<{ email: string; due: string }>(
    `SELECT u.email, string_agg(trim_scale(c.due / 10000.0)::text || ' ' || c.currency, ', ' ORDER BY c.currency) AS due
     FROM users u JOIN catalogue_customers k ON k.user_id = u.id JOIN catalogue_credit c ON c.customer_id = k.id
     WHERE u.id = $1 AND u.status = 'active' AND u.email_verified_at IS NOT NULL AND c.due > 0 GROUP BY u.email`,
    [userId],
  );
  if (found) await sendMail({ userId, address: found.email }, "payment-overdue", { due: found.due });
}
