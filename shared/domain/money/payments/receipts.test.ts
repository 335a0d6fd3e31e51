import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { rememberSettings } from "#shared/domain/base/settings/settings.ts";
import { newId } from "#shared/kernel/ids.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { ordered } from "#shared/testing/fakes/razorpay-scene.ts";
import { useService } from "#shared/testing/service.ts";
import { taxIn } from "./receipts.ts";
import { refundPayment } from "./refund-payment.ts";
import { reverseRefund } from "./reverse-refund.ts";
import { settlePayment } from "./settle-payment.ts";

const seller = { seller_name: "Ada & Sons", seller_address: "1 Main Street", seller_tax_id: "T1" };

describe("receipts", () => {
  useService();
  beforeEach(() => rememberSettings({ ...seller, tax_rates: ["IN:1800", "DE:1900"] }));
  after(() => rememberSettings({ seller_name: "", seller_address: "", seller_tax_id: "", tax_rates: [] }));

  /** Makes an order of a user in India, with what happens to its payment. */
  async function bought({ price = 9_900, provider = "sandbox" } = {}) {
    const user = await buildUser();
    await query("UPDATE users SET country = 'IN' WHERE id = $1", [user.id]);
    const { orderId, at } = await ordered({ by: user, price });
    await query("UPDATE payment_orders SET provider = $2 WHERE id = $1", [orderId, provider]);
    const payment = { id: `pay_${newId()}`, orderId: at, amount: price, currency: "INR", captured: true };
    return {
      user,
      orderId,
      settle: (fails = false) =>
        inTransaction(async (tx) => {
          await settlePayment(tx, provider, payment);
          if (fails) tx.atEnd(() => Promise.reject(new Error("the process died before it committed")));
        }),
      refund: (amount: number, id = newId()) =>
        inTransaction((tx) => refundPayment(tx, provider, payment, { id, amount })),
      reverse: (id: string) => inTransaction((tx) => reverseRefund(tx, provider, id)),
      notes: () =>
        query<{
          number: string;
          net: number;
          tax: number;
          gross: number;
          tax_rate: number | null;
          seller_name: string;
        }>("SELECT number, net, tax, gross, tax_rate, seller_name FROM receipts WHERE order_id = $1 ORDER BY id", [
          orderId,
        ]),
    };
  }
  const figures = async ({ notes }: Awaited<ReturnType<typeof bought>>) =>
    (await notes()).map(({ number, net, tax, gross }) => [number.replace(/-.*/, ""), net, tax, gross]);

  it("are numbered without gaps by a hundred concurrent payments, of which some fail", async () => {
    const numbers = async () =>
      (await query<{ number: string }>("SELECT number FROM receipts WHERE number LIKE 'R-%'")).map(
        ({ number }) => number,
      );
    const orders = await Promise.all(Array.from({ length: 100 }, () => bought()));
    const before = await numbers();
    const settled = await Promise.allSettled(orders.map(({ settle }, index) => settle(index % 5 === 0)));
    expect(settled.filter(({ status }) => status === "fulfilled")).to.have.length(80);
    const all = await numbers();
    expect(all).to.have.length(before.length + 80);
    // They are counted by year, and one may begin now.
    const byYear = Object.groupBy(all, (number) => number.split("-")[1]!);
    for (const ofYear of Object.values(byYear)) {
      const issued = ofYear!.map((number) => Number(number.split("-")[2])).sort((a, b) => a - b);
      expect(issued).to.deep.equal(issued.map((_, index) => index + 1));
    }
  });

  it("are issued once, however often a payment is reported, and with the country's tax", async () => {
    const order = await bought();
    await Promise.all([order.settle(), order.settle(), order.settle()]);
    expect(await figures(order)).to.deep.equal([["R", 8390, 1510, 9900]]);
  });

  it("of stores have a series of their own, without tax of ours, and name the store", async () => {
    const order = await bought({ provider: "apple" });
    await order.settle();
    await order.refund(9_900);
    expect(await figures(order)).to.deep.equal([
      ["SR", 9900, 0, 9900],
      ["SC", -9900, 0, -9900],
    ]);
    expect((await order.notes())[0]).to.include({ seller_name: "Apple", tax_rate: null });
  });

  it("have a note for each refund and reversal, which add up to what is paid", async () => {
    const order = await bought({ price: 1_000 });
    await order.settle();
    for (const amount of [333, 333]) await order.refund(amount);
    await order.refund(334, "last_of_three");
    await order.reverse("last_of_three");
    await order.reverse("last_of_three");
    const notes = await order.notes();
    expect(await figures(order)).to.deep.equal([
      ["R", 847, 153, 1000],
      ["C", -282, -51, -333],
      ["C", -282, -51, -333],
      ["C", -283, -51, -334],
      ["D", 283, 51, 334],
    ]);
    expect(notes.reduce((sum, { tax }) => sum + tax, 0)).to.equal(taxIn(334, 1800));
  });

  it("are issued with their note when the refund is reported first", async () => {
    const order = await bought();
    await order.refund(9_900);
    expect((await figures(order)).map(([series]) => series)).to.deep.equal(["R", "C"]);
  });

  it("keep the seller and the rate when settings change, also in later notes", async () => {
    const order = await bought();
    await order.settle();
    rememberSettings({ ...seller, seller_name: "Grace Ltd", tax_rates: ["IN:500"] });
    await order.refund(9_900);
    for (const note of await order.notes()) expect(note).to.include({ seller_name: "Ada & Sons", tax_rate: 1800 });
    expect((await figures(order))[1]).to.deep.equal(["C", -8390, -1510, -9900]);
  });
});
