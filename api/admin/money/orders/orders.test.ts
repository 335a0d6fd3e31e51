import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { sendDueRefunds } from "#shared/domain/money/payments/request-refund.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type BuiltAdmin, buildAdmin } from "#shared/testing/admins.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { differencesOf, giveCoins, type Scene, useRazorpay } from "#shared/testing/fakes/razorpay-scene.ts";
import { act } from "#shared/testing/pay.ts";
import { buildPackage, walletBalance } from "#shared/testing/sales.ts";
import { useService } from "#shared/testing/service.ts";

describe("orders for administrators", () => {
  const service = useService();
  let admin: BuiltAdmin;

  const refund = (orderId: string, body: object = { reason: "Bought by mistake" }, key = newId()) =>
    service.admin("post", `/orders/${orderId}/refund`, {
      token: admin.token,
      body,
      headers: { "Idempotency-Key": key },
    });
  const details = async (path: string) => (await service.admin("get", path, { token: admin.token })).body;
  const requestsOf = async (orderId: string): Promise<string[]> =>
    (await details(`/orders/${orderId}`)).data.refund_requests.map(({ status }: { status: string }) => status);

  before(async () => {
    admin = await buildAdmin(["orders.read", "orders.write"]);
  });

  describe("at the sandbox", () => {
    async function order() {
      const [user, pack] = [await buildUser(), await buildPackage({ coins: 100 })];
      const { body } = await service.call("post", "/payments/orders", {
        token: user.token,
        body: { package_id: pack.id },
      });
      return { user, id: body.data.order.id as string, at: body.data.order.provider_order_id as string };
    }
    async function paidOrder() {
      const made = await order();
      const { body, headers } = await act(made.at, "pay");
      await service.call("post", "/payments/webhook/sandbox", { body, headers });
      return made;
    }

    it("are listed by status, user, provider's IDs, and time, and downloaded", async () => {
      const { user, id, at } = await paidOrder();
      const paymentId = (await details(`/orders/${id}`)).data.payments[0].provider_payment_id;
      const found = async (filter: string) =>
        (await details(`/orders?${filter}`)).data.items.map((item: { id: string }) => item.id);

      for (const filter of [
        `user_id=${user.id}&status=paid&kind=coins&provider=sandbox`,
        `provider_order_id=${at}`,
        `provider_payment_id=${paymentId}`,
        `user_id=${user.id}&from=2020-01-01T00:00:00.000Z&sort=amount`,
      ])
        expect(await found(filter), filter).to.deep.equal([id]);
      expect(await found(`user_id=${user.id}&status=refunded`)).to.deep.equal([]);
      expect(await found(`user_id=${user.id}&to=2020-01-01T00:00:00.000Z`)).to.deep.equal([]);
      expect((await details("/orders?status=lost")).error.code).to.equal("VALIDATION_ERROR");
      expect(String(await details(`/orders?user_id=${user.id}&format=csv`))).to.include(at);
    });

    it("are shown with payments and the provider's events", async () => {
      const { id, at, user } = await paidOrder();

      const { data } = await details(`/orders/${id}`);

      expect(data).to.deep.include({
        id,
        user_id: user.id,
        status: "paid",
        provider_order_id: at,
        refund_requests: [],
      });
      expect(data.payments[0]).to.include({ settles: true, refunded_amount: 0, amount: 9_900 });
      expect(data.events[0]).to.include({ type: "payment.captured", outcome: "paid" });
      expect(data.events[0].summary.payment.order_id).to.equal(at);
    });

    it("are refunded with their coins, those that were spent as a debt", async () => {
      const { id, user } = await paidOrder();
      await giveCoins(user, -30);

      const { body } = await refund(id);

      expect(body.data).to.include({ status: "refunded" });
      expect(body.data.payments[0]).to.include({ refunded_amount: 9_900 });
      expect(body.data.payments[0].refunds[0]).to.include({ coins: 100, debt_coins: 30 });
      expect(body.data.refund_requests[0]).to.include({ status: "succeeded", requested_by: admin.id });
      expect(await walletBalance(user.id)).to.equal(0);
      expect(await differencesOf(id, user.id)).to.deep.equal([]);
      const [entry] = await query("SELECT action, reason, before, after FROM audit_log WHERE target_id = $1", [id]);
      expect(entry).to.deep.equal({
        action: "order.refund",
        reason: "Bought by mistake",
        before: { status: "paid" },
        after: {
          refund_request_id: body.data.refund_requests[0].id,
          payment_id: body.data.payments[0].id,
          amount: 9_900,
          currency: "INR",
        },
      });
    });

    it("are refunded once, however often it is asked", async () => {
      const { id, user } = await paidOrder();
      const key = newId();

      const same = await Promise.all([1, 2].map(() => refund(id, undefined, key)));
      const again = await refund(id);

      expect(same.map(({ status }) => status)).to.deep.equal([200, 200]);
      expect([again.status, again.body.error.code]).to.deep.equal([409, "CONFLICT"]);
      expect(await requestsOf(id)).to.deep.equal(["succeeded"]);
      expect(await walletBalance(user.id)).to.equal(0);
    });

    it("reject a refund of what isn't paid, and bad input", async () => {
      const { id } = await order();

      for (const [target, body, code] of [
        [id, undefined, "CONFLICT"],
        [id, { reason: "x", payment_id: newId() }, "NOT_FOUND"],
        [newId(), undefined, "NOT_FOUND"],
        [id, { reason: "" }, "VALIDATION_ERROR"],
        [id, { reason: "x", amount: 1 }, "VALIDATION_ERROR"],
      ] as const)
        expect((await refund(target, body)).body.error.code).to.equal(code);
    });
  });

  describe("at Razorpay", () => {
    const razorpay = useRazorpay();
    async function paid(): Promise<Scene & { payment: ReturnType<typeof razorpay.fake.pay> }> {
      const scene = await razorpay.ordered();
      const payment = razorpay.fake.pay(scene.at);
      await razorpay.tell(razorpay.fake.webhook("payment.captured", payment));
      return { ...scene, payment };
    }
    const askAgain = async (orderId: string) => {
      await query(
        `UPDATE payment_refund_requests SET next_try_at = now()
         WHERE payment_id IN (SELECT id FROM payments WHERE order_id = $1)`,
        [orderId],
      );
      await sendDueRefunds();
    };

    for (const forgets of [false, true])
      it(`refund once when the answer was lost${forgets ? " and the key is forgotten" : ""}`, async () => {
        const { orderId, payment, shown } = await paid();
        razorpay.fake.trouble("lose the answer");

        const { status } = await razorpay.unanswered(() => refund(orderId));
        const unknown = [await requestsOf(orderId), await shown()];
        const twice = await refund(orderId);
        if (forgets) razorpay.fake.forgetKeys();
        await askAgain(orderId);

        expect(status).to.equal(200);
        expect(unknown).to.deep.equal([["pending"], ["paid", 100, 0]]);
        expect(twice.body.error.code).to.equal("CONFLICT");
        expect([await requestsOf(orderId), await shown()]).to.deep.equal([["succeeded"], ["refunded", 0, 0]]);
        expect(razorpay.fake.refunds.filter(({ payment_id }) => payment_id === payment.id)).to.have.length(1);
      });

    it("wait while Razorpay is unreachable, and end with the webhook", async () => {
      const { orderId, payment, shown } = await paid();
      razorpay.fake.trouble("fail", 2);

      await refund(orderId);
      await askAgain(orderId);
      const waiting = await requestsOf(orderId);
      const made = razorpay.fake.refund(payment);
      await razorpay.tell(razorpay.fake.webhook("refund.processed", payment, made));

      expect(waiting).to.deep.equal(["pending"]);
      expect([await requestsOf(orderId), await shown()]).to.deep.equal([["succeeded"], ["refunded", 0, 0]]);
    });

    for (const [outcome, request, order] of [
      ["processed", "succeeded", ["refunded", 0, 0]],
      ["failed", "failed", ["paid", 100, 0]],
    ] as const)
      it(`ask again about a pending refund, until it is ${outcome}, when no webhook comes`, async () => {
        const { orderId, payment, shown } = await paid();
        razorpay.fake.refundsAre = "pending";

        await refund(orderId);
        await askAgain(orderId);
        const waiting = [await requestsOf(orderId), await shown()];
        const [made, ...more] = razorpay.fake.refunds.filter(({ payment_id }) => payment_id === payment.id);
        made!.status = outcome;
        await askAgain(orderId);

        expect(waiting).to.deep.equal([["pending"], ["paid", 100, 0]]);
        expect([await requestsOf(orderId), await shown()]).to.deep.equal([[request], order]);
        expect(more).to.deep.equal([]);
      });

    it("keep the coins when Razorpay rejects the refund, and say why", async () => {
      const { orderId, payment, shown } = await paid();
      payment.amount_refunded = payment.amount;

      const { body } = await refund(orderId);

      expect(body.data.refund_requests[0].status).to.equal("failed");
      expect(body.data.refund_requests[0].failure).to.include("greater than the refund payment amount");
      expect(await shown()).to.deep.equal(["paid", 100, 0]);
    });
  });
});
