import type { SplitShare } from "#shared/contracts/views.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { createManaged } from "#shared/domain/base/managed/write-managed.ts";
import { stock, stockUnit } from "#shared/domain/money/ledger/assets.ts";
import { insertOrder } from "#shared/domain/money/payments/create-order.ts";
import { settlePayment } from "#shared/domain/money/payments/settle-payment.ts";
import { managedSplitPlans } from "#shared/domain/money/splits/managed-split-plans.ts";
import { loadSplitPlans } from "#shared/domain/money/splits/split-plans.ts";
import { newId } from "#shared/kernel/ids.ts";
import { adminCaller } from "./people.ts";
import { buildPackage } from "./sales.ts";

/** What tests of earnings need: bought coins, and split plans. */

/** Lets a user buy coins, of which `bonus` are an offer's, for as many cents. Returns what the provider calls it. */
export async function buyCoins(userId: string, coins: number, bonus = 0) {
  const { id: package_id } = await buildPackage({ coins });
  return pay(userId, { ...{ kind: "coins", amount: coins, credit: coins, package_id }, offer_bonus: bonus });
}

/** The same for the stock of a coin seller. */
export const buyStock = (userId: string, coins: number) =>
  pay(userId, { kind: "deposit", amount: coins, asset: stock, credit: coins * stockUnit });

async function pay(userId: string, bought: Omit<Parameters<typeof insertOrder>[3], "currency" | "title">) {
  const paymentId = newId();
  const payment = { id: paymentId, orderId: paymentId, amount: bought.amount, currency: "INR", captured: true };
  await inTransaction(async (tx) => {
    await insertOrder(tx, userId, "sandbox", { ...bought, currency: "INR", title: "Coins" }, paymentId);
    await settlePayment(tx, "sandbox", payment);
  });
  return payment;
}

/** Creates a split plan that holds at once, with these basis points, and returns its ID. */
export async function buildSplitPlan(shares: readonly SplitShare[], more: object = {}): Promise<string> {
  const starts_at = "2026-01-01T00:00:00.000Z";
  const plan = {
    name: `Plan ${newId()}`,
    shares,
    starts_at,
    gift_ids: [],
    category_ids: [],
    countries: [],
    ends_at: null,
  };
  const { id } = await createManaged(adminCaller(), managedSplitPlans, { ...plan, ...more });
  await loadSplitPlans();
  return String(id);
}
