import { expect } from "chai";
import type { FakeDispute } from "#shared/testing/fakes/razorpay-records.ts";
import { differencesOf, giveCoins, useRazorpay } from "#shared/testing/fakes/razorpay-scene.ts";
import { usePublishedEvents } from "#shared/testing/published-events.ts";
import { useService } from "#shared/testing/service.ts";
import { orderRecords } from "./order-records.queries.ts";

describe("coins whose payment at Razorpay is disputed", () => {
  useService();
  const razorpay = useRazorpay();
  const events = usePublishedEvents();

  /** A user with a paid order, and what tells of its dispute. */
  async function disputed(changes: Partial<FakeDispute> = {}) {
    const scene = await razorpay.ordered();
    const payment = razorpay.fake.pay(scene.at);
    await razorpay.tell(razorpay.fake.webhook("payment.captured", payment));
    const dispute = razorpay.fake.dispute(payment, changes);
    const webhook = (what: string, now: Partial<FakeDispute> = {}) =>
      razorpay.fake.webhook(`payment.dispute.${what}`, payment, Object.assign(dispute, now));
    const tell = async (...about: Parameters<typeof webhook>) => {
      await razorpay.tell(webhook(...about));
      return scene.shown();
    };
    const stand = async () => (await orderRecords(scene.orderId)).payments[0]!.refunds[0]?.dispute;
    const told = async () => {
      const kinds = ["opened", "won", "lost"] as const;
      const all = await Promise.all(kinds.map((kind) => events.of(`dispute.${kind}`, { order_id: scene.orderId })));
      return kinds.flatMap((kind, index) => all[index]!.map(() => kind));
    };
    return { ...scene, payment, dispute, webhook, tell, stand, told };
  }
  const deducted = 9_900;

  it("stay until the dispute is lost, and are taken then, also if they are spent", async () => {
    const { user, orderId, dispute, tell, stand, told } = await disputed();
    await giveCoins(user, -30);
    expect(await tell("created")).to.deep.equal(["paid", 70, 0]);
    expect(await tell("under_review", { status: "under_review" })).to.deep.equal(["paid", 70, 0]);
    expect(await told()).to.deep.equal([]);

    const lost = { status: "lost", amount_deducted: deducted } as const;
    expect(await tell("lost", lost)).to.deep.equal(["refunded", 0, 30]);
    expect(await tell("lost", lost)).to.deep.equal(["refunded", 0, 30]);
    expect([await stand(), await told()]).to.deep.equal(["lost", ["opened", "lost"]]);
    const order = { order_id: orderId, user_id: user.id, kind: "coins", provider: "razorpay", currency: "INR" };
    expect(await events.of("dispute.lost", { order_id: orderId })).to.deep.equal([
      { ...order, provider_refund_id: dispute.id, amount: deducted },
    ]);
    expect(await differencesOf(orderId, user.id)).to.deep.equal([]);
  });

  it("are taken at once by a dispute that takes the money at once, and given back when it is won", async () => {
    const { user, orderId, tell, stand, told } = await disputed({ amount_deducted: deducted });
    expect(await tell("created")).to.deep.equal(["refunded", 0, 0]);
    expect(await stand()).to.equal("open");
    expect(await tell("won", { status: "won", amount_deducted: 0 })).to.deep.equal(["paid", 100, 0]);
    expect([await stand(), await told()]).to.deep.equal(["won", ["opened", "won"]]);
    expect(await differencesOf(orderId, user.id)).to.deep.equal([]);
  });

  it("are kept when events of a dispute that was won come in another order", async () => {
    const { user, orderId, webhook, tell, shown } = await disputed({ amount_deducted: deducted });
    const created = webhook("created");
    expect(await tell("won", { status: "won", amount_deducted: 0 })).to.deep.equal(["paid", 100, 0]);
    await razorpay.tell(created);
    expect(await shown()).to.deep.equal(["paid", 100, 0]);
    expect(await differencesOf(orderId, user.id)).to.deep.equal([]);
  });

  it("stay lost when an earlier event comes later", async () => {
    const { webhook, tell, stand, told } = await disputed({ amount_deducted: deducted });
    const created = webhook("created");
    expect(await tell("lost", { status: "lost" })).to.deep.equal(["refunded", 0, 0]);
    await razorpay.tell(created);
    expect([await stand(), await told()]).to.deep.equal(["lost", ["opened", "lost"]]);
  });

  it("stay when the dispute is closed without money, and are taken for a part", async () => {
    const [closed, partly] = [await disputed(), await disputed({ amount: 4_950 })];
    expect(await closed.tell("closed", { status: "closed" })).to.deep.equal(["paid", 100, 0]);
    expect(await partly.tell("lost", { status: "lost", amount_deducted: 4_950 })).to.deep.equal(["paid", 50, 0]);
    for (const { user, orderId } of [closed, partly]) expect(await differencesOf(orderId, user.id)).to.deep.equal([]);
  });
});
