import { request } from "node:http";
import { expect } from "chai";
import { withDemoProviders } from "#shared/domain/identity/sign-in/demo-providers.ts";
import { configureOpenId } from "#shared/domain/identity/sign-in/openid.config.ts";
import { withDemoStore } from "#shared/domain/money/stores/apple/demo-store.ts";
import { configureStores } from "#shared/domain/money/stores/stores.config.ts";
import { daysMs } from "#shared/kernel/clock.ts";
import { publicAddress, setPublicAddress } from "#shared/kernel/public-address.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { buildPackage, buildPlan, buildProduct } from "#shared/testing/sales.ts";
import { noEngine, useService } from "#shared/testing/service.ts";
import { useApp } from "#shared/testing/use-app.ts";
import { makeApp } from "../app.ts";

const paths = ["/demo", "/demo/setup.json", "/demo/ledger.json", "/demo/phone.svg"];
const tokenPath = "/demo/id-token.json?provider=google&nonce=of-the-test";

describe("the demo's page", () => {
  const service = useService();
  const production = useApp(
    makeApp({
      actors: noEngine,
      privateOrigins: [],
      corsOrigins: ["*"],
      trustedProxies: [],
      rateLimits: false,
      serveApi: true,
      devPages: false,
    }),
  );

  it("is not found in production, nor is what it reads", async () => {
    for (const path of [...paths, tokenPath]) expect((await fetch(production.url + path)).status, path).to.equal(404);
  });

  it("is not readable by pages of other origins, or through another host name", async () => {
    const port = Number(new URL(service.url).port);
    for (const path of [...paths.slice(0, 3), tokenPath]) {
      const status = await new Promise((resolve) => {
        request({ port, path, headers: { host: "attacker.example" } }, (response) =>
          resolve(response.resume().statusCode),
        ).end();
      });
      expect(status, path).to.equal(404);
      expect((await fetch(service.url + path)).headers.has("access-control-allow-origin"), path).to.equal(false);
    }
  });

  it("allows nothing inline and nothing from elsewhere, and its files never change", async () => {
    const page = await fetch(`${service.url}/demo`);
    expect(page.headers.get("content-security-policy"))
      .to.include("default-src 'none'; script-src 'self'; style-src 'self'")
      .and.not.include("unsafe");
    expect(page.headers.get("cache-control")).to.equal("no-store");

    const [script] = /\/web\/assets\/[^"]+\.js/.exec(await page.text())!;
    const { headers } = await fetch(service.url + script);
    expect(headers.get("cache-control")).to.equal("public, max-age=31536000, immutable");
  });

  it("has a store that sells as Apple's does, refunds, renews, and cancels, unless Apple's is configured", async () => {
    const [user, pack, plan] = await Promise.all([buildUser(), buildPackage(), buildPlan()]);
    const [coins, vip] = [
      await buildProduct({ coin_package_id: pack.id }),
      await buildProduct({ vip_plan_id: plan.id }),
    ];
    const post = async (path: string, body: object, url = service.url) => {
      const headers = { "content-type": "application/json" };
      const response = await fetch(`${url}/demo/store/${path}.json`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
      return { status: response.status, body: (await response.json()) as { signed_transaction: string } };
    };
    const buy = async (product_id: string) => {
      const { signed_transaction } = (await post("buy", { user_id: user.id, product_id })).body;
      return service.call("post", "/payments/apple", { token: user.token, body: { signed_transaction } });
    };
    const get = async (path: string) => (await service.call("get", path, { token: user.token })).body.data;
    expect((await post("buy", { user_id: user.id, product_id: coins })).status).to.equal(404);

    configureStores(await withDemoStore({}, "development"));
    try {
      const { id, ...order } = (await buy(coins)).body.data;
      expect(order).to.include({ status: "paid", provider: "apple", amount: pack.price, currency: pack.currency });
      expect((await get("/wallet")).balance).to.equal(pack.coins);
      expect((await post("event", { event: "refund", of: id })).status).to.equal(200);
      expect([(await get(`/payments/orders/${id}`)).status, (await get("/wallet")).balance]).to.deep.equal([
        "refunded",
        0,
      ]);
      expect((await post("event", { event: "renew", of: id })).status).to.equal(404);

      await buy(vip);
      const [begun] = await get("/subscriptions");
      for (const event of ["renew", "cancel"]) await post("event", { event, of: begun.id });
      const [renewed] = await get("/subscriptions");
      expect([begun.status, renewed.status]).to.deep.equal(["active", "canceled"]);
      expect(Date.parse(renewed.current_period_ends_at)).to.equal(
        Date.parse(begun.current_period_ends_at) + daysMs(plan.duration_days),
      );
      expect((await post("buy", { user_id: user.id, product_id: "unknown" })).status).to.equal(404);
      expect((await post("buy", { user_id: user.id, product_id: coins }, production.url)).status).to.equal(404);

      const real = {
        apple: { environment: "sandbox", bundleId: "a.b", rootCertificates: [], onlineChecks: false },
      } as const;
      expect(await withDemoStore(real, "development")).to.equal(real);
      expect((await post("buy", { user_id: user.id, product_id: coins })).status).to.equal(404);
      expect(await withDemoStore({}, "production")).to.deep.equal({});
      expect((await post("buy", { user_id: user.id, product_id: coins })).status).to.equal(404);
    } finally {
      configureStores({});
    }
  });

  it("signs ID tokens in place of the providers that aren't configured", async () => {
    const nonce = "of-the-test";
    const token = async () => {
      const response = await fetch(service.url + tokenPath);
      return (await response.json()) as { id_token: string };
    };
    const logIn = async (path: string) =>
      service.call("post", path, { body: { ...(await token()), nonce } }).then(({ body }) => body.error?.code ?? "ok");
    expect((await fetch(service.url + tokenPath)).status).to.equal(404);

    configureOpenId(await withDemoProviders([]));
    const before = await token();
    expect([await logIn("/auth/apple"), await logIn("/auth/google"), await logIn("/auth/google")]).to.deep.equal([
      "INVALID_CREDENTIALS",
      "ok",
      "INVALID_CREDENTIALS",
    ]);

    const google = { name: "google", issuer: "https://accounts.google.com", clientIds: ["app"] };
    const [first, ...others] = await withDemoProviders([google]);
    expect([first, others.map(({ name }) => name)]).to.deep.equal([google, ["apple"]]);
    expect((await fetch(service.url + tokenPath)).status).to.equal(404);
    // The keys are those of one process.
    configureOpenId(await withDemoProviders([]));
    const old = await service.call("post", "/auth/google", { body: { ...before, nonce } });
    expect(old.body.error.code).to.equal("INVALID_CREDENTIALS");
    configureOpenId([]);
    await withDemoProviders([{ ...google }, { ...google, name: "apple" }]);
  });

  it("shows a code for phones only if they can reach the service", async () => {
    const setup = async () =>
      (await (await fetch(`${service.url}/demo/setup.json`)).json()) as { phone: string | null };
    const code = () => fetch(`${service.url}/demo/phone.svg?as=grace`);
    expect(await setup()).to.have.property("phone", null);
    expect((await code()).status).to.equal(404);

    const before = publicAddress();
    setPublicAddress("http://192.0.2.9:3000");
    try {
      expect(await setup()).to.have.property("phone", "http://192.0.2.9:3000/demo");
      expect(await (await code()).text()).to.match(/^<svg/);
    } finally {
      setPublicAddress(before);
    }
  });
});
