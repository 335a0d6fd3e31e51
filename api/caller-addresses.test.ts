import { request } from "node:http";
import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { configureLoginLimits } from "#shared/domain/identity/accounts/login-limits.ts";
import { configureStores } from "#shared/domain/money/stores/stores.config.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { configureApple } from "#shared/testing/fakes/apple-scene.ts";
import { FakeApple } from "#shared/testing/fakes/fake-apple.ts";
import { useGooglePlay } from "#shared/testing/fakes/google-play-scene.ts";
import { noEngine } from "#shared/testing/service.ts";
import { useApp } from "#shared/testing/use-app.ts";
import { allApis } from "./apis.ts";
import { makeApp } from "./app.ts";
import { exampleOf } from "./docs/example-of.ts";
import { rateLimitOf } from "./http/rate-limit.ts";

const appWith = (trustedProxies: string[]) =>
  makeApp({
    actors: noEngine,
    corsOrigins: ["*"],
    privateOrigins: [],
    trustedProxies,
    rateLimits: true,
    serveApi: true,
    devPages: false,
  });

interface Sent {
  readonly body?: object;
  /** What the caller claims their address is. */
  readonly forwarded?: string;
  /** The address on this machine that the call comes from. */
  readonly from?: string;
}

/** Calls from an address of our choice, which `fetch` can't. Resolves with the status. */
const call = (url: string, method: string, { body = {}, forwarded, from }: Sent) =>
  new Promise<number | undefined>((resolve, reject) => {
    const headers = { "content-type": "application/json", ...(forwarded && { "x-forwarded-for": forwarded }) };
    const sent = request(url, { method, headers, ...(from && { localAddress: from }) }, (response) =>
      resolve(response.resume().statusCode),
    );
    sent.on("error", reject).end(method === "GET" ? undefined : JSON.stringify(body));
  });

describe("the address of a caller", () => {
  useDatabase();
  before(() => configureLoginLimits({ enabled: true }));
  after(() => configureLoginLimits({ enabled: false }));

  describe("without trusted proxies", () => {
    // They count calls that no store has signed.
    const play = useGooglePlay();
    before(async () => configureApple(await FakeApple.start()));
    beforeEach(() => play.configure({ sender: { audience: "ours", email: "push@example.com" } }));
    after(() => configureStores({}));
    const served = useApp(appWith([]));
    const login = (identifier: string, tried: string, more: Sent) =>
      call(`${served.url}/api/v1/auth/login`, "POST", { body: { identifier, password: tried }, ...more });

    for (const api of allApis({ actors: noEngine }))
      for (const route of api.routes.filter((each) => rateLimitOf(api, each).by === "ip"))
        it(`can't be changed by a header: ${route.method} ${api.basePath}${route.path}`, async function () {
          this.timeout(60_000);
          const { points } = rateLimitOf(api, route);
          const examples = (route.params ? exampleOf(route.params) : {}) as Record<string, string>;
          const path = route.path.replace(/:(\w+)/g, (_match, name: string) => examples[name] ?? "x");
          const url = served.url + api.basePath + path;
          const statuses: (number | undefined)[] = [];
          for (let count = 0; count <= points; count += 1)
            statuses.push(await call(url, route.method.toUpperCase(), { forwarded: `203.0.113.${count}` }));

          expect(statuses).to.include(429);
        });

    it("locks out who guesses a password, and not the owner whose address they claim", async () => {
      const { username, password } = await buildUser();
      for (let tries = 0; tries < 12; tries += 1)
        await login(username, "a wrong password", { from: "127.0.0.7", forwarded: "127.0.0.8" });

      expect(await login(username, password, { from: "127.0.0.7" })).to.equal(429);
      expect(await login(username, password, { from: "127.0.0.8" })).to.equal(200);
    });
  });

  describe("with trusted proxies", () => {
    const served = useApp(appWith(["127.0.0.9", "10.0.0.0/8"]));
    const addressAfterLogin = async (more: Sent) => {
      const { id, username, password } = await buildUser();
      const body = { identifier: username, password };
      expect(await call(`${served.url}/api/v1/auth/login`, "POST", { body, ...more })).to.equal(200);
      const [session] = await query<{ ip: string }>(
        "SELECT ip FROM sessions WHERE user_id = $1 ORDER BY created_at DESC, id DESC LIMIT 1",
        [id],
      );
      return session?.ip;
    };

    it("is what they say", async () => {
      const forwarded = "198.51.100.1, 10.1.2.3";
      expect(await addressAfterLogin({ from: "127.0.0.9", forwarded })).to.equal("198.51.100.1");
    });

    it("is not what others say", async () => {
      expect(await addressAfterLogin({ from: "127.0.0.10", forwarded: "198.51.100.1" })).to.equal("127.0.0.10");
    });

    it("is the proxy's if they say what is no address", async () => {
      const forwarded = "<script>alert(1)</script>";
      expect(await addressAfterLogin({ from: "127.0.0.9", forwarded })).to.equal("127.0.0.9");
    });
  });
});
