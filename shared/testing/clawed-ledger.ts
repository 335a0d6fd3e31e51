import { query, queryOne } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { rememberSettings, settingDefault } from "#shared/domain/base/settings/settings.ts";
import { exchangeEarnings } from "#shared/domain/money/earnings/exchange-earnings.ts";
import { payShareDebts } from "#shared/domain/money/earnings/pay-share-debts.ts";
import { type GiftOrder, transferGift } from "#shared/domain/money/gifts/transfer-gift.ts";
import { refundPayment } from "#shared/domain/money/payments/refund-payment.ts";
import { loadSplitPlans } from "#shared/domain/money/splits/split-plans.ts";
import { newId } from "#shared/kernel/ids.ts";
import { buildSplitPlan, buyCoins } from "./earnings.ts";
import { type BuiltUser, buildGift, buildRoom, buildUser } from "./factories.ts";
import { callerOf } from "./people.ts";

/**
 * Lets a user earn 10 by a gift of 20 bought coins, and exchange 4. Another earns as much, exchanges it, owes it after
 * a refund, and pays that with what they earn then.
 */
export async function splitAndExchanged(sender: BuiltUser, recipientId: string) {
  const [giver, gift, room] = [await buildUser(), await buildGift({ price: 20 }), await buildRoom({ host: sender })];
  await buyCoins(giver.id, 20);
  const plan = await buildSplitPlan(
    [
      { to: "receiver", basis_points: 5000, asset: "earnings" },
      { to: "house", basis_points: 5000 },
    ],
    { gift_ids: [gift.id] },
  );
  const [other, payment] = [await buildUser(), await buyCoins(giver.id, 20)];
  const order = { room_id: room.id, gift_id: gift.id, recipient_id: recipientId, quantity: 1 };
  const { id: splitGift } = await transferGift(callerOf(giver), order);
  await transferGift(callerOf(giver), { ...order, recipient_id: other.id });
  rememberSettings({ earnings_maturing_days: 0, refund_clawback: "shares" });
  await exchangeEarnings(callerOf(other), 10);
  await inTransaction((tx) => refundPayment(tx, "sandbox", payment, { id: newId(), amount: 20 }));
  await buyCoins(giver.id, 40);
  await transferGift(callerOf(giver), { ...order, recipient_id: other.id });
  await payShareDebts();
  rememberSettings({ refund_clawback: settingDefault("refund_clawback") });
  const coinDebtPayment = await payByExchange(giver, (recipient_id) => ({ ...order, recipient_id }));
  const clawed = await queryOne<{ clawback: string; gift: string; payment: string }>(
    `SELECT s.refund_id AS clawback, g.gift_transaction_id AS gift, d.id AS payment
     FROM refund_shares s JOIN refund_gifts g USING (refund_id) JOIN share_debt_payments d USING (user_id)
     WHERE s.user_id = $1`,
    [other.id],
  );
  await query("UPDATE split_plans SET retired_at = now() WHERE id = $1", [plan]);
  await loadSplitPlans();
  const { id: exchange } = await exchangeEarnings(callerOf({ id: recipientId }), 4);
  rememberSettings({ earnings_maturing_days: settingDefault("earnings_maturing_days") });
  const { clawback, gift: clawedGift, payment: sharePayment } = clawed!;
  return { splitGift, exchange, clawback, clawedGift, sharePayment, coinDebtPayment };
}

/** Lets a user earn, owe the coins of a refunded order, and exchange what they earned. Returns what paid the debt. */
async function payByExchange(giver: BuiltUser, orderTo: (userId: string) => GiftOrder): Promise<string> {
  const debtor = await buildUser();
  await buyCoins(giver.id, 20);
  await transferGift(callerOf(giver), orderTo(debtor.id));
  const payment = await buyCoins(debtor.id, 20);
  await transferGift(callerOf(debtor), orderTo(giver.id));
  await inTransaction((tx) => refundPayment(tx, "sandbox", payment, { id: newId(), amount: 20 }));
  await exchangeEarnings(callerOf(debtor), 10);
  const paid = await queryOne<{ id: string }>("SELECT id FROM share_debt_payments WHERE user_id = $1", [debtor.id]);
  return paid!.id;
}
