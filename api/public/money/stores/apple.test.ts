import { generateKeyPairSync } from "node:crypto";
import { expect } from "chai";
import { query, queryOne } from "#shared/db/query.ts";
import { getWallet } from "#shared/domain/money/payments/payments.queries.ts";
import { consumptionJob } from "#shared/domain/money/stores/apple/send-consumption.ts";
import { restoredMax } from "#shared/domain/money/stores/restore-purchases.ts";
import { clock, daysMs } from "#shared/kernel/clock.ts";
import { newId } from "#shared/kernel/ids.ts";
import { buildAdmin } from "#shared/testing/admins.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { useApple } from "#shared/testing/fakes/apple-scene.ts";
import { differencesOf, giveCoins } from "#shared/testing/fakes/razorpay-scene.ts";
import { buildPlan, buildProduct } from "#shared/testing/sales.ts";
import { until } from "#shared/testing/until.ts";
import { useApp } from "#shared/testing/use-app.ts";

describe("purchases at Apple", () => {
  const apple = useApple();
  const codeOf = ({ body }: { body: { error?: { code: string } } }) => body.error?.code;
  const walletOf = async ({ id }: BuiltUser) => {
    const { balance, debt } = await getWallet(id);
    return [balance, debt];
  };

  it("become paid orders of what the store charged, once, however often they are presented", async () => {
    const { user, transaction } = await apple.bought({ quantity: 2, price: 19_980 });
    const answers = await Promise.all([1, 2, 3].map(() => apple.presentTransaction(user, transaction)));
    for (const { status, body } of answers) {
      expect(status).to.equal(200);
      expect(body.data).to.include({ status: "paid", provider: "apple", amount: 1998, currency: "USD", coins: 1200 });
      expect(body.data.provider_order_id).to.equal(transaction.transactionId);
    }
    expect(await walletOf(user)).to.deep.equal([1200, 0]);
    expect(await differencesOf(user.id, answers[0]!.body.data.id)).to.deep.equal([]);
  });

  it("keep the first answer for a repeated key", async () => {
    const { user, transaction } = await apple.bought();
    const signed = await apple.fake.sign(transaction);
    const headers = { "idempotency-key": newId() };
    const [first, second] = [await apple.present(user, signed, headers), await apple.present(user, signed, headers)];
    expect(second.body).to.deep.equal(first.body);
  });

  it("are credited by a notice although the app never came back", async () => {
    const { user, transaction } = await apple.bought();
    const { status } = await apple.tell("ONE_TIME_CHARGE", { transaction });
    expect(status).to.equal(200);
    expect(await walletOf(user)).to.deep.equal([600, 0]);
    expect((await apple.presentTransaction(user, transaction)).body.data.status).to.equal("paid");
    expect(await walletOf(user)).to.deep.equal([600, 0]);
  });

  it("belong to the first who presents them if they name no user", async () => {
    const { user, transaction } = await apple.bought({ appAccountToken: undefined });
    await apple.tell("ONE_TIME_CHARGE", { transaction });
    expect(await walletOf(user)).to.deep.equal([0, 0]);
    expect((await apple.presentTransaction(user, transaction)).status).to.equal(200);
    expect(codeOf(await apple.presentTransaction(await buildUser(), transaction))).to.equal("CONFLICT");
    expect(await walletOf(user)).to.deep.equal([600, 0]);
  });

  it("of products that aren't for sale are refused until they are", async () => {
    const user = await buildUser();
    const productId = `com.example.later.${newId()}`;
    const transaction = apple.fake.transaction(productId, { appAccountToken: user.id });
    expect(codeOf(await apple.presentTransaction(user, transaction))).to.equal("NOT_FOUND");
    await query("UPDATE store_products SET product_id = $2 WHERE product_id = $1", [apple.productId, productId]);
    expect((await apple.presentTransaction(user, transaction)).status).to.equal(200);
    await query("UPDATE store_products SET product_id = $1 WHERE product_id = $2", [apple.productId, productId]);
  });

  it("are taken back when Apple refunds them, with a debt, and given back when it reverses that", async () => {
    const { user, transaction } = await apple.bought();
    const orderId = (await apple.presentTransaction(user, transaction)).body.data.id;
    await giveCoins(user, -450);
    const refunded = { ...transaction, revocationDate: clock.now() - 40_000, revocationReason: 0 };
    const refund = await apple.fake.sign(await apple.fake.notice("REFUND", { transaction: refunded }));
    for (let time = 0; time < 3; time += 1) expect((await apple.tellSigned(refund)).status).to.equal(200);
    expect(await walletOf(user)).to.deep.equal([0, 450]);

    await apple.tell("REFUND_REVERSED", { transaction });
    expect(await walletOf(user)).to.deep.equal([150, 0]);
    await apple.tell("REFUND", { transaction: refunded });
    expect(await walletOf(user)).to.deep.equal([150, 0]);
    expect(await apple.outcomesOf(transaction.transactionId)).to.deep.equal([
      "REFUND refunded",
      "REFUND_REVERSED reversed",
      "REFUND refunded",
    ]);
    expect(await differencesOf(user.id, orderId)).to.deep.equal([]);
  });

  it("are taken back in part when Apple refunds a part", async () => {
    const { user, transaction } = await apple.bought();
    await apple.presentTransaction(user, transaction);
    const revoked = {
      revocationDate: clock.now() - 40_000,
      revocationType: "REFUND_PRORATED",
      revocationPercentage: 25_000,
    };
    await apple.tell("REFUND", { transaction: { ...transaction, ...revoked } });
    expect(await walletOf(user)).to.deep.equal([450, 0]);
  });

  it("buy nothing if they were refunded before they were delivered", async () => {
    const { user, transaction } = await apple.bought({ appAccountToken: undefined });
    await apple.tell("REFUND", { transaction: { ...transaction, revocationDate: clock.now() - 40_000 } });
    expect(codeOf(await apple.presentTransaction(user, transaction))).to.equal("ORDER_NOT_PAYABLE");
    expect(await walletOf(user)).to.deep.equal([0, 0]);
  });

  it("are restored each by itself", async () => {
    const { user, transaction } = await apple.bought();
    const { transaction: another } = await apple.bought();
    const signed = await Promise.all([transaction, another].map((one) => apple.fake.sign(one)));
    const body = { store: "apple", signed_transactions: [...signed, "nonsense"] };
    const { status, body: answer } = await apple.service.call("post", "/payments/restore", { token: user.token, body });
    expect(status).to.equal(200);
    const results: { order_id: string | null; error: string | null }[] = answer.data;
    expect(results.map(({ order_id, error }) => error ?? Boolean(order_id))).to.deep.equal([
      true,
      "CONFLICT",
      "PAYMENT_SIGNATURE_INVALID",
    ]);
    const wrong = { store: "google", signed_transactions: signed };
    const refused = await apple.service.call("post", "/payments/restore", { token: user.token, body: wrong });
    expect(codeOf(refused)).to.equal("VALIDATION_ERROR");
  });

  it("are restored fifty at once, which is more than other calls may send", async () => {
    const user = await buildUser();
    // As long as Apple's own, whose certificates are larger.
    const padding = "x".repeat(4000);
    const transaction = () => apple.fake.transaction(apple.productId, { appAccountToken: user.id, padding });
    const signed = await Promise.all(Array.from({ length: restoredMax }, () => apple.fake.sign(transaction())));
    const body = { store: "apple", signed_transactions: signed };
    expect(JSON.stringify(body).length).to.be.above(250_000);
    const restore = (more: string[]) =>
      apple.service.call("post", "/payments/restore", {
        token: user.token,
        body: { ...body, signed_transactions: [...signed, ...more] },
      });
    const { body: answer } = await restore([]);
    expect(answer.data.map(({ error }: { error: string | null }) => error)).to.deep.equal(signed.map(() => null));
    expect(codeOf(await restore(["one more"]))).to.equal("VALIDATION_ERROR");
    expect(codeOf(await restore(["x".repeat(300_000)]))).to.equal("PAYLOAD_TOO_LARGE");
  });

  it("are refunded by the store only", async () => {
    const { user, transaction } = await apple.bought();
    const { id } = (await apple.presentTransaction(user, transaction)).body.data;
    const body = { reason: "They asked" };
    const admin = await buildAdmin();
    const answer = await apple.service.admin("post", `/orders/${id}/refund`, { token: admin.token, body });
    expect(codeOf(answer)).to.equal("CONFLICT");
  });

  it("of kinds that we don't know, and tests of Apple, are recorded and change nothing", async () => {
    const { user, transaction } = await apple.bought();
    expect((await apple.tell("TEST")).status).to.equal(200);
    expect((await apple.tell("REFUND_DECLINED", { transaction })).status).to.equal(200);
    expect((await apple.tell("SOMETHING_NEW", { transaction })).status).to.equal(200);
    expect(await walletOf(user)).to.deep.equal([600, 0]);
  });

  it("are refused in production if they are the sandbox's, and the reverse", async () => {
    const { user, transaction } = await apple.bought();
    const real = { ...transaction, environment: "Production" };
    expect(codeOf(await apple.presentTransaction(user, real))).to.equal("PAYMENT_SIGNATURE_INVALID");
    apple.configure({ environment: "production" });
    try {
      expect(codeOf(await apple.presentTransaction(user, transaction))).to.equal("PAYMENT_SIGNATURE_INVALID");
      expect((await apple.presentTransaction(user, real)).status).to.equal(200);
    } finally {
      apple.configure();
    }
  });

  describe("of subscriptions", () => {
    async function subscribed(changes: object = {}) {
      const plan = await buildPlan();
      const productId = await buildProduct({ vip_plan_id: plan.id });
      const { user, transaction } = await apple.bought({
        productId,
        type: "Auto-Renewable Subscription",
        expiresDate: clock.now() + daysMs(30),
        ...changes,
      });
      const shown = async () => {
        const { body } = await apple.service.call("get", "/subscriptions", { token: user.token });
        return body.data[0];
      };
      return { user, plan, productId, transaction, shown };
    }

    it("renew, fail, recover, and end as Apple's notices say", async () => {
      const { user, transaction, shown } = await subscribed();
      const renewal = { originalTransactionId: transaction.transactionId, autoRenewProductId: transaction.productId };
      const tell = (type: string, status: number, more: object = {}, about: object = transaction) =>
        apple.tell(type, {
          transaction: about,
          renewal: { ...renewal, ...more },
          data: { status },
          signedDate: clock.now(),
        });

      await tell("SUBSCRIBED", 1);
      expect(await shown()).to.include({ status: "active", auto_renew: true, provider: "apple" });
      await tell("DID_CHANGE_RENEWAL_STATUS", 1, { autoRenewStatus: 0 });
      expect(await shown()).to.include({ status: "canceled", auto_renew: false });
      await tell("PRICE_INCREASE", 1, { priceIncreaseStatus: 0 });
      expect(await shown()).to.include({ status: "active", price_consent: "pending" });
      await tell("DID_FAIL_TO_RENEW", 4, { gracePeriodExpiresDate: clock.now() + daysMs(36) });
      expect((await shown()).grace_until).to.be.a("string");
      await tell("GRACE_PERIOD_EXPIRED", 3);
      expect(await shown()).to.include({ status: "retry", grace_until: null });
      const purchaseDate = transaction.expiresDate as number;
      const next = { ...transaction, transactionId: `${transaction.transactionId}9`, purchaseDate };
      await tell("DID_RENEW", 1, {}, { ...next, expiresDate: purchaseDate + daysMs(30) });
      expect(await shown()).to.include({
        status: "active",
        current_period_starts_at: new Date(purchaseDate).toISOString(),
      });
      await tell("EXPIRED", 2, { autoRenewStatus: 0 }, { ...next, expiresDate: purchaseDate + daysMs(30) });
      expect(await shown()).to.include({ status: "expired" });
      const orders = await query("SELECT 1 FROM payment_orders WHERE user_id = $1 AND status = 'paid'", [user.id]);
      expect(orders).to.have.length(2);
    });

    it("aren't brought back by what a device presents, and are canceled at the store", async () => {
      const { user, transaction, shown } = await subscribed({ price: 0, offerType: 1 });
      const renewal = { originalTransactionId: transaction.transactionId, autoRenewStatus: 0 };
      await apple.tell("DID_CHANGE_RENEWAL_STATUS", { transaction, renewal, data: { status: 1 } });
      const { body } = await apple.presentTransaction(user, { ...transaction, signedDate: clock.now() });
      expect(body.data).to.include({ kind: "vip", status: "paid", amount: 0 });
      const { id, status } = await shown();
      expect(status).to.equal("canceled");
      const cancel = (token: string) => apple.service.call("post", `/subscriptions/${id}/cancel`, { token });
      expect((await cancel(user.token)).body.data.manage_url).to.match(/^https:\/\/apps\.apple\.com\//);
      expect(codeOf(await cancel((await buildUser()).token))).to.equal("NOT_FOUND");
    });

    it("last as long as Apple extends them, once, and buy another plan next when the user chooses it", async () => {
      const { user, transaction, shown } = await subscribed();
      const vipEnds = async () =>
        (await queryOne<{ ends: number }>(
          `SELECT (extract(epoch FROM ends_at) * 1000)::bigint AS ends FROM vip_periods WHERE user_id = $1`,
          [user.id],
        ))!.ends;
      const renewal = { originalTransactionId: transaction.transactionId, autoRenewProductId: transaction.productId };
      await apple.presentTransaction(user, transaction);
      await until("VIP has begun", () => vipEnds().catch(() => undefined));

      const expiresDate = (transaction.expiresDate as number) + daysMs(14);
      const extended = { transaction: { ...transaction, expiresDate }, renewal, data: { status: 1 } };
      for (let times = 0; times < 2; times += 1)
        await apple.tell("RENEWAL_EXTENDED", { ...extended, signedDate: clock.now() });
      expect((await shown()).current_period_ends_at).to.equal(new Date(expiresDate).toISOString());
      expect(await vipEnds()).to.equal(expiresDate);
      // Its summary names no transaction.
      expect((await apple.tell("RENEWAL_EXTENSION", { subtype: "SUMMARY" })).status).to.equal(200);

      const other = await buildPlan();
      const autoRenewProductId = await buildProduct({ vip_plan_id: other.id });
      const changed = { ...extended, renewal: { ...renewal, autoRenewProductId }, signedDate: clock.now() };
      await apple.tell("DID_CHANGE_RENEWAL_PREF", { subtype: "DOWNGRADE", ...changed });
      expect((await shown()).pending_plan_id).to.equal(other.id);
      expect(await vipEnds()).to.equal(expiresDate);
    });

    it("that Apple revokes lose their period", async () => {
      const { user, transaction, shown } = await subscribed();
      await apple.presentTransaction(user, transaction);
      const revoked = { ...transaction, revocationDate: clock.now() - 40_000, revocationType: "FAMILY_REVOKE" };
      const renewal = { originalTransactionId: transaction.transactionId, autoRenewStatus: 0 };
      await apple.tell("REVOKE", { transaction: revoked, renewal, data: { status: 5 } });
      expect((await shown()).status).to.equal("revoked");
      expect(await queryOne("SELECT status FROM payment_orders WHERE user_id = $1", [user.id])).to.deep.equal({
        status: "refunded",
      });
    });
  });

  describe("that Apple asks about", () => {
    const asked: { path: string; authorization: string; body: Record<string, unknown> }[] = [];
    let failures = 0;
    const server = useApp((req, res) => {
      let text = "";
      req.on("data", (part) => {
        text += part;
      });
      req.on("end", () => {
        asked.push({ path: req.url!, authorization: `${req.headers.authorization}`, body: JSON.parse(text) });
        failures -= 1;
        res.writeHead(failures >= 0 ? 500 : 202).end();
      });
    });

    it("are answered by how much of them was used, again if Apple doesn't respond", async () => {
      const { user, transaction } = await apple.bought();
      await apple.presentTransaction(user, transaction);
      await giveCoins(user, -150);
      const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
      apple.configure({
        baseUrl: server.url,
        privateKey: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
      });
      failures = 1;
      await apple.tell("CONSUMPTION_REQUEST", { transaction });
      const jobs = () =>
        query<{ state: string }>(
          "SELECT state::text FROM pgboss.job WHERE name = $1 AND data ->> 'transaction_id' = $2",
          [consumptionJob.name, transaction.transactionId],
        );
      await until("the job is done", async () => (await jobs())[0]?.state === "completed");
      apple.configure();

      expect(await jobs()).to.have.length(1);
      expect(asked).to.have.length(2);
      const { path, authorization, body } = asked[1]!;
      expect(path).to.match(new RegExp(`^/inApps/v2/transactions/consumption/${transaction.transactionId}\\??$`));
      expect(authorization).to.match(/^Bearer ey/);
      expect(body).to.deep.equal({
        customerConsented: true,
        consumptionPercentage: 25_000,
        deliveryStatus: "DELIVERED",
        sampleContentProvided: false,
      });
    });
  });
});
