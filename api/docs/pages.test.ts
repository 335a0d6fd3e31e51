import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { clientEvents } from "#shared/contracts/client-events.ts";
import { serverEvents } from "#shared/contracts/events.ts";
import { games } from "#shared/domain/live/games/games.ts";
import { seedDemo } from "#shared/domain/operations/demo/seed-demo.ts";
import { errorCodes } from "#shared/kernel/error-codes.ts";
import { escapeHtml } from "#shared/kernel/escape-html.ts";
import { useBrowser } from "#shared/testing/clients/browser.ts";
import { closeClients } from "#shared/testing/clients/clients.ts";
import { freeDemoNames } from "#shared/testing/demo-data.ts";
import { recordTimeline } from "#shared/testing/record-timeline.ts";
import { useService } from "#shared/testing/service.ts";
import { describe as describeSchema } from "./json-schema.ts";
import type { OpenApi } from "./openapi.ts";

interface Sample {
  readonly label: string;
  readonly source: string;
}
const AsyncFunction = (async () => {}).constructor as new (...parts: string[]) => (token: string) => Promise<unknown>;

describe("the pages of documents", () => {
  const service = useService();
  const browser = useBrowser();
  before(async () => {
    await freeDemoNames();
    await seedDemo();
  });
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

  it("serves all guides, whose links lead to something, and finds them", async () => {
    const read = new Map<string, Promise<string | undefined>>();
    const readMarkup = async (path: string) => {
      const response = await fetch(service.url + path);
      return response.ok ? response.text() : undefined;
    };
    const markupOf = (path: string) => {
      if (!read.has(path)) read.set(path, readMarkup(path));
      return read.get(path);
    };
    const hrefsIn = (markup: string) => [...markup.matchAll(/<a href="([^"]+)"/g)].map(([, href]) => href!);
    const list = (await markupOf("/docs/guides"))!;
    const paths = [...new Set(hrefsIn(list).filter((href) => href.startsWith("/docs/guides/")))];
    expect(paths).to.include.members(["operations", "security", "upgrading"].map((slug) => `/docs/guides/${slug}`));
    const found = (await (await fetch(`${service.url}/docs/search.json`)).json()) as { href: string }[];

    for (const path of paths) {
      const markup = (await markupOf(path))!;
      expect(found.map(({ href }) => href)).to.include(path);
      for (const href of hrefsIn(markup).filter((one) => /^[/#]/.test(one))) {
        const [target, anchor] = href.split("#") as [string, string?];
        const there = target ? await markupOf(target) : markup;
        expect(there, `${href} in ${path}`).to.be.a("string");
        // A script of the reference finds its own anchors.
        if (anchor && !anchor.startsWith("/")) expect(there, `${href} in ${path}`).to.include(`id="${anchor}"`);
      }
    }
  });

  for (const [path, file] of [
    ["/docs", "openapi.json"],
    ["/docs/admin", "admin.openapi.json"],
    ["/docs/catalogue", "catalogue/openapi.json"],
  ] as const)
    it(`lists every operation in the menu of the reference ${path}`, async () => {
      const { paths } = await document(file);
      const markup = await (await fetch(service.url + path)).text();

      for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
        const [tag] = operation.tags as string[];
        const href = `${path}#/${encodeURIComponent(tag!)}/${operation.operationId}`;
        expect(markup).to.include(`<a href="${href}">${escapeHtml(operation.summary)}</a>`);
      }
    });

  it("answers 405 to another method, with the allowed ones", async () => {
    for (const path of ["/", "/docs", "/docs/errors", "/openapi.json"]) {
      const { status, headers } = await fetch(service.url + path, { method: "POST" });
      expect([path, status, headers.get("allow")]).to.deep.equal([path, 405, "GET, HEAD"]);
    }
  });

  it("opens an operation from the menu, with its example, its errors, and samples of requests", async () => {
    await page.goto(`${service.url}/docs#/Rooms/listRooms`);
    const before = page.locator(".opblock.is-open .parameters tr", { hasText: "next_before" });
    expect(await before.locator("input").inputValue(), "only what the call needs").to.equal("");
    expect(await before.textContent()).to.include("Example: 12_");
    await page
      .locator(".menu a", { hasText: /^Log in$/ })
      .first()
      .click();
    const operation = page.locator(".opblock.is-open", { hasText: "/auth/login" });
    const isSeen = "document.querySelector('[id$=\"-logIn\"]').getBoundingClientRect().top < innerHeight";
    await page.waitForFunction(isSeen);
    await operation.locator('.response[data-code="200"]', { hasText: '"success"' }).waitFor();
    await operation.locator('.response[data-code="400"]', { hasText: "VALIDATION_ERROR" }).waitFor();
    await operation.locator('.response[data-code="401"]', { hasText: "INVALID_CREDENTIALS" }).waitFor();
    for (const [label, text] of [
      ["curl", `curl '${service.url}/api/v1/auth/login'`],
      ["Typed client", 'hubbub.request("logIn"'],
      ["fetch", "await fetch("],
    ]) {
      await operation.getByRole("button", { name: label!, exact: true }).click();
      await operation.locator(".samples pre", { hasText: text! }).waitFor();
    }
  });

  it("logs in as Ada and calls an operation of her room, with two clicks, also on a phone", async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    await page.goto(`${service.url}/docs#/Rooms/joinRoom`);
    await page.getByRole("button", { name: "Log in as Ada" }).click();
    await page.getByRole("button", { name: "Log in as Ada", pressed: true }).waitFor();
    const operation = page.locator(".opblock.is-open", { hasText: "Join a room" });
    await operation.locator(".execute").click();

    await operation.locator(".live-responses-table", { hasText: '"name": "Night owls"' }).waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).to.be.at.most(390);
  });

  it("prints samples of requests that work, with IDs of the demo data", async () => {
    const { samplesOf } = await import(new URL("./static/samples.js", import.meta.url).href);
    const login = await fetch(`${service.url}/dev/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ as: "ada" }),
    });
    const { data } = (await login.json()) as { data: { token: string; examples: Record<string, string> } };
    const examples = Object.entries(data.examples);
    const samples = (await Promise.all(["openapi.json", "admin.openapi.json", "catalogue/openapi.json"].map(document)))
      .map((one) => examples.reduce((text, [example, id]) => text.replaceAll(example, id), JSON.stringify(one)))
      .flatMap((text) => {
        const { paths, servers } = JSON.parse(text) as OpenApi & { servers: { url: string }[] };
        const basePath = servers[0]!.url;
        return Object.entries(paths).flatMap(([path, methods]) =>
          Object.entries(methods).map(([method, operation]) => ({
            isSocial: basePath === "/api/v1",
            method,
            id: operation.operationId,
            printed: samplesOf({ origin: service.url, basePath, path, method, operation }) as Sample[],
          })),
        );
      });
    const sourceOf = ({ printed }: (typeof samples)[number], label: string) =>
      printed.find((sample) => sample.label === label)!.source;
    const failed: string[] = [];
    // Members of a room see its lobbies.
    await new AsyncFunction("token", sourceOf(samples.find(({ id }) => id === "joinRoom")!, "fetch"))(data.token);
    for (const sample of samples) {
      const call = new AsyncFunction("token", sourceOf(sample, "fetch"));
      if (sample.method === "get" && sample.isSocial)
        await call(data.token).catch((error: Error) => failed.push(`${sample.id} ${error.message.split(":")[0]}`));
    }
    // What Ada has not done yet has no ID.
    expect(failed).to.deep.equal([
      "listWebhookDeliveries NOT_FOUND",
      "getAgency NOT_FOUND",
      "listAgencyHosts NOT_FOUND",
      "listHostProgress NOT_FOUND",
      "listAgencyRunLines NOT_FOUND",
      "listAgencyInvitations NOT_FOUND",
      "listStaff NOT_FOUND",
      "getPayout NOT_FOUND",
      "getSeller NOT_FOUND",
      "getLobby NOT_FOUND",
      "getGameSession NOT_FOUND",
      "getGameProof NOT_FOUND",
      "listGroupMembers NOT_FOUND",
      "listGroupInvites NOT_FOUND",
      "getInvitedGroup NOT_FOUND",
      "getOrder NOT_FOUND",
      "getReceipt NOT_FOUND",
      "getDataExport NOT_FOUND",
      "getAgencyStatement NOT_FOUND",
      "getSellerStatement NOT_FOUND",
      "getMedia NOT_FOUND",
    ]);
    const script = samples.map((sample) => sourceOf(sample, "curl")).join("\n\n");
    await promisify(execFile)("bash", ["-n", "-c", script]);
  });

  it("sends events as Ada, and shows the reply and what she receives", async () => {
    await page.goto(`${service.url}/docs/events`);
    await page.getByRole("button", { name: "Log in as Ada" }).click();
    await page.locator(".stream output", { hasText: /^Connected/ }).waitFor();
    const send = async (event: string) => {
      const form = page.locator(`form[data-event="${event}"]`);
      await form.getByRole("button", { name: "Send" }).click();
      await form.locator("output:not(:empty)").waitFor();
      expect(await form.locator("output").textContent()).to.include('"success": true');
    };
    await send("room:join");
    await send("room:message");

    await page.locator(".stream li", { hasText: "room:new_message" }).waitFor();
  });

  it("finds operations, events, and errors, by keyboard too", async () => {
    await page.goto(`${service.url}/docs/errors`);
    const found = page.locator("#found a");
    await page.keyboard.press("/");
    await page.keyboard.type("seat_taken");
    await found.filter({ hasText: "SEAT_TAKEN" }).first().waitFor();
    await page.locator("#find").fill("wallet get");
    await found.filter({ hasText: "GET /api/v1/wallet getWallet" }).first().waitFor();
    await page.locator("#find").fill("seat:req");
    await found.filter({ hasText: "client event" }).first().waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");

    await page.waitForURL(`${service.url}/docs/events#request.seat.request`);
  });

  it("keeps the token that was entered when the page is reloaded", async () => {
    await page.goto(`${service.url}/docs/catalogue`);
    await page.locator(".auth-wrapper .authorize").click();
    await page.locator(".modal-ux input").fill("a token");
    await page.locator(".modal-ux .auth-btn-wrapper .authorize").click();
    await page.locator(".modal-ux .btn-done").click();
    await page.reload();

    await page.locator(".auth-wrapper .authorize.locked").waitFor();
  });

  it("fits a phone, and has its contents beside the text where there is room", async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    for (const path of ["/", "/docs/guides/games", "/docs/events", "/docs/errors", "/docs/timeline"]) {
      await page.goto(service.url + path);
      expect(await page.evaluate("document.documentElement.scrollWidth"), path).to.be.at.most(390);
    }

    await page.setViewportSize({ width: 1400, height: 800 });
    await page.goto(`${service.url}/docs/events#shapes`);
    const [menu, text] = [page.locator(".menu"), page.locator("#shapes")];
    const [at, beside] = [await menu.boundingBox(), await text.boundingBox()];
    expect(at!.y).to.be.within(0, 800);
    expect(at!.x + at!.width).to.be.at.most(beside!.x);
  });

  it("has nothing that assistive technology can't read", async () => {
    const axe = await readFile(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");
    // The script of the test may run in spite of the pages' policy.
    const reader = await browser.current.newContext({ bypassCSP: true });
    const shown = await reader.newPage();
    const found: Record<string, string[]> = {};
    for (const path of [
      "/",
      "/docs/guides/games",
      "/docs/events",
      "/docs/errors",
      "/docs/timeline",
      "/docs/catalogue",
    ]) {
      await shown.goto(service.url + path);
      if (path === "/docs/catalogue") await shown.locator(".opblock-tag").first().waitFor();
      await shown.evaluate(axe);
      // What is as it should be would take most of the time.
      const run = "axe.run(document, { resultTypes: ['violations'] })";
      const { violations } = (await shown.evaluate(run)) as { violations: { id: string }[] };
      if (violations.length > 0) found[path] = violations.map(({ id }) => id);
    }
    await reader.close();

    // Swagger UI's own headings, and its introduction, which is in no landmark.
    expect(found).to.deep.equal({ "/docs/catalogue": ["heading-order", "region"] });
  });

  it("follows the reader's colour scheme", async () => {
    const background = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    await page.goto(`${service.url}/docs/catalogue`);
    await page.emulateMedia({ colorScheme: "dark" });
    await page.locator("html.dark-mode").waitFor();
    const dark = await background();
    await page.emulateMedia({ colorScheme: "light" });
    await page.locator("html:not(.dark-mode)").waitFor();
    expect(await background()).not.to.equal(dark);
  });

  it("draws the timeline of a room as it is", async () => {
    const file = new URL("./timeline.json", import.meta.url);
    const timeline = await recordTimeline(service);
    closeClients();
    if (process.env.RECORD) await writeFile(file, `${JSON.stringify(timeline, null, 2)}\n`);

    // `RECORD=1 npm test -- api/docs/pages.test.ts` records it again.
    expect(JSON.parse(await readFile(file, "utf8"))).to.deep.equal(timeline);
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

  it("shows a browser the way on from an unknown address, and tells a program its error", async () => {
    const ask = (accept: string, path = "/nope") => fetch(service.url + path, { headers: { accept } });
    const shown = await ask("text/html,application/xhtml+xml,*/*;q=0.8");
    expect([shown.status, shown.headers.get("content-type")]).to.deep.equal([404, "text/html; charset=utf-8"]);
    expect(await shown.text())
      .to.include("This page doesn't exist")
      .and.include('href="/docs/guides"');
    for (const [accept, path] of [
      ["*/*", "/nope"],
      ["application/json", "/nope"],
      ["text/html", "/api/v1/nope"],
    ] as const)
      expect(await (await ask(accept, path)).json()).to.have.nested.property("error.code", "NOT_FOUND");
  });

  it("copies a piece of code of a guide", async () => {
    const own = await browser.current.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
    const guide = await own.newPage();
    await guide.goto(`${service.url}/docs/guides/first-room`);
    await guide.getByRole("button", { name: "Copy" }).first().click();
    await guide.getByRole("button", { name: "Copied" }).waitFor();
    expect(await guide.evaluate("navigator.clipboard.readText()")).to.equal("npm ci && npm start\n");
    await own.close();
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
    for (const path of ["/", "/docs", "/docs/events", "/docs/timeline", "/docs/errors"]) {
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
