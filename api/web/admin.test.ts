import { expect } from "chai";
import { generateSync } from "otplib";
import type { BrowserContext, Page } from "playwright-core";
import { useBrowser } from "#shared/testing/clients/browser.ts";
import { faultsOf, press, usePageWatch } from "#shared/testing/clients/watched-page.ts";
import { createDatabase } from "#shared/testing/database.ts";
import { type SpawnedService, spawnService, stopServices } from "#shared/testing/spawned-service.ts";
import { type Admin, createAdmin } from "../../shared/client/admin.ts";

const password = "listen to the room";
const demoAdmin = "demo-admin@example.com";

describe("the console", function () {
  this.timeout(60_000);
  const browser = useBrowser();
  const watch = usePageWatch();
  let service: SpawnedService;
  let context: BrowserContext;
  let page: Page;
  let admin: Admin;

  before(async () => {
    const database = await createDatabase({ migrated: true });
    service = await spawnService({
      NODE_ENV: "development",
      DATABASE_URL: database,
      JWT_SECRET: "of-the-test".repeat(4),
    });
    admin = createAdmin({ url: service.url });
    await admin.login({ email: demoAdmin, password });
    context = await browser.current.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce" });
    page = await watch.open(context, `${service.url}/admin/gifts?sort=-price`);
  });
  after(async () => {
    await context?.close();
    await stopServices("SIGTERM");
  });

  const heading = (name: string | RegExp, on = page) => on.getByRole("heading", { level: 1, name }).waitFor();
  const field = (label: string | RegExp, on = page) => on.getByRole("textbox", { name: label });
  const told = (text: string | RegExp, on = page) => on.getByRole("alert").filter({ hasText: text }).first().waitFor();
  const signIn = async (email: string, secret: string, on = page) => {
    await field("Email address", on).fill(email);
    await on.getByLabel("Password", { exact: true }).fill(secret);
    await press(on, "Sign in");
  };
  /** Changes the page as a link does. */
  const go = async (name: string, on = page) => {
    await on.getByRole("navigation").getByRole("link", { name, exact: true }).click();
    await heading(name, on);
  };
  const choose = async (record: string, action: string) => {
    await press(page, `Actions for ${record}`);
    await page.getByRole("menuitem", { name: action }).click();
  };
  const dialog = (name: string | RegExp) => page.getByRole("dialog", { name });
  const expectNoFaults = async (what: string, on = page) => expect(await faultsOf(what, on)).to.deep.equal([]);

  it("is served under a policy with a nonce for each request, and is in the start's output", async () => {
    const pages = await Promise.all([1, 2].map(() => fetch(`${service.url}/admin/users`)));
    const policies = pages.map(({ headers }) => headers.get("content-security-policy")!);
    expect(policies[0]).to.include("default-src 'none'; script-src 'self'; style-src 'self' 'nonce-");
    expect(policies[0]).not.to.include("unsafe");
    expect(policies[0]).not.to.equal(policies[1]);
    expect(pages[0]!.headers.get("cache-control")).to.equal("no-store");
    expect(service.output()).to.include(`${service.url}/admin`);
  });

  it("asks for a login at any address, and opens it afterwards", async () => {
    await heading("Sign in");
    await expectNoFaults("the login");
    await signIn(demoAdmin, "wrong");
    await told(/incorrect|invalid|wrong/i);
    watch.expectComplaints(/status of 401/);

    await signIn(demoAdmin, password);
    await heading("Gifts");
    expect(new URL(page.url()).search).to.equal("?sort=-price");
  });

  it("keeps the search, the filters, and the order of a list in the address", async () => {
    const names = () => page.getByRole("row").locator("td:first-child").allTextContents();
    await page.getByRole("row", { name: /^Castle/ }).waitFor();
    expect((await names()).slice(0, 2)).to.deep.equal(["Castle", "Yacht"]);

    await press(page, "Filters");
    await page.getByRole("combobox", { name: "Category" }).fill("class");
    await page.getByRole("option", { name: "Classic" }).click();
    await page.waitForURL(/category_id=/);
    await page.getByRole("searchbox", { name: "Search" }).fill("rose");
    await page.waitForURL(/q=rose/);
    await page.getByText("1 entry").waitFor();
    await page.reload();
    await page.getByText("1 entry").waitFor();
    expect(await names()).to.deep.equal(["Rose"]);
    expect(await page.getByRole("searchbox", { name: "Search" }).inputValue()).to.equal("rose");
    await page.goBack();
    await page.getByText(/^[2-9] entries/).waitFor();
  });

  it("downloads a list as it is narrowed", async () => {
    const file = page.waitForEvent("download");
    await press(page, "CSV");
    expect((await file).suggestedFilename()).to.equal("gifts.csv");
  });

  it("creates, changes, and deletes a record by keyboard alone, and says before what a deletion does", async () => {
    await go("Gift categories");
    await page.getByRole("button", { name: "Create a gift category" }).focus();
    await page.keyboard.press("Enter");
    await field(/^Name/).waitFor();
    await expectNoFaults("a form");
    await field(/^Name/).focus();
    await page.keyboard.type("Festival");
    await page.keyboard.press("Enter");
    await told("Done: Create a gift category");

    await choose("Festival", "Update");
    await field(/^Name/).fill("Festivals");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "Festivals" }).click();
    await heading("Festivals");

    await press(page, "Delete a gift category");
    await dialog("Delete a gift category: Festivals").getByText("Deletes Festivals.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await press(page, "Delete a gift category");
    await dialog(/^Delete/)
      .getByRole("button", { name: "Delete a gift category" })
      .click();
    await heading("Gift categories");
  });

  it("shows what the server rejects beside its field", async () => {
    await press(page, "Create a gift category");
    await field(/^Name/).fill("Classic");
    await press(page.getByRole("dialog"), "Create a gift category");
    await told(/already|taken/);
    watch.expectComplaints(/status of 409/);
    await press(page.getByRole("dialog"), "Close");
  });

  it("acts on a record with a reason, from its row", async () => {
    await go("Rooms");
    await choose("Night owls", "Close a room");
    await dialog("Close a room: Night owls").getByText("Its members are told the reason and leave").waitFor();
    await expectNoFaults("an action");
    await field(/^Reason/).fill("Repairs");
    await press(page.getByRole("dialog"), "Close a room");
    await told("Done: Close a room");
    await page.getByRole("row", { name: /^Night owls.*Closed/ }).waitFor();
    const { items } = await admin.request("listAuditLogs", { query: { action: "room.close" } });
    expect(items[0]).to.include({ reason: "Repairs" });
  });

  it("changes settings, and asks with what it changes", async () => {
    await go("Settings");
    await field("App name").fill("Hubbub at night");
    await press(page, "Save 1 change");
    await page.getByRole("dialog").getByText("Changes App name for all users").waitFor();
    await press(page.getByRole("dialog"), "Save");
    await told("The settings are saved");
    await page.getByText("Default: Hubbub.").waitFor();
  });

  it("opens every page of the navigation, and each fits a phone", async () => {
    const links = await page.getByRole("navigation").getByRole("link").all();
    const entries = await Promise.all(
      links.map(async (link) => ({ path: await link.getAttribute("href"), label: await link.textContent() })),
    );
    expect(entries.length).to.be.above(30);
    const faults: string[] = [];
    await page.setViewportSize({ width: 390, height: 844 });
    for (const { path, label } of entries) {
      await page.evaluate(`history.pushState(null, "", ${JSON.stringify(path)})`);
      await heading(label!);
      await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" });
      if (await page.evaluate("document.documentElement.scrollWidth > innerWidth")) faults.push(`${path} is too wide`);
    }
    expect(faults).to.deep.equal([]);
  });

  it("is accessible in dark and light, at 1280 and at 390 pixels", async () => {
    const faults: string[] = [];
    const at = async (path: string, width: number, colorScheme: "dark" | "light") => {
      await page.setViewportSize({ width, height: 844 });
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.goto(`${service.url}/admin${path}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" });
      faults.push(...(await faultsOf(`${path} at ${width}, ${colorScheme}`, page)));
    };
    await at("/users", 1280, "dark");
    await at("/users?status=active", 390, "light");
    await at("/health", 390, "dark");
    await at("/catalogue/top-ups/1", 1280, "light");
    await at("/settings", 390, "light");
    await at("/transactions", 1280, "dark");
    await press(page, "Filters");
    faults.push(...(await faultsOf("filters", page)));
    expect(faults).to.deep.equal([]);
  });

  it("returns to the page when the session has ended", async () => {
    await page.setViewportSize({ width: 1280, height: 900 });
    const kept = await page.evaluate<string>("sessionStorage.getItem('hubbub-admin')");
    const authorization = `Bearer ${JSON.parse(kept).accessToken}`;
    await fetch(`${service.url}/api/v1/admin/logout`, { method: "POST", headers: { authorization } });
    await page.getByRole("navigation").getByRole("link", { name: "Tickets" }).click();
    await page.getByText("Your session has ended").waitFor();
    watch.expectComplaints(/status of 401/);

    await signIn(demoAdmin, password);
    await heading("Tickets");
  });

  it("asks for the code of a second factor, and shows a role no more than it may", async () => {
    const role = await admin.request("createRole", { body: { name: "shop", permissions: ["gifts.read"] } });
    const email = "keeper@example.com";
    await admin.request("createAdmin", { body: { email, full_name: "Shop Keeper", password, role_id: role.id } });
    const keeper = createAdmin({ url: service.url });
    await keeper.login({ email, password });
    const { secret } = await keeper.request("enrollSecondFactor", { body: { password } });
    const confirmed = await keeper.request("confirmSecondFactor", { body: { code: generateSync({ secret }) } });

    const other = await browser.current.newContext({ viewport: { width: 1280, height: 900 } });
    const shown = await watch.open(other, `${service.url}/admin/gifts`);
    await signIn(email, password, shown);
    await field("Code", shown).fill(confirmed.recovery_codes[0]!);
    watch.expectComplaints(/status of 401/);
    await press(shown, "Sign in");
    await heading("Gifts", shown);
    await shown.getByRole("link", { name: "Rose" }).waitFor();
    const entries = await shown.getByRole("navigation").getByRole("link").allTextContents();
    expect(entries).to.deep.equal(["Gifts"]);
    expect(await shown.getByRole("button", { name: "Create a gift" }).count()).to.equal(0);

    await shown.goto(`${service.url}/admin/users`);
    await told("permission", shown);
    await other.close();
  });
});
