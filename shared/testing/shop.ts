import { service } from "#shared/contracts/principal.ts";
import { queryOne } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { cancelOrder } from "#shared/domain/catalogue/orders/order-steps.ts";
import { placeOrder } from "#shared/domain/catalogue/orders/place-order.ts";
import { adjustMoney } from "#shared/domain/operations/adjustments/adjust-balance.ts";
import { buildAdmin } from "./admins.ts";
import { depositMoney, whilePrepaid } from "./balances.ts";
import { buildReseller, buildTopUp, orderOf } from "./catalogue.ts";
import { adminCaller } from "./people.ts";

/** The IDs of a reseller and of what moved their money. */
export interface Shop {
  /**
   * Deposited 99 USD with one order, of which 33 were refunded, and paid two orders of 8.99 USD, the second cancelled.
   */
  readonly reseller: string;
  readonly deposit: string;
  readonly paidOrder: number;
  readonly cancelledOrder: number;
  /** The payment of the first order, and the refund of the second. */
  readonly orderPayment: string;
  readonly orderRefund: string;
  /** Of 5 EUR. */
  readonly moneyAdjustment: string;
}

/** Builds a reseller whose money has moved for each kind of cause. */
export async function buildShop(): Promise<Shop> {
  const { caller } = await buildReseller();
  const topUp = await buildTopUp();
  const deposit = await depositMoney(caller.userId, "99");
  await deposit.refund(3_300);
  const order = () => placeOrder(caller, orderOf(topUp));
  const [paidOrder, cancelledOrder] = await whilePrepaid(async () => [await order(), await order()]);
  await inTransaction((tx) => cancelOrder(tx, service, cancelledOrder, "No such player"));
  const { id: moneyAdjustment } = await adjustMoney(
    { ...adminCaller(), adminId: (await buildAdmin()).id },
    { user_id: caller.userId, currency: "EUR", amount: "5", reason: "Sorry" },
  );
  const payments = await queryOne<{ orderPayment: string; orderRefund: string }>(
    `SELECT (SELECT id FROM catalogue_payments WHERE order_id = $1 AND kind = 'payment') AS "orderPayment",
       (SELECT id FROM catalogue_payments WHERE order_id = $2 AND kind = 'refund') AS "orderRefund"`,
    [paidOrder, cancelledOrder],
  );
  return {
    reseller: caller.userId,
    deposit: deposit.orderId,
    paidOrder,
    cancelledOrder,
    moneyAdjustment,
    ...payments!,
  };
}
