import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { configureMail, sendMail } from "#shared/domain/identity/mail/send.ts";
import { useBrowser } from "#shared/testing/clients/browser.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { noEngine, useService } from "#shared/testing/service.ts";
import { makeApp } from "../../../app.ts";

describe("GET /dev/outbox", () => {
  const service = useService();
  const browser = useBrowser();
  let ada: BuiltUser;
  const get = (search = "", accept = "*/*") => fetch(`${service.url}/dev/outbox${search}`, { headers: { accept } });

  before(async () => {
    configureMail({ keepsUnsent: true });
    ada = await buildUser();
    const link = "https://app.example.com/reset?token=a&b=%3Cb%3E";
    await sendMail({ userId: ada.id, address: ada.email }, "reset-password", { username: "ada", link, minutes: "30" });
  });

  it("returns JSON, newest first, filtered by recipient", async () => {
    const response = await get(`?to=${ada.email}`);
    expect(response.headers.get("content-type")).to.match(/^application\/json/);
    expect(response.headers.get("cache-control")).to.equal("no-store");
    const { success, data } = (await response.json()) as { success: boolean; data: { items: { html: string }[] } };
    expect(success).to.equal(true);
    expect(data.items).to.have.length(1);
    expect(data.items[0]).to.include({ channel: "mail", recipient: ada.email, subject: "Reset your Hubbub password" });
    expect(data.items[0]?.html).to.include("<!doctype html>");
    const all = (await (await get()).json()) as { data: { items: { recipient: string }[] } };
    expect(all.data.items.map(({ recipient }) => recipient)).to.include(ada.email);
  });

  it("returns a page to browsers, and the form that `format` asks for", async () => {
    const types = [
      await get("", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
      await get("?format=html"),
      await get("?format=json", "text/html"),
    ].map(({ headers }) => headers.get("content-type")?.split(";")[0]);
    expect(types).to.deep.equal(["text/html", "text/html", "application/json"]);
    expect((await get("?format=xml")).status).to.equal(400);
  });

  it("shows messages with links, under a strict policy", async () => {
    const page = await browser.current.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    const response = await page.goto(`${service.url}/dev/outbox?to=${ada.email}`);
    expect(response?.headers()["content-security-policy"]).to.include("default-src 'none'").and.not.include("unsafe");
    const article = page.getByRole("article");
    expect(await article.getByRole("heading").textContent()).to.equal("Reset your Hubbub password");
    expect(await article.textContent()).to.include(ada.email);
    expect(await article.getByRole("link").getAttribute("href")).to.equal(
      "https://app.example.com/reset?token=a&b=%3Cb%3E",
    );
    expect(complaints).to.deep.equal([]);
    await page.close();
  });

  it("is not readable by pages of other origins, or through another host name", async () => {
    const port = Number(new URL(service.url).port);
    const statusFor = (host: string) =>
      new Promise((resolve) => {
        request({ port, path: "/dev/outbox", headers: { host } }, (response) =>
          resolve(response.resume().statusCode),
        ).end();
      });

    expect((await get()).headers.has("access-control-allow-origin")).to.equal(false);
    expect(await statusFor("attacker.example")).to.equal(404);
    for (const host of ["127.0.0.1:3000", "localhost:3000", "[::1]:3000", "192.168.1.7"])
      expect(await statusFor(host), host).to.equal(200);
  });

  it("is not found in production", async () => {
    const app = makeApp({
      actors: noEngine,
      privateOrigins: [],
      corsOrigins: ["*"],
      trustedProxies: [],
      rateLimits: false,
      serveApi: true,
      devPages: false,
      readiness: async () => [],
    });
    const server = createServer(app).listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const [absent, nowhere] = await Promise.all(["/dev/outbox", "/dev/nowhere"].map((path) => fetch(url + path)));
    expect(absent?.status).to.equal(404);
    expect(JSON.stringify(await absent?.json())).to.equal(
      JSON.stringify(await nowhere?.json()).replaceAll("nowhere", "outbox"),
    );
    server.close();
  });
});
