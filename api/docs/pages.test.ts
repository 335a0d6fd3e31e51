import { expect } from "chai";
import type { Page } from "playwright-core";
import { clientEvents } from "#shared/contracts/client-events.ts";
import { serverEvents } from "#shared/contracts/events.ts";
import { games } from "#shared/domain/games/games.ts";
import { errorCodes } from "#shared/kernel/error-codes.ts";
import { useBrowser } from "#shared/testing/clients/browser.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";
import { describe as describeSchema } from "./json-schema.ts";
import type { OpenApi } from "./openapi.ts";

/** Scrolls on; false at the end. Of a large document, Swagger UI keeps only what is near the viewport in the page. */
const scrollOn = `new Promise((resolve) => {
  const before = scrollY;
  scrollBy({ top: innerHeight / 2, behavior: "instant" });
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(scrollY > before)));
})`;

describe("the pages of documents", () => {
  const service = useService();
  const browser = useBrowser();
  let page: Page;
  let complaints: string[] = [];
  let elsewhere: string[] = [];

  beforeEach(async () => {
    complaints = [];
    elsewhere = [];
    page = await browser.current.newPage();
    page.setDefaultTimeout(50_000);
    // Failures by the content policy are console errors too.
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("requestfailed", (request) => {
      // The browser itself gives up what still loads when a test goes on to the next page.
      if (request.failure()?.errorText !== "net::ERR_ABORTED") complaints.push(`failed: ${request.url()}`);
    });
    page.on("request", (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol !== "data:" && origin !== service.url) elsewhere.push(request.url());
    });
  });

  afterEach(async () => {
    await page.close();
    expect(complaints, "what the browser complains of").to.deep.equal([]);
    expect(elsewhere, "requests to other places").to.deep.equal([]);
  });

  const document = async (file = "openapi.json"): Promise<OpenApi> =>
    (await (await fetch(`${service.url}/${file}`)).json()) as OpenApi;

  for (const [path, file] of [
    ["/docs", "openapi.json"],
    ["/docs/admin", "admin.openapi.json"],
    ["/docs/catalogue", "catalogue/openapi.json"],
  ] as const)
    it(`lists every operation in the reference ${path}`, async () => {
      const { paths } = await document(file);
      const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
      await page.goto(`${service.url}${path}`);
      await page.locator(".opblock").first().waitFor();

      const shown = new Set<string>();
      do for (const text of await page.locator(".opblock-summary-description").allTextContents()) shown.add(text);
      while (await page.evaluate(scrollOn));

      expect([...shown]).to.have.members([...new Set(operations.map(({ summary }) => summary))]);
    });

  it("opens an operation with its example and its errors", async () => {
    await page.goto(`${service.url}/docs`);
    const operation = page.locator(".opblock", { hasText: "/auth/login" });
    await operation.locator(".opblock-summary-control").click();
    await operation.locator('.response[data-code="200"]', { hasText: '"success"' }).waitFor();
    await operation.locator('.response[data-code="400"]', { hasText: "VALIDATION_ERROR" }).waitFor();
    await operation.locator('.response[data-code="401"]', { hasText: "INVALID_CREDENTIALS" }).waitFor();
  });

  it("sends a call from the reference", async () => {
    await page.goto(`${service.url}/docs`);
    const operation = page.locator(".opblock", { hasText: "/config/public" });
    await operation.locator(".opblock-summary-control").click();
    await operation.locator(".try-out__btn").click();
    await operation.locator(".execute").click();
    await operation.locator(".live-responses-table", { hasText: "app_name" }).waitFor();
  });

  it("keeps the token that was entered when the page is reloaded", async () => {
    const { token } = await buildUser();
    await page.goto(`${service.url}/docs`);
    await page.locator(".auth-wrapper .authorize").click();
    await page.locator(".modal-ux input").fill(token);
    await page.locator(".modal-ux .auth-btn-wrapper .authorize").click();
    await page.locator(".modal-ux .btn-done").click();
    await page.reload();

    await page.locator(".auth-wrapper .authorize.locked").waitFor();
  });

  it("fits a phone, and has its contents beside the text where there is room", async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    for (const path of ["/", "/docs/events", "/docs/errors"]) {
      await page.goto(service.url + path);
      expect(await page.evaluate("document.documentElement.scrollWidth"), path).to.be.at.most(390);
    }

    await page.setViewportSize({ width: 1400, height: 800 });
    await page.goto(`${service.url}/docs/events#shapes`);
    const [menu, text] = [page.locator(".contents"), page.locator("#shapes")];
    const [at, beside] = [await menu.boundingBox(), await text.boundingBox()];
    expect(at!.y).to.be.within(0, 800);
    expect(at!.x + at!.width).to.be.at.most(beside!.x);
  });

  it("follows the reader's colour scheme", async () => {
    const background = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    await page.goto(`${service.url}/docs`);
    await page.emulateMedia({ colorScheme: "dark" });
    await page.locator("html.dark-mode").waitFor();
    const dark = await background();
    await page.emulateMedia({ colorScheme: "light" });
    await page.locator("html:not(.dark-mode)").waitFor();
    expect(await background()).not.to.equal(dark);
  });

  it("names every error code, with an anchor", async () => {
    await page.goto(`${service.url}/docs/errors`);
    for (const [code, { meaning }] of Object.entries(errorCodes)) {
      const entry = page.locator(`[id="${code}"]`);
      expect(await entry.locator("dt").textContent()).to.equal(code);
      expect(await entry.locator("dd").first().textContent()).to.equal(meaning);
    }
  });

  it("shows every event with its payload, without any script", async () => {
    const plain = await browser.current.newContext({ javaScriptEnabled: false });
    const shown = await plain.newPage();
    await shown.goto(`${service.url}/docs/events`);
    for (const [kind, table] of Object.entries({ request: clientEvents, push: serverEvents }))
      for (const [event, { payload, summary }] of Object.entries(table)) {
        const entry = shown.locator(`[id="${kind}.${event.replaceAll(":", ".")}"]`);
        expect(await entry.locator("h3 a").textContent()).to.equal(event);
        expect(await entry.locator("p").first().textContent()).to.equal(`${summary}.`);
        const members = await entry.locator("table").first().locator("td:first-child code").allTextContents();
        expect(members, event).to.include.members(Object.keys(describeSchema(payload).keys ?? {}));
        expect(await entry.locator("details pre").first().textContent()).to.include("{");
      }
    const { description } = games.get("ludo")!.meta;
    expect(await shown.locator("#LudoSession p").first().textContent()).to.equal(description);
    await plain.close();
  });

  it("links within the page of events to what is there", async () => {
    await page.goto(`${service.url}/docs/events`);
    const anchors = await page
      .locator('main a[href^="#"]')
      .evaluateAll((links) => links.map((link) => link.getAttribute("href")!.slice(1)));
    const ids = await page.locator("[id]").evaluateAll((found) => found.map(({ id }) => id));
    expect(anchors.filter((anchor) => !ids.includes(anchor))).to.deep.equal([]);
    const codes = await page
      .locator('main a[href^="/docs/errors#"]')
      .evaluateAll((links) => links.map((link) => link.textContent));
    expect(
      codes.filter((code) => code && code !== "error reference" && !Object.hasOwn(errorCodes, code)),
    ).to.deep.equal([]);
  });

  it("leads from the first page to pages that are there", async () => {
    await page.goto(service.url);
    const links = await page.locator("main a").evaluateAll((found) => found.map((link) => link.getAttribute("href")));
    expect(links).to.include.members([
      "/docs",
      "/docs/events",
      "/docs/errors",
      "/openapi.json",
      "/asyncapi.json",
      "/healthz",
      "/readyz",
      "/dev/outbox",
    ]);
    for (const link of links) expect((await fetch(`${service.url}${link}`)).status, String(link)).to.equal(200);
  });

  it("sends a policy that allows nothing inline and nothing from elsewhere", async () => {
    for (const path of ["/", "/docs", "/docs/events", "/docs/errors"]) {
      const { headers } = await fetch(`${service.url}${path}`);
      const policy = headers.get("content-security-policy");
      expect(policy).to.include("default-src 'none'").and.not.include("unsafe");
      expect(headers.get("content-type")).to.equal("text/html; charset=utf-8");
    }
  });

  it("serves of its folders only what the pages load", async () => {
    for (const file of ["index.html", "package.json", "../pages.ts", "%2e%2e/pages.ts"]) {
      expect((await fetch(`${service.url}/docs/assets/${file}`)).status, file).to.equal(404);
    }
  });
  // Swagger UI takes long over a document of this size when the machine has much else to do.
}).timeout(60_000);
