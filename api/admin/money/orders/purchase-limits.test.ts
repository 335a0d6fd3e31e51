import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { rememberSettings, settingDefault } from "#shared/domain/base/settings/settings.ts";
import { transferGift } from "#shared/domain/money/gifts/transfer-gift.ts";
import { createOrder } from "#shared/domain/money/payments/create-order.ts";
import { countFlaggedOrders } from "#shared/domain/money/payments/purchase-bounds.ts";
import { receiveWebhook } from "#shared/domain/money/payments/receive-webhook.ts";
import { recordPurchase } from "#shared/domain/money/purchases/record-purchase.ts";
import { buyFrame } from "#shared/domain/money/store/buy-frame.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type BuiltAdmin, buildAdmin } from "#shared/testing/admins.ts";
import { type BuiltUser, buildGift, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { act } from "#shared/testing/pay.ts";
import { callerOf, outcomeOf } from "#shared/testing/people.ts";
import { buildFrame, buildPackage, buildPlan, buildProduct, walletBalance } from "#shared/testing/sales.ts";
import { useService } from "#shared/testing/service.ts";

const keys = [
  "new_account_days",
  "new_account_daily_purchases",
  "purchase_refunds_max",
  "purchase_refund_days",
  "gift_hold_hours",
] as const;

describe("the bounds of purchases", () => {
  const service = useService();
  let admin: BuiltAdmin;
  before(async () => {
    admin = await buildAdmin();
  });
  afterEach(() => rememberSettings(Object.fromEntries(keys.map((key) => [key, settingDefault(key)]))));

  const order = async ({ token }: BuiltUser, price = 10_000) =>
    service.call("post", "/payments/orders", { token, body: { package_id: (await buildPackage({ price })).id } });
  const report = async (at: string, action: "pay" | "refund") => {
    const { body, headers } = await act(at, action);
    await receiveWebhook("sandbox", Buffer.from(body), headers);
  };
  const bought = async (user: BuiltUser, price?: number) => {
    const { provider_order_id: at } = (await order(user, price)).body.data.order;
    await report(at, "pay");
    return at as string;
  };
  const clear = ({ id }: BuiltUser) =>
    service.admin("post", `/users/${id}/clear-purchase-limits`, {
      token: admin.token,
      body: { reason: "Known to us" },
    });
  const limits = async ({ id }: BuiltUser) =>
    (await service.admin("get", `/users/${id}/purchase-limits`, { token: admin.token })).body.data;
  const ageOf = (user: BuiltUser, days: number) =>
    query("UPDATE users SET created_at = now() - $2 * interval '1 day' WHERE id = $1", [user.id, days]);

  describe("of new accounts", () => {
    beforeEach(() => rememberSettings({ new_account_days: 7, new_account_daily_purchases: ["INR:25000"] }));

    it("hold for orders that are created at once, at every door, and say until when", async () => {
      const [user, plan] = await Promise.all([buildUser(), buildPlan({ price: 10_000 })]);
      const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(() => order(user)));
      const refused = answers.filter(({ status }) => status !== 201);
      expect(refused).to.have.length(4);
      for (const { status, body, headers } of refused) {
        expect([status, body.error.code]).to.deep.equal([403, "PURCHASE_LIMITED"]);
        expect(body.error.message).to.match(/at \d{4}-\d\d-\d\dT[\d:]+Z\.$/);
        expect(Number(headers.get("retry-after"))).to.be.within(86_000, 86_400);
      }
      const vip = await service.call("post", `/store/vip/${plan.id}/purchase`, { token: user.token, body: {} });
      expect(vip.body.error.code).to.equal("PURCHASE_LIMITED");
      const deposit = {
        kind: "deposit",
        amount: 10_000,
        currency: "INR",
        asset: "INR",
        credit: 1,
        title: "Deposit",
      } as const;
      expect(await outcomeOf(createOrder({ userId: user.id }, async () => deposit))).to.equal("PURCHASE_LIMITED");
      expect((await limits(user)).spent_currencies).to.deep.equal([]);
      expect((await order(user, 5000)).status).to.equal(201);
      expect((await limits(user)).spent_currencies).to.deep.equal(["INR"]);
    });

    it("don't hold for older accounts, other currencies, the next day, or after they were lifted", async () => {
      const [user, old] = await Promise.all([buildUser(), buildUser()]);
      await ageOf(old, 8);
      expect((await order(old, 99_000)).status).to.equal(201);
      await bought(user, 25_000);
      expect((await order(user)).status).to.equal(403);
      expect((await clear(user)).status).to.equal(200);
      expect((await order(user)).status).to.equal(201);
      const next = await buildUser();
      await bought(next, 25_000);
      await query("UPDATE payment_orders SET paid_at = paid_at - interval '25 hours' WHERE user_id = $1", [next.id]);
      expect((await order(next)).status).to.equal(201);
    });

    it("flag what a store has sold nevertheless, whose coins are credited", async () => {
      const [user, pack] = await Promise.all([buildUser(), buildPackage({ coins: 9 })]);
      const productId = await buildProduct({ coin_package_id: pack.id });
      const transactionId = `flag_${process.pid}_${pack.id.slice(-12)}`;
      await inTransaction((tx) =>
        recordPurchase(
          tx,
          {
            ...{ provider: "apple", environment: "sandbox", transactionId, originalTransactionId: transactionId },
            ...{ userId: null, item: { productId }, quantity: 1, price: { amount: 30_000, currency: "INR" } },
            ...{ purchasedAt: "2026-11-25T00:00:00.000Z", receipt: transactionId },
          },
          user.id,
        ),
      );
      const [stored] = await query("SELECT status, flag FROM payment_orders WHERE user_id = $1", [user.id]);
      expect([await walletBalance(user.id), stored]).to.deep.equal([9, { status: "paid", flag: "daily_sum" }]);
      const { payments } = (await service.admin("get", "/health", { token: admin.token })).body.data;
      expect(payments.flagged_orders).to.equal(1);
      const list = await service.admin("get", "/orders?flag=daily_sum", { token: admin.token });
      expect(list.body.data.items.map((one: { user_id: string }) => one.user_id)).to.deep.equal([user.id]);
      expect((await clear(user)).status).to.equal(200);
      expect(await countFlaggedOrders()).to.equal(0);
    });
  });

  it("refuse purchases after refunds, until they are old enough or an administrator lifts it", async () => {
    rememberSettings({ purchase_refunds_max: 2, purchase_refund_days: 30 });
    const user = await buildUser();
    const orders = [await bought(user), await bought(user)];
    await report(orders[0]!, "refund");
    expect((await order(user)).status).to.equal(201);
    await report(orders[1]!, "refund");
    const { status, body, headers } = await order(user);
    expect([status, body.error.code]).to.deep.equal([403, "PURCHASE_LIMITED"]);
    expect(Number(headers.get("retry-after"))).to.be.within(29 * 86_400, 30 * 86_400);
    expect((await limits(user)).blocked_until).to.be.a("string");
    expect((await clear(user)).body.data.blocked_until).to.equal(null);
    expect((await order(user)).status).to.equal(201);
  });

  describe("of gifts", () => {
    beforeEach(() => rememberSettings({ gift_hold_hours: 24 }));

    async function scene(coins: number) {
      const [user, recipient, gift] = await Promise.all([buildUser({ coins }), buildUser(), buildGift({ price: 10 })]);
      const { id: room_id } = await buildRoom({ host: recipient });
      const give = (quantity: number) =>
        outcomeOf(transferGift(callerOf(user), { room_id, gift_id: gift.id, recipient_id: recipient.id, quantity }));
      return { user, give };
    }

    it("keep coins of the last hours, of which gifts at once send none", async () => {
      const { user, give } = await scene(50);
      const [outcomes] = await Promise.all([Promise.all(Array.from({ length: 10 }, () => give(1))), bought(user)]);
      expect(outcomes.filter((outcome) => outcome === "ok")).to.have.length(5);
      expect(await give(1)).to.equal("COINS_HELD");
      expect(await walletBalance(user.id)).to.equal(100);
      await query("UPDATE payment_orders SET paid_at = paid_at - interval '25 hours' WHERE user_id = $1", [user.id]);
      expect(await give(10)).to.equal("ok");
    });

    it("free nothing by buying a frame, but what was paid for it", async () => {
      const { user, give } = await scene(50);
      const [at, frame] = [await bought(user), await buildFrame({ price: 60 })];
      await buyFrame(callerOf(user), { frameId: frame.id });
      expect(await give(6)).to.equal("COINS_HELD");
      expect(await give(5)).to.equal("ok");
      await report(at, "refund");
      expect(await walletBalance(user.id)).to.equal(0);
    });

    it("hold nothing after an administrator has lifted it, and nothing by default", async () => {
      const { user, give } = await scene(0);
      await bought(user);
      expect(await give(1)).to.equal("COINS_HELD");
      await clear(user);
      expect(await give(1)).to.equal("ok");
      await bought(user);
      rememberSettings({ gift_hold_hours: 0 });
      expect(await give(19)).to.equal("ok");
    });
  });

  it("of someone who doesn't exist are not found", async () => {
    const { status } = await service.admin("get", `/users/${newId()}/purchase-limits`, { token: admin.token });
    expect(status).to.equal(404);
  });
});
