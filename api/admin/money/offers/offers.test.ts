import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { rememberSettings } from "#shared/domain/base/settings/settings.ts";
import { type BuiltAdmin, buildAdmin } from "#shared/testing/admins.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { buildOffer, buildPackage } from "#shared/testing/sales.ts";
import { useService } from "#shared/testing/service.ts";
import { paymentsRoutes } from "../../../public/money/payments/payments.routes.ts";

describe("coupons", () => {
  const service = useService();
  let admin: BuiltAdmin;
  before(async () => {
    admin = await buildAdmin();
  });
  const call = (method: string, path: string, body?: object) =>
    service.admin(method, path, { token: admin.token, ...(body && { body }) });
  const redeem = ({ token }: { token: string }, code: string) =>
    service.call("post", `/payments/coupons/${code}`, { token });

  async function scene(terms: Readonly<Record<string, unknown>> = {}) {
    const pack = await buildPackage({ coins: 100, price: 10_000 });
    const offer = await buildOffer({ kind: "coupon", bonus_coins: 7, package_ids: [pack.id], ...terms });
    const [code] = (await call("post", `/offers/${offer}/coupons`, { count: 1 })).body.data.codes as [string];
    const shown = async ({ token }: { token: string }) =>
      (await service.call("get", "/coin-packages", { token })).body.data.find(
        ({ id }: { id: string }) => id === pack.id,
      ).offer;
    return { pack, offer, code, shown };
  }

  it("are created with codes that can't be guessed, which one user each can enter", async () => {
    const { pack, offer, code, shown } = await scene();
    const [user, other] = await Promise.all([buildUser(), buildUser()]);
    expect(code).to.match(/^[2-9A-HJ-NP-Z]{12}$/);
    expect(await shown(user)).to.equal(undefined);
    const opened = await redeem(user, code.toLowerCase());
    expect([opened.status, opened.body.data]).to.deep.equal([
      200,
      {
        offer_id: offer,
        name: opened.body.data.name,
        ...{ bonus_percent: 0, bonus_coins: 7, discount_percent: 0, package_ids: [pack.id], ends_at: null },
      },
    ]);
    expect(await shown(user)).to.include({ id: offer, bonus_coins: 7 });
    expect((await redeem(user, code)).status).to.equal(200);
    const [taken, unknown] = [await redeem(other, code), await redeem(other, "NEVER-MADE")];
    expect([taken.status, taken.body]).to.deep.equal([404, unknown.body]);
    expect(await shown(other)).to.equal(undefined);
  });

  it("are entered once by many at the same time", async () => {
    const { code, shown } = await scene();
    const users = await Promise.all(Array.from({ length: 8 }, () => buildUser()));
    const answers = await Promise.all(users.map((user) => redeem(user, code)));
    expect(answers.filter(({ status }) => status === 200)).to.have.length(1);
    expect((await Promise.all(users.map(shown))).filter(Boolean)).to.have.length(1);
  });

  it("that have ended, are retired, or are for others are not found", async () => {
    const user = await buildUser();
    const ended = await scene({ ends_at: "2020-01-01T00:00:00Z" });
    const others = await scene({ user_ids: [(await buildUser()).id] });
    const retired = await scene();
    await query("UPDATE coupons SET retired_at = now() WHERE code = $1", [retired.code]);
    for (const { code } of [ended, others, retired]) expect((await redeem(user, code)).status).to.equal(404);
  });

  it("can be tried ten times an hour", () => {
    const { rateLimit } = paymentsRoutes().find(({ id }) => id === "redeemCoupon")!;
    expect(rateLimit).to.deep.equal({ points: 10, seconds: 3600, by: "user" });
  });

  it("exist only for offers of their kind", async () => {
    const offer = await buildOffer({ bonus_percent: 5 });
    expect((await call("post", `/offers/${offer}/coupons`, { count: 1 })).body.error.code).to.equal("CONFLICT");
    const { body } = await call("post", "/coupons", { offer_id: offer, name: "Flyers", code: "WRONG-KIND" });
    expect(body.error.details[0].field).to.equal("offer_id");
  });
});

describe("an offer", () => {
  const service = useService();
  let admin: BuiltAdmin;
  before(async () => {
    admin = await buildAdmin();
  });
  afterEach(() => rememberSettings({ lowest_coin_prices: [] }));

  for (const [what, change, field] of [
    ["that gives nothing", { bonus_percent: 0 }, "bonus_percent"],
    ["that ends before it starts", { starts_at: "2099-01-02T00:00:00.000Z" }, "ends_at"],
    ["of a package that doesn't exist", { package_ids: ["0198f2a0-0000-7000-8000-000000000000"] }, "package_ids"],
    ["of happy hours without hours", { kind: "happy_hours", ends_at: null }, "hours"],
    ["of a campaign without an end", { ends_at: null }, "ends_at"],
    ["that sells below cost", { bonus_percent: 26 }, "bonus_percent"],
    ["that discounts below cost", { bonus_percent: 0, discount_percent: 21 }, "discount_percent"],
  ] as const)
    it(`${what} is refused in words`, async () => {
      const pack = await buildPackage({ coins: 100, price: 10_000, currency: "XAF" });
      rememberSettings({ lowest_coin_prices: ["XAF:80"] });
      const offer = {
        ...{ name: `Offer ${pack.id}`, kind: "campaign", bonus_percent: 25, package_ids: [pack.id] },
        ends_at: "2099-01-01T00:00:00.000Z",
      };
      const post = (body: object) => service.admin("post", "/offers", { token: admin.token, body });

      const { status, body } = await post({ ...offer, ...change });

      expect([status, body.error?.details[0].field]).to.deep.equal([400, field]);
      expect((await post(offer)).status).to.equal(201);
    });
});
