import { expect } from "chai";
import { query, queryOne } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { buyFrame } from "#shared/domain/store/buy-frame.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { useRazorpay } from "#shared/testing/fakes/razorpay-scene.ts";
import { callerOf } from "#shared/testing/people.ts";
import { buildFrame } from "#shared/testing/sales.ts";
import { useService } from "#shared/testing/service.ts";
import { checkLedger } from "./check-ledger.ts";

/** Writes without triggers and foreign keys, as only a database administrator can. */
const tamper = (statement: string, values: unknown[]): Promise<void> =>
  inTransaction(async (tx) => {
    await tx.query("SET LOCAL session_replication_role = replica");
    await tx.query(statement, values);
  });

describe("checkLedger of what is sold", () => {
  useService();
  const razorpay = useRazorpay();

  /** What a recount says that names this row after tampering; what was tampered with is put back. */
  async function findings(
    id: string,
    [change, ...values]: [string, ...unknown[]],
    [mend, ...mended]: [string, ...unknown[]],
  ) {
    await tamper(change, values);
    const differences = await checkLedger();
    await tamper(mend, mended);
    return differences.filter((sentence) => sentence.includes(id));
  }

  /** A paid order of 100 coins for 99.00, of which a third was given back. */
  async function soldCoins() {
    const { orderId, at } = await razorpay.ordered();
    const payment = razorpay.fake.pay(at);
    await razorpay.tell(razorpay.fake.webhook("payment.captured", payment));
    await razorpay.tell(razorpay.fake.webhook("refund.processed", payment, razorpay.fake.refund(payment, 3_300)));
    const row = await queryOne<{ payment: string; refund: string }>(
      `SELECT p.id AS payment, r.id AS refund FROM payments p JOIN payment_refunds r ON r.payment_id = p.id
       WHERE p.order_id = $1`,
      [orderId],
    );
    return { orderId, ...row! };
  }

  it("finds no difference in a correct ledger", async () => {
    const { orderId, payment, refund } = await soldCoins();
    const differences = await checkLedger();
    expect(differences.filter((one) => [orderId, payment, refund].some((id) => one.includes(id)))).to.deep.equal([]);
  });

  it("names an order whose coins differ from those moved, and coins of an unpaid order", async () => {
    const { orderId } = await soldCoins();
    const set = "UPDATE payment_orders SET coins = $2 WHERE id = $1";
    expect(await findings(orderId, [set, orderId, 101], [set, orderId, 100])).to.include(
      `The coins moved for payment order ${orderId} differ from its row.`,
    );
    const unpay = "UPDATE payment_orders SET status = 'created', paid_at = NULL WHERE id = $1";
    const pay = "UPDATE payment_orders SET status = 'paid', paid_at = now() WHERE id = $1";
    expect(await findings(orderId, [unpay, orderId], [pay, orderId])).to.deep.equal([
      `Payment order ${orderId} calls for no coins, but coins moved for it.`,
      `Payment order ${orderId} of 9900 is created, but a payment of 9900 settles it and 3300 were refunded.`,
    ]);
  });

  it("names an order that is paid without a payment or coins, or with another amount", async () => {
    const { orderId } = await razorpay.ordered();
    const pay = "UPDATE payment_orders SET status = 'paid', paid_at = now() WHERE id = $1";
    const unpay = "UPDATE payment_orders SET status = 'created', paid_at = NULL WHERE id = $1";
    expect(await findings(orderId, [pay, orderId], [unpay, orderId])).to.deep.equal([
      `No coins moved for payment order ${orderId}.`,
      `Payment order ${orderId} of 9900 is paid, but no payment settles it.`,
    ]);
    const { orderId: sold } = await soldCoins();
    const set = "UPDATE payment_orders SET amount = $2 WHERE id = $1";
    expect(await findings(sold, [set, sold, 1], [set, sold, 9_900])).to.deep.equal([
      `Payment order ${sold} of 1 is paid, but a payment of 9900 settles it and 3300 were refunded.`,
    ]);
  });

  it("names a refund whose coins or debt differ from those moved, and refunded money without one", async () => {
    const { payment, refund } = await soldCoins();
    const owe = "UPDATE payment_refunds SET debt_coins = $2 WHERE id = $1";
    expect(await findings(refund, [owe, refund, 5], [owe, refund, 0])).to.deep.equal([
      `The coins moved for payment refund ${refund} differ from its row.`,
    ]);
    const set = "UPDATE payments SET refunded_amount = $2 WHERE id = $1";
    expect(await findings(payment, [set, payment, 4_950], [set, payment, 3_300])).to.deep.equal([
      `Payment ${payment} has 4950 refunded and refunds of 3300, which took 33 coins instead of 50.`,
    ]);
  });

  it("names a frame that was sold for another price, or for none", async () => {
    const [user, frame] = await Promise.all([buildUser({ coins: 100 }), buildFrame({ price: 40 })]);
    await buyFrame(callerOf(user), { frameId: frame.id });
    const [purchase] = await query<{ id: string }>("SELECT id FROM frame_purchases WHERE user_id = $1", [user.id]);
    const { id } = purchase!;
    const set = "UPDATE frame_purchases SET price = $2 WHERE id = $1";
    expect(await findings(id, [set, id, 4], [set, id, 40])).to.deep.equal([
      `The coins moved for frame purchase ${id} differ from its row.`,
    ]);
    const point = "UPDATE ledger_movements SET reference_type = $2 WHERE reference_id = $1";
    expect(await findings(id, [point, id, "test"], [point, id, "frame_purchase"])).to.deep.equal([
      `No coins moved for frame purchase ${id}.`,
    ]);
  });
});
