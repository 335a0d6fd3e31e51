import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { openOrdersMax } from "#shared/domain/money/payments/create-order.ts";
import { configurePayments } from "#shared/domain/money/payments/payments.config.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { useSandbox } from "#shared/testing/fakes/sandbox-payments.ts";
import { act, anotherPaymentId, payOtherwise, proofOf } from "#shared/testing/pay.ts";
import { buildPackage, buildProduct } from "#shared/testing/sales.ts";
import { type CallOptions, useService } from "#shared/testing/service.ts";

describe("payments", () => {
  const service = useService();

  const order = (user: BuiltUser, package_id: string, options: CallOptions = {}) =>
    service.call("post", "/payments/orders", { token: user.token, body: { package_id }, ...options });
  const verify = (user: BuiltUser, body: object, headers: Record<string, string> = {}) =>
    service.call("post", "/payments/verify", { token: user.token, body, headers });
  const orderOf = async (user: BuiltUser, id: string) =>
    (await service.call("get", `/payments/orders/${id}`, { token: user.token })).body.data;
  const balanceOf = async ({ token }: BuiltUser) => (await service.call("get", "/wallet", { token })).body.data.balance;

  /** A user with an unpaid order of 600 coins for 499.00. */
  async function ordered() {
    const [user, pack] = await Promise.all([buildUser(), buildPackage({ coins: 550, bonus_coins: 50, price: 49_900 })]);
    const { body } = await order(user, pack.id);
    const { id, provider_order_id: at } = body.data.order as { id: string; provider_order_id: string };
    return { user, pack, id, at, data: body.data };
  }

  describe("GET /coin-packages", () => {
    it("lists packages on sale in display order", async () => {
      const [user, dear, cheap, gone] = await Promise.all([
        buildUser(),
        buildPackage({ price: 900 }),
        buildPackage({ price: 800, bonus_coins: 7 }),
        buildPackage(),
      ]);
      await query("UPDATE coin_packages SET retired_at = now() WHERE id = $1", [gone.id]);
      const { status, body } = await service.call("get", "/coin-packages", { token: user.token });
      expect(status).to.equal(200);
      const listed: { id: string }[] = body.data;
      expect(listed.filter(({ id }) => [dear.id, cheap.id, gone.id].includes(id))).to.deep.equal([
        { ...cheap, name: `Package ${cheap.id}`, store_product_id: null },
        { ...dear, name: `Package ${dear.id}`, store_product_id: null },
      ]);
    });

    it("says which product an app buys at its store", async () => {
      const [user, pack] = await Promise.all([buildUser(), buildPackage()]);
      const [gone, apple, google] = [
        await buildProduct({ coin_package_id: pack.id }),
        await buildProduct({ coin_package_id: pack.id }),
        await buildProduct({ coin_package_id: pack.id }, { store: "google" }),
      ];
      await query("UPDATE store_products SET retired_at = now() WHERE product_id = $1", [gone]);
      const productOn = async (platform: string) => {
        const { body } = await service.call("get", `/coin-packages?platform=${platform}`, { token: user.token });
        return body.data.find(({ id }: { id: string }) => id === pack.id).store_product_id;
      };
      expect([await productOn("ios"), await productOn("android"), await productOn("web")]).to.deep.equal([
        apple,
        google,
        null,
      ]);
    });
  });

  describe("POST /payments/orders", () => {
    it("creates an order at the current price, and says where to pay", async () => {
      const { user, pack, id, at, data } = await ordered();
      expect(data.order).to.deep.include({
        kind: "coins",
        status: "created",
        amount: 49_900,
        currency: "INR",
        coins: 600,
        package_id: pack.id,
        plan_id: null,
        provider: "sandbox",
        paid_at: null,
      });
      expect(data.providerPayload).to.deep.equal({
        provider: "sandbox",
        order_id: at,
        amount: 49_900,
        currency: "INR",
        description: `Package ${pack.id}: 600 coins`,
        checkout_url: `${service.url}/sandbox/checkout/${at}`,
      });
      expect(await orderOf(user, id)).to.deep.equal(data.order);
      expect(await balanceOf(user)).to.equal(0);
    });

    it("rejects a package that is not on sale, and an invalid body", async () => {
      const [user, pack] = await Promise.all([buildUser(), buildPackage()]);
      expect((await order(user, newId())).body.error.code).to.equal("NOT_FOUND");
      await query("UPDATE coin_packages SET retired_at = now() WHERE id = $1", [pack.id]);
      expect((await order(user, pack.id)).body.error.code).to.equal("NOT_FOUND");
      for (const body of [
        {},
        { package_id: 1 },
        { package_id: pack.id, price: 1 },
        { package_id: pack.id, coins: 1e6 },
      ])
        expect((await order(user, "", { body })).body.error.code).to.equal("VALIDATION_ERROR");
    });

    it("repeats its first answer for a key; a different request needs another key", async () => {
      const [user, pack, other] = await Promise.all([buildUser(), buildPackage(), buildPackage()]);
      const headers = { "idempotency-key": newId() };
      const first = await order(user, pack.id, { headers });
      await act(first.body.data.order.provider_order_id, "pay");
      await verify(user, await proofOf(first.body.data.order.provider_order_id));
      await query("UPDATE coin_packages SET price = 1, retired_at = now() WHERE id = $1", [pack.id]);
      const again = await order(user, pack.id, { headers });
      expect([again.status, JSON.stringify(again.body)]).to.deep.equal([201, JSON.stringify(first.body)]);
      expect((await order(user, other.id, { headers })).body.error.code).to.equal("IDEMPOTENCY_CONFLICT");
      const answers = await Promise.all(
        Array.from({ length: 20 }, () =>
          order(user, other.id, { headers: { "idempotency-key": `${user.id} twenty` } }),
        ),
      );
      expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).to.equal(1);
      expect(await query("SELECT 1 FROM payment_orders WHERE user_id = $1", [user.id])).to.have.length(2);
    });

    it("charges the ordered price even if it changes before the payment", async () => {
      const { user, pack, id, at } = await ordered();
      await query("UPDATE coin_packages SET price = 1, coins = 999999, retired_at = now() WHERE id = $1", [pack.id]);
      await act(at, "pay");
      const { body } = await verify(user, await proofOf(at));
      expect(body.data).to.include({ id, status: "paid", amount: 49_900, coins: 600 });
      expect(await balanceOf(user)).to.equal(600);
    });

    it("rejects more open orders than a user may have, until one is paid or expires", async () => {
      const [user, pack] = await Promise.all([buildUser(), buildPackage()]);
      const answers = await Promise.all(Array.from({ length: openOrdersMax + 5 }, () => order(user, pack.id)));
      const made = answers.filter(({ status }) => status === 201);
      const refused = answers.filter(({ status }) => status !== 201);
      expect([made.length, refused.length]).to.deep.equal([openOrdersMax, 5]);
      for (const { status, body, headers } of refused) {
        expect([status, body.error.code]).to.deep.equal([429, "RATE_LIMITED"]);
        expect(Number(headers.get("retry-after"))).to.be.within(1, 1800);
      }

      await act(made[0]!.body.data.order.provider_order_id, "pay");
      await verify(user, await proofOf(made[0]!.body.data.order.provider_order_id));
      expect((await order(user, pack.id)).status).to.equal(201);
      expect((await order(user, pack.id)).status).to.equal(429);

      await query("UPDATE payment_orders SET expires_at = now() WHERE id = $1", [made[1]!.body.data.order.id]);
      expect((await order(user, pack.id)).status).to.equal(201);
    });

    it("fails when no provider is configured", async () => {
      const [user, pack] = await Promise.all([buildUser(), buildPackage()]);
      try {
        configurePayments({});
        const { status, body } = await order(user, pack.id);
        expect([status, body.error.code]).to.deep.equal([503, "ENGINE_UNAVAILABLE"]);
      } finally {
        useSandbox();
      }
    });
  });

  describe("GET /payments/orders/:id", () => {
    it("shows the caller's own orders only", async () => {
      const { id } = await ordered();
      const stranger = await buildUser();
      const missing = await service.call("get", `/payments/orders/${newId()}`, { token: stranger.token });
      const hidden = await service.call("get", `/payments/orders/${id}`, { token: stranger.token });
      expect([hidden.status, hidden.body]).to.deep.equal([404, missing.body]);
    });

    it("shows an order as expired as soon as its time is over", async () => {
      const { user, id } = await ordered();
      await query("UPDATE payment_orders SET expires_at = now() WHERE id = $1", [id]);
      expect(await orderOf(user, id)).to.include({ id, status: "expired", paid_at: null });
    });
  });

  describe("POST /payments/verify", () => {
    it("credits the coins once, under either name of the three values", async () => {
      const { user, id, at } = await ordered();
      await act(at, "pay");
      const proof = await proofOf(at);
      const branded = Object.fromEntries(
        Object.entries(proof).map(([name, value]) => [name.replace("payment_provider", "razorpay"), value]),
      );
      const first = await verify(user, branded);
      expect([first.status, first.body.data.status]).to.deep.equal([200, "paid"]);
      expect(Date.parse(first.body.data.paid_at)).to.be.closeTo(Date.now(), 60_000);
      expect(await verify(user, proof)).to.deep.include({ status: 200, body: first.body });
      expect(await orderOf(user, id)).to.deep.equal(first.body.data);
      expect(await balanceOf(user)).to.equal(600);
      const { data } = (await service.call("get", "/wallet/transactions", { token: user.token })).body;
      expect(data).to.include({ total: 1 });
      expect(data.items[0]).to.deep.include({
        type: "coin_purchase",
        direction: "credit",
        amount: 600,
        reference: { type: "payment_order", id },
      });
    });

    it("rejects a wrong signature before it looks at the payment", async () => {
      const { user, id, at } = await ordered();
      await act(at, "pay");
      const proof = await proofOf(at);
      const signature = proof.payment_provider_signature;
      for (const wrong of [
        "0",
        signature.slice(1),
        signature.toUpperCase(),
        `${signature}0`,
        signature.replace(/^./, "g"),
      ]) {
        const { status, body } = await verify(user, { ...proof, payment_provider_signature: wrong });
        expect([status, body.error.code]).to.deep.equal([400, "PAYMENT_SIGNATURE_INVALID"]);
      }
      const other = await verify(user, { ...proof, payment_provider_payment_id: anotherPaymentId() });
      expect(other.body.error.code).to.equal("PAYMENT_SIGNATURE_INVALID");
      expect(await orderOf(user, id)).to.include({ status: "created" });
      expect(await balanceOf(user)).to.equal(0);
    });

    it("finds only the caller's own order: others' orders look unknown", async () => {
      const { user, at } = await ordered();
      await act(at, "pay");
      const proof = await proofOf(at);
      const stranger = await buildUser();
      const stolen = await verify(stranger, proof);
      const missing = await verify(stranger, { ...proof, payment_provider_order_id: "order_sbxnobodys" });
      expect([stolen.status, stolen.body]).to.deep.equal([404, missing.body]);
      expect([await balanceOf(stranger), await balanceOf(user)]).to.deep.equal([0, 0]);
    });

    it("rejects a payment of another order, amount or currency despite a valid signature", async () => {
      for (const change of [{ amount: 100 }, { currency: "USD" }]) {
        const { user, id, at } = await ordered();
        await payOtherwise(at, change);
        const { status, body } = await verify(user, await proofOf(at));
        expect([status, body.error.code], JSON.stringify(change)).to.deep.equal([409, "CONFLICT"]);
        expect(await orderOf(user, id)).to.include({ status: "created" });
        expect(await balanceOf(user)).to.equal(0);
      }
    });

    it("fails when the payment was not captured", async () => {
      const { user, id, at } = await ordered();
      await act(at, "decline");
      expect((await verify(user, await proofOf(at))).body.error.code).to.equal("ORDER_NOT_PAYABLE");
      expect(await orderOf(user, id)).to.include({ status: "created" });
    });

    it("requires each of the three values once", async () => {
      const { user, at } = await ordered();
      await act(at, "pay");
      const proof = await proofOf(at);
      const wrong = [
        {},
        { ...proof, payment_provider_signature: undefined },
        { ...proof, payment_provider_payment_id: undefined },
        { ...proof, razorpay_signature: proof.payment_provider_signature },
        { ...proof, razorpay_order_id: at },
        { ...proof, payment_provider_order_id: `${at}|` },
        { ...proof, payment_provider_payment_id: "pay 1" },
        { ...proof, amount: 1 },
      ];
      for (const body of wrong) expect((await verify(user, body)).body.error.code).to.equal("VALIDATION_ERROR");
      const unsigned = { payment_provider_order_id: at };
      expect((await verify(user, unsigned)).body.error.code).to.equal("PAYMENT_SIGNATURE_INVALID");
    });

    it("honours an Idempotency-Key like every call that moves coins", async () => {
      const { user, at } = await ordered();
      await act(at, "pay");
      const headers = { "idempotency-key": newId() };
      const proof = await proofOf(at);
      const first = await verify(user, proof, headers);
      await query("UPDATE payment_orders SET paid_at = paid_at + interval '1 second' WHERE provider_order_id = $1", [
        at,
      ]);
      expect((await verify(user, proof, headers)).body).to.deep.equal(first.body);
      const { user: same, at: another } = {
        user,
        at: (await order(user, (await buildPackage()).id)).body.data.order.provider_order_id,
      };
      await act(another, "pay");
      expect((await verify(same, await proofOf(another), headers)).body.error.code).to.equal("IDEMPOTENCY_CONFLICT");
      expect(await balanceOf(user)).to.equal(600);
    });
  });
});
