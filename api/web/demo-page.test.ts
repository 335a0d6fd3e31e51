import { request } from "node:http";
import { expect } from "chai";
import { publicAddress, setPublicAddress } from "#shared/kernel/public-address.ts";
import { noEngine, useService } from "#shared/testing/service.ts";
import { useApp } from "#shared/testing/use-app.ts";
import { makeApp } from "../app.ts";

const paths = ["/demo", "/demo/setup.json", "/demo/ledger.json", "/demo/phone.svg"];

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
    for (const path of paths) expect((await fetch(production.url + path)).status, path).to.equal(404);
  });

  it("is not readable by pages of other origins, or through another host name", async () => {
    const port = Number(new URL(service.url).port);
    for (const path of paths.slice(0, 3)) {
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
