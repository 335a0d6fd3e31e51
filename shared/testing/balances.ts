import { service } from "#shared/contracts/principal.ts";
import { queryOne } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { changeSettings } from "#shared/domain/base/settings/change-settings.ts";
import { createOrder } from "#shared/domain/money/payments/create-order.ts";
import { refundPayment } from "#shared/domain/money/payments/refund-payment.ts";
import { settlePayment } from "#shared/domain/money/payments/settle-payment.ts";
import { formatDecimal, parseDecimal, smallestOf } from "#shared/kernel/decimal.ts";
import { newId } from "#shared/kernel/ids.ts";

/** Prepaid balances of resellers. */

/**
 * Credits a user's balance with a paid deposit. Returns its order, and what refunds some of it, in the smallest unit.
 */
export async function depositMoney(userId: string, money: string, currency = "USD") {
  const credit = parseDecimal(money);
  const amount = Number(credit / smallestOf(currency));
  const draft = {
    kind: "deposit",
    amount,
    currency,
    asset: currency,
    credit: Number(credit),
    title: "Deposit",
  } as const;
  const { order } = await createOrder({ userId }, async () => draft);
  const { provider, provider_order_id: orderId } = order;
  const payment = { id: `pay_${newId().replaceAll("-", "")}`, orderId: orderId!, amount, currency, captured: true };
  await inTransaction((tx) => settlePayment(tx, provider, payment));
  const refund = (part: number) =>
    inTransaction((tx) =>
      refundPayment(tx, provider, payment, { id: `rfnd_${newId().replaceAll("-", "")}`, amount: part }),
    );
  return { orderId: order.id, refund };
}

/** Returns a user's balance as a numeral; undefined if they have none in this currency. */
export async function moneyOf(userId: string, currency = "USD"): Promise<string | undefined> {
  const found = await queryOne<{ balance: number }>("SELECT balance FROM wallets WHERE user_id = $1 AND asset = $2", [
    userId,
    currency,
  ]);
  return found && formatDecimal(BigInt(found.balance));
}

/** Runs `work` while orders of the catalogue are prepaid. */
export async function whilePrepaid<T>(work: () => Promise<T>): Promise<T> {
  await changeSettings(service, { catalogue_payment: "prepaid" });
  try {
    return await work();
  } finally {
    await changeSettings(service, { catalogue_payment: "postpaid" });
  }
}
