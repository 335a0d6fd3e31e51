import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { newId } from "#shared/kernel/ids.ts";
import { differencesOf, ordered } from "#shared/testing/fakes/razorpay-scene.ts";
import "#shared/testing/fakes/sandbox-payments.ts";
import { useService } from "#shared/testing/service.ts";
import { refundPayment } from "./refund-payment.ts";
import { reverseRefund } from "./reverse-refund.ts";
import { settlePayment } from "./settle-payment.ts";

describe("a dispute that is won", () => {
  useService();
  const provider = "sandbox";

  async function bought() {
    const { user, at, orderId, shown } = await ordered({ price: 400, coins: 97 });
    const payment = { id: `pay_${newId()}`, orderId: at, amount: 400, currency: "INR", captured: true };
    await inTransaction((tx) => settlePayment(tx, provider, payment));
    return {
      refund: async (amount: number) => {
        const id = newId();
        await inTransaction((tx) => refundPayment(tx, provider, payment, { id, amount }));
        return id;
      },
      win: (id: string) => inTransaction((tx) => reverseRefund(tx, provider, id)),
      coins: async () => (await shown())[1],
      differences: async () => {
        const [paid] = await query<{ id: string }>("SELECT id FROM payments WHERE order_id = $1", [orderId]);
        return differencesOf(user.id, orderId, paid!.id);
      },
    };
  }

  for (const refunded of [5, 399, 400])
    it(`leaves nothing of ${refunded} that was refunded beside it, in whatever order`, async () => {
      const left = 97 - Math.floor((97 * refunded) / 400);
      for (const disputeFirst of [true, false]) {
        const { refund, win, coins, differences } = await bought();
        const amounts = disputeFirst ? [400, refunded] : [refunded, 400];
        const ids = [await refund(amounts[0]!), await refund(amounts[1]!)];
        expect(await coins()).to.equal(0);
        for (const repeat of ["reversed", "seen"])
          expect(await win(ids[disputeFirst ? 0 : 1]!), repeat).to.equal(repeat);
        expect(await coins()).to.equal(left);
        expect(await differences()).to.deep.equal([]);
      }
    });
});
