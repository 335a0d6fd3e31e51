import { request } from "node:http";
import { expect } from "chai";
import { withDemoProviders } from "#shared/domain/identity/sign-in/demo-providers.ts";
import { configureOpenId } from "#shared/domain/identity/sign-in/openid.config.ts";
import { publicAddress, setPublicAddress } from "#shared/kernel/public-address.ts";
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
