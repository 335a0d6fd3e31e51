import { expect } from "chai";
import { permissions } from "#shared/contracts/permissions.ts";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { rememberSettings, settingDefault } from "#shared/domain/base/settings/settings.ts";
import { payShareDebts } from "#shared/domain/money/earnings/pay-share-debts.ts";
import { findDifferences } from "#shared/domain/money/ledger/check-ledger.ts";
import { receiveWebhook } from "#shared/domain/money/payments/receive-webhook.ts";
import { refundPayment } from "#shared/domain/money/payments/refund-payment.ts";
import { newId } from "#shared/kernel/ids.ts";
import { buildAdmin } from "#shared/testing/admins.ts";
import type { Payload } from "#shared/testing/clients/clients.ts";
import { buyStock } from "#shared/testing/earnings.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { giveCoins } from "#shared/testing/fakes/razorpay-scene.ts";
import { act } from "#shared/testing/pay.ts";
import { block, setStatus } from "#shared/testing/people.ts";
import { buildPackage, walletBalance } from "#shared/testing/sales.ts";
import { noEngine, useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";
import { adminRoutes } from "../../../admin/routes.ts";
import { exampleOf } from "../../../docs/example-of.ts";
import { apiRoutes } from "../../../routes.ts";

describe("coin sellers", () => {
  const service = useService();
  let root: { token: string };
  let seller: BuiltUser;
  before(async () => {
    root = await buildAdmin();
  });
  beforeEach(async () => {
    seller = await buildUser();
  });
  after(() => {
    const touched = ["seller_coins_bought", "refund_clawback"] as const;
    rememberSettings(Object.fromEntries(touched.map((key) => [key, settingDefault(key)])));
  });

  const admin = (method: string, path: string, body: object) =>
    service.admin(method, path, { token: root.token, body });
  const make = async (more: object = {}) =>
    (await admin("post", "/sellers", { user_id: seller.id, daily_limit: 1000, ...more })).body.data;
  /** Gives coins to the stock, as an administrator does. */
  const stock = (coins: number) =>
    admin("post", "/catalogue/balances/adjust", {
      user_id: seller.id,
      currency: "XCS",
      amount: String(coins),
      reason: "Stock",
    });
  const pass = (user: { id: string }, coins: number, key: string = newId(), from = seller) =>
    service.call("post", "/sellers/me/transfers", {
      token: from.token,
      body: { user_id: user.id, coins },
      headers: { "idempotency-key": key },
    });
  const codeOf = async (answer: ReturnType<typeof pass>) => (await answer).body.error?.code ?? "ok";
  const me = async () => (await service.call("get", "/sellers/me", { token: seller.token! })).body.data;
  const bought = async ({ id }: BuiltUser) =>
    (await query<{ bought: number }>("SELECT bought FROM wallets WHERE user_id = $1 AND asset = 'coins'", [id]))[0]!
      .bought;

  it("order stock at their discount, which is apart from their wallet, and pass it on", async () => {
    await make({ discount_basis_points: 2000 });
    const { id: package_id } = await buildPackage({ coins: 500, price: 10_000 });
    const { body } = await service.call("post", "/sellers/me/orders", {
      token: seller.token,
      body: { package_id },
      headers: { "idempotency-key": newId() },
    });
    expect(body.data.order).to.include({ kind: "deposit", amount: 8000, coins: 0 });
    const { body: told, headers } = await act(body.data.order.provider_order_id, "pay");
    await receiveWebhook("sandbox", Buffer.from(told), headers);
    expect([await me(), await walletBalance(seller.id)].map((one) => one.stock ?? one)).to.deep.equal([500, 0]);

    const ada = await buildUser();
    const key = newId();
    const answers = await Promise.all([pass(ada, 300, key), pass(ada, 300, key)]);
    expect(answers.map(({ body: { data } }) => data?.coins ?? 300)).to.deep.equal([300, 300]);
    expect([await walletBalance(ada.id), await bought(ada), (await me()).stock]).to.deep.equal([300, 0, 200]);
    for (const { token } of [seller, ada]) {
      const { items } = (await service.call("get", "/sellers/me/transfers", { token })).body.data;
      expect(items).to.have.length(1);
      expect(items[0]).to.include({ seller_id: seller.id, recipient_id: ada.id, coins: 300 });
    }
    const { items } = (await service.call("get", "/wallet/transactions", { token: ada.token })).body.data;
    expect(items[0]).to.include({ type: "seller_transfer", amount: 300 });
    await until("the recipient is notified", async () => {
      const { body: inbox } = await service.call("get", "/notifications", { token: ada.token });
      return inbox.data.items.some(({ type, data }: Payload) => type === "seller_coins" && data.coins === 300);
    });
    const { code, message } = (await pass(ada, 201)).body.error;
    expect([code, message]).to.deep.equal(["INSUFFICIENT_BALANCE", "The stock is insufficient."]);
  });

  it("owe what they have passed on of a refunded order, and pay it with the next one", async () => {
    const before = await findDifferences();
    await make();
    const { id: package_id } = await buildPackage({ coins: 500, price: 10_000 });
    const order = async () =>
      (
        await service.call("post", "/sellers/me/orders", {
          token: seller.token,
          body: { package_id },
          headers: { "idempotency-key": newId() },
        })
      ).body.data.order.provider_order_id;
    const tell = async (id: string, action: "pay" | "refund") => {
      const { body: told, headers } = await act(id, action);
      await receiveWebhook("sandbox", Buffer.from(told), headers);
      const { stock: left, debt } = await me();
      return [left, debt];
    };
    const first = await order();
    expect(await tell(first, "pay")).to.deep.equal([500, 0]);
    const ada = await buildUser();
    await pass(ada, 300);
    expect(await tell(first, "refund")).to.deep.equal([0, 300]);
    expect(await walletBalance(ada.id)).to.equal(300);
    expect(await tell(await order(), "pay")).to.deep.equal([200, 0]);
    expect((await findDifferences()).filter((text) => !before.includes(text))).to.deep.equal([]);
  });

  it("pass on coins that count as bought, if the settings say so", async () => {
    await make();
    await stock(100);
    rememberSettings({ seller_coins_bought: true });
    const ada = await buildUser();
    await pass(ada, 60);
    rememberSettings({ seller_coins_bought: false });
    await pass(ada, 40);
    expect([await walletBalance(ada.id), await bought(ada)]).to.deep.equal([100, 60]);
  });

  it("pass the limits of a day and of a recipient with none of 500 calls at once", async function () {
    this.timeout(60_000);
    await make({ daily_limit: 100, recipient_daily_limit: 60 });
    await stock(150);
    const [ada, grace] = [await buildUser(), await buildUser()];
    const codes = await Promise.all(Array.from({ length: 500 }, (_, n) => codeOf(pass(n % 2 ? ada : grace, 10))));
    expect(codes.filter((code) => code === "ok")).to.have.length(10);
    const [one, other] = [await walletBalance(ada.id), await walletBalance(grace.id)];
    expect([one + other, Math.max(one, other) <= 60]).to.deep.equal([100, true]);
  });

  it("can't sell to themselves, across blocks, to suspended accounts, or once they are no sellers", async () => {
    const [ada, eve] = [await buildUser(), await buildUser()];
    expect(await codeOf(pass(ada, 1))).to.equal("FORBIDDEN");
    const { id } = await make();
    await stock(100);
    await block(ada, seller);
    await setStatus(eve, "suspended");
    const codes = [pass(seller, 1), pass(ada, 1), pass(eve, 1), pass({ id: newId() }, 1)].map(codeOf);
    expect(await Promise.all(codes)).to.deep.equal(["FORBIDDEN", "BLOCKED", "NOT_FOUND", "NOT_FOUND"]);
    await admin("patch", `/sellers/${id}`, { is_active: false });
    expect(await codeOf(pass(await buildUser(), 1))).to.equal("FORBIDDEN");
  });

  it("get back what an administrator reverses once, and the recipient owes what they have spent", async () => {
    const before = await findDifferences();
    await make();
    await stock(100);
    const ada = await buildUser();
    const { id } = (await pass(ada, 100)).body.data;
    await giveCoins(ada, -70);
    const reverse = () => admin("post", `/seller-transfers/${id}/reverse`, { reason: "Stolen card" });
    const outcomes = await Promise.all([reverse(), reverse()]);
    expect(outcomes.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
    expect([(await me()).stock, await walletBalance(ada.id)]).to.deep.equal([100, 0]);
    for (const { token } of [seller, ada]) {
      const { items } = (await service.call("get", "/sellers/me/transfers", { token })).body.data;
      expect([items[0].id, typeof items[0].reversed_at]).to.deep.equal([id, "string"]);
      await until("both are notified", async () => {
        const { body: inbox } = await service.call("get", "/notifications", { token });
        return inbox.data.items.some(
          ({ type, data }: Payload) => type === "seller_reversed" && data.transfer_id === id,
        );
      });
    }
    const wallet = async () => (await service.call("get", "/wallet", { token: ada.token })).body.data;
    expect((await wallet()).debt).to.equal(70);
    await pass(ada, 90);
    await payShareDebts();
    expect([(await wallet()).debt, await walletBalance(ada.id)]).to.deep.equal([0, 20]);
    expect((await findDifferences()).filter((text) => !before.includes(text))).to.deep.equal([]);
  });

  it("tell recipients when a refund of their stock takes back what they had passed on", async () => {
    rememberSettings({ seller_coins_bought: true, refund_clawback: "shares" });
    await make();
    const payment = await buyStock(seller.id, 100);
    const ada = await buildUser();
    await pass(ada, 100);
    for (const amount of [30, 20])
      await inTransaction((tx) => refundPayment(tx, "sandbox", payment, { id: newId(), amount }));
    await until("the recipient is notified of each refund", async () => {
      const { body: inbox } = await service.call("get", "/notifications", { token: ada.token });
      const told = inbox.data.items.filter(({ type }: Payload) => type === "seller_reversed");
      return (
        told
          .map(({ data }: Payload) => data.coins)
          .sort()
          .join() === "20,30"
      );
    });
    expect(await walletBalance(ada.id)).to.equal(50);
  });

  /** Returns the codes of calls, in the order of the operations. */
  const codesOf = (calls: readonly Promise<{ body: { error?: { code: string } } }>[]) =>
    Promise.all(calls.map(async (call) => (await call).body.error?.code ?? "ok"));

  it("do what is theirs, and users, other sellers, and administrators nothing of it", async () => {
    const [other, user] = [await buildUser(), await buildUser()];
    await make();
    await stock(10);
    await make({ user_id: other.id });
    const { id: package_id } = await buildPackage({ coins: 5, price: 10_000 });
    const operations = [
      ["get", "/sellers/me"],
      ["get", "/sellers/me/statements/:period"],
      ["get", "/sellers/me/transfers"],
      ["post", "/sellers/me/orders", { package_id }],
      ["post", "/sellers/me/transfers", { user_id: user.id, coins: 1 }],
    ] as const;
    const known = apiRoutes({ actors: noEngine }).filter(({ path }) => path.startsWith("/sellers"));
    expect(known.map(({ method, path }) => `${method} ${path}`)).to.have.members(
      operations.map(([method, path]) => `${method} ${path}`),
    );
    const ask = (token?: string) =>
      codesOf(
        operations.map(([method, path, body]) =>
          service.call(method, path.replace(":period", "2026-01"), {
            ...(token && { token }),
            ...(body && { body, headers: { "idempotency-key": newId() } }),
          }),
        ),
      );
    const all = (code: string) => operations.map(() => code);
    expect(await ask(seller.token)).to.deep.equal(all("ok"));
    expect(await ask(other.token)).to.deep.equal(["ok", "ok", "ok", "ok", "INSUFFICIENT_BALANCE"]);
    expect(await ask(user.token)).to.deep.equal(["NOT_FOUND", "NOT_FOUND", "ok", "FORBIDDEN", "FORBIDDEN"]);
    expect(await ask(root.token)).to.deep.equal(all("UNAUTHENTICATED"));
    expect(await ask()).to.deep.equal(all("UNAUTHENTICATED"));
    const { items } = (await service.call("get", "/sellers/me/transfers", { token: other.token })).body.data;
    expect(items).to.deep.equal([]);
  });

  it("are managed by administrators whose role says so", async () => {
    const managing = adminRoutes({ actors: noEngine }).filter(({ path }) => /^\/seller/.test(path));
    expect(managing.length).to.be.at.least(8);
    const own = (permission: string) => permission.startsWith("sellers.");
    for (const allowed of [["sellers.read"], ["sellers.write"], permissions.filter((one) => !own(one))] as const) {
      const { token } = await buildAdmin(allowed);
      const codes = await codesOf(
        managing.map(({ method, path, params, body }) => {
          const ids = params ? (exampleOf(params) as Record<string, string>) : {};
          const at = path.replace(/:(\w+)/g, (_match, name: string) => ids[name]!);
          return service.admin(method, at, { token, ...(method !== "get" && { body: body ? exampleOf(body) : {} }) });
        }),
      );
      const refused = managing.map(
        ({ permission }) => !(allowed as readonly (string | undefined)[]).includes(permission),
      );
      expect(codes.map((code) => code === "FORBIDDEN")).to.deep.equal(refused);
    }
    const calls = managing.map(({ method, path }) =>
      service.admin(method, path.replace(":id", newId()), { token: seller.token! }),
    );
    expect(new Set(await codesOf(calls))).to.deep.equal(new Set(["UNAUTHENTICATED"]));
  });
});
