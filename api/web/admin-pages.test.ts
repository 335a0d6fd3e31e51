import { expect } from "chai";
import { generateSync } from "otplib";
import pg from "pg";
import type { BrowserContext, Page } from "playwright-core";
import { useBrowser } from "#shared/testing/clients/browser.ts";
import { faultsOf, press, usePageWatch } from "#shared/testing/clients/watched-page.ts";
import { createDatabase } from "#shared/testing/database.ts";
import { type SpawnedService, spawnService, stopServices } from "#shared/testing/spawned-service.ts";

const password = "listen to the room";
const rootEmail = "demo-admin@example.com";
const secondEmail = "second@example.com";

describe("the console's own pages", function () {
  this.timeout(60_000);
  const browser = useBrowser();
  const watch = usePageWatch();
  let service: SpawnedService;
  let db: pg.Pool;
  let context: BrowserContext;
  let page: Page;
  let token: string;
  let ada: string;
  let grace: { readonly id: string; readonly token: string };

  before(async () => {
    const database = await createDatabase({ migrated: true });
    db = new pg.Pool({ connectionString: database });
    service = await spawnService({
      NODE_ENV: "development",
      DATABASE_URL: database,
      JWT_SECRET: "of-the-test".repeat(4),
    });
    token = (await ask("post", "/admin/login", { body: { email: rootEmail, password } })).token;
    ada = (await logIn("ada")).token;
    grace = await logIn("grace");
    context = await browser.current.newContext({ viewport: { width: 1280, height: 900 } });
    page = await signIn(context, rootEmail);
  });
  after(async () => {
    await context?.close();
    await stopServices("SIGTERM");
    await db?.end();
  });

  // biome-ignore lint/suspicious/noExplicitAny: the service's answers are checked by its own tests.
  async function ask(method: string, path: string, options: object = {}): Promise<any> {
    const { body } = await service.call(method, path, options);
    expect(body.error).to.equal(undefined);
    return body.data;
  }
  const asRoot = (method: string, path: string, body?: object) =>
    ask(method, `/admin${path}`, { token, ...(body && { body }), headers: { "Idempotency-Key": path } });
  async function logIn(identifier: string) {
    const { user, accessToken } = await ask("post", "/auth/login", { body: { identifier, password } });
    return { id: user.id as string, token: accessToken as string };
  }
  async function signIn(of: BrowserContext, email: string): Promise<Page> {
    const opened = await watch.open(of, `${service.url}/admin`);
    await opened.getByLabel("Email address").fill(email);
    await opened.getByLabel("Password", { exact: true }).fill(password);
    await press(opened, "Sign in");
    await opened.locator("#main h1").waitFor();
    return opened;
  }
  const go = async (path: string, heading: string) => {
    await page.goto(`${service.url}/admin${path}`);
    await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
  };
  const dialog = () => page.getByRole("dialog");
  const seen = (text: string | RegExp) => page.getByText(text).first().waitFor();

  it("decide a report with its evidence on the first page, and retry a failed job", async () => {
    const body = { content: "Cheap followers in my shop", visibility: "public" };
    const post = await ask("post", "/posts", { token: grace.token, body });
    const report = { target_type: "post", target_id: post.id, reason: "spam", details: "Every day" };
    await ask("post", "/reports", { token: ada, body: report });
    await db.query(
      `INSERT INTO pgboss.job (name, data, source_name, source_id, source_created_on, source_retry_count, source_output)
       VALUES ('dead_letters', '{}', 'statistics.count', gen_random_uuid(), now(), 2, '{"message": "Error: out of luck"}')`,
    );

    await go("/", "Overview");
    const shown = page.getByRole("article", { name: "Report of Grace Hopper" });
    await shown.getByText("Cheap followers in my shop").waitFor();
    await press(shown, "Remove");
    await dialog().getByText("can't be shown again").waitFor();
    await press(dialog(), "Remove");
    await seen("No open reports");
    expect((await asRoot("get", `/posts/${post.id}`)).status).to.equal("removed");

    await seen("Error: out of luck");
    await press(page, "Retry statistics.count");
    await seen("It will be tried again.");
    await page
      .getByRole("row", { name: /20\d\d/ })
      .first()
      .waitFor({ state: "attached" });
  });

  it("find a user by a name and by an ID, with the keyboard", async () => {
    for (const text of ["Grace Hop", grace.id]) {
      await go("/", "Overview");
      await page.keyboard.press("/");
      await dialog().getByPlaceholder("A name, or an ID of anything").fill(text);
      await page.getByRole("option", { name: /Grace Hopper/ }).waitFor();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Grace Hopper", level: 1 }).waitFor();
    }
  });

  it("tell a user's whole story, suspend and reactivate them", async () => {
    await go(`/users/${grace.id}`, "Grace Hopper");
    for (const name of ["Sanctions", "Wallet", "Rooms", "Gifts", "Reports", "Orders", "Sessions", "Audit log"])
      await page.getByRole("region", { name, exact: true }).waitFor();

    await press(page, "Suspend");
    await dialog().getByLabel("Reason").fill("Spam in three rooms");
    await press(dialog(), "Suspend");
    await seen("Suspended since");
    const trail = page.getByRole("region", { name: "Audit log" });
    const entry = trail.getByRole("article", { name: /^user.suspend/ });
    await entry.getByText("Spam in three rooms").waitFor();
    expect(await entry.getByRole("row", { name: /^Status/ }).textContent()).to.equal("Statusactivesuspended");

    await press(page, "Reactivate");
    await press(dialog(), "Reactivate");
    await seen("Not suspended.");
    grace = await logIn("grace");
  });

  it("show what changed in the audit log, with the filters in the address", async () => {
    await asRoot("patch", "/settings", { adjustment_approval_above: 100 });
    await go("/audit-logs", "Audit log");
    await page.getByLabel("Action", { exact: true }).fill("setting.change");
    await press(page, "Apply");
    const entry = page.getByRole("article", { name: /^setting.change/ });
    await entry.getByRole("row", { name: /100$/ }).waitFor();
    expect(page.url()).to.contain("?action=setting.change");

    await page.reload();
    await entry.waitFor();
    expect(await page.getByRole("article").count()).to.equal(1);
  });

  it("leave an adjustment to another administrator", async () => {
    await go(`/users/${grace.id}`, "Grace Hopper");
    const before = (await asRoot("get", `/users/${grace.id}`)).wallet.balance;
    await press(page, "Adjust balance");
    await dialog().getByLabel("Coins").fill("500");
    await dialog().getByLabel("Reason").fill("A gift was lost");
    await press(dialog(), "Adjust balance");
    await seen("The adjustment waits for another administrator.");

    await go("/approvals", "Approvals");
    const own = page.getByRole("article", { name: "+500 coins" });
    await own.getByText("another administrator must approve it").waitFor();
    expect(await own.getByRole("button").allTextContents()).to.deep.equal(["Take back"]);

    await db.query(
      `INSERT INTO admins (id, email, full_name, password_hash, role_id)
       SELECT gen_random_uuid(), $1, 'Second', password_hash, role_id FROM admins`,
      [secondEmail],
    );
    const others = await browser.current.newContext();
    const second = await signIn(others, secondEmail);
    await second.goto(`${service.url}/admin/approvals`);
    await press(second.getByRole("article", { name: "+500 coins" }), "Approve");
    await press(second.getByRole("dialog"), "Approve");
    await second.getByText("The adjustment was approved.").waitFor();
    await others.close();
    expect((await asRoot("get", `/users/${grace.id}`)).wallet.balance).to.equal(before + 500);
  });

  it("set up a second factor with a QR code, and disable it with a recovery code", async () => {
    await go("/account/second-factor", "Second factor");
    await page.getByLabel("Your password").fill(password);
    await press(page, "Set it up");
    await page.getByAltText("QR code of the secret").waitFor();
    expect(await page.evaluate("document.querySelector('.qr').naturalWidth")).to.be.greaterThan(50);
    const secret = (await page.locator("code").first().textContent())!;
    await page.getByLabel("Code").fill(generateSync({ secret }));
    await press(page, "Confirm");
    await seen("Your second factor is set up.");
    const [recovery] = await page.getByRole("list", { name: "Recovery codes" }).locator("code").allTextContents();
    await press(page, "I have kept them");

    await page.getByLabel("Code").fill(recovery!);
    await press(page, "Disable it");
    await page.getByRole("button", { name: "Set it up" }).waitFor();
  });

  it("preview a broadcast, and show its progress", async () => {
    await go("/notifications/new", "New broadcast");
    const preview = page.getByRole("region", { name: "What they will see" });
    await preview.getByText("Reaches 2 users.").waitFor();
    await page.getByLabel("Title").fill("Festival");
    await page.getByLabel("Text").fill("Tonight at 8.");
    await preview.getByText("Tonight at 8.").waitFor();
    await press(page, "Send");
    await dialog().getByText("2 users get this notification now.").waitFor();
    await press(dialog(), "Send");
    await page.getByRole("heading", { name: "Festival", level: 1 }).waitFor();
    await seen("2 of 2 users notified");
  });

  it("fulfil an order by hand", async () => {
    const id = await orderOfAda();
    await go("/catalogue", "Fulfilment");
    await page.locator(`[href="/admin/catalogue/orders/${id}"]`).click();
    await page.getByRole("heading", { name: `Order ${id}`, level: 1 }).waitFor();
    await page.getByLabel("For the reseller").fill("Sent by hand");
    await press(page, "Complete");
    await dialog().getByText("The order is completed for good.").waitFor();
    await press(dialog(), "Complete");
    await seen("The order was completed.");
    expect((await asRoot("get", `/catalogue/orders/${id}`)).status).to.equal("completed");
  });

  /** Orders a card that isn't delivered by itself, and returns the ID of the order. */
  async function orderOfAda(): Promise<number> {
    const { id: serviceId, card_id: cardId } = (await asRoot("get", "/catalogue/code-stock")).items[0];
    await asRoot("patch", `/catalogue/cards/${cardId}`, { instant_delivery: 0 });
    const keys = await ask("post", "/users/me/api-keys", { token: ada, body: { name: "Shop" } });
    const call = async (path: string, headers: Record<string, string>, body: object): Promise<unknown> => {
      const init = { method: "POST", headers: { ...headers, "content-type": "application/json" } };
      return (await fetch(`${service.url}/catalogue${path}`, { ...init, body: JSON.stringify(body) })).json();
    };
    const pair = { PublicKey: keys.public_key, SecretKey: keys.secret_key };
    const { bearer_token } = (await call("/generate/authorization-token", pair, {})) as { bearer_token: string };
    const bearer = { authorization: `Bearer ${bearer_token}` };
    await call("/card/make-order", bearer, { cardId, serviceId, idempotency_key: "of-ada" });
    return (await asRoot("get", "/catalogue/orders")).items[0].id;
  }

  it("import codes, and say which lines were not accepted", async () => {
    const { id } = (await asRoot("get", "/catalogue/code-stock")).items[0];
    await go(`/catalogue/card-services/${id}/codes`, "Import codes");
    await page.getByLabel("Or paste the codes").fill("code\nABCD-0001\n\nABCD-0001\nABCD-0002\nx\n");
    await press(page, "Import 4 codes");
    const result = page.getByRole("region", { name: "Result" });
    await result.getByText("4 of 4 lines. 2 accepted. 2 not accepted.").waitFor();
    expect(await result.locator("tbody tr").allTextContents()).to.deep.equal([
      "4Duplicate: already in the file, in stock, or sold",
      "6Malformed: 4 to 128 visible characters are allowed",
    ]);
  });

  it("are accessible, wide and light as well as narrow and dark", async () => {
    const paths = ["/", `/users/${grace.id}`, "/audit-logs", "/approvals", "/account/second-factor"];
    const order = (await asRoot("get", "/catalogue/orders")).items[0].id;
    const broadcast = (await asRoot("get", "/notifications")).items[0].id;
    const others = ["/notifications/new", `/notifications/${broadcast}`, "/catalogue", `/catalogue/orders/${order}`];
    const faults: string[] = [];
    for (const path of [...paths, ...others]) {
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.emulateMedia({ colorScheme: "light" });
      await page.goto(`${service.url}/admin${path}`);
      await page.locator("#main h1").waitFor();
      await page.waitForLoadState("networkidle");
      faults.push(...(await faultsOf(path, page)));
      await page.setViewportSize({ width: 390, height: 844 });
      await page.emulateMedia({ colorScheme: "dark" });
      // The navigation slides out of the narrow page, and colors fade.
      await page.evaluate("Promise.allSettled(document.getAnimations().map(({ finished }) => finished))");
      faults.push(...(await faultsOf(`${path}, narrow and dark`, page)));
    }
    await page.keyboard.press("/");
    await dialog().getByPlaceholder("A name, or an ID of anything").fill("night");
    await page.getByRole("option").first().waitFor();
    faults.push(...(await faultsOf("the search", page)));
    expect(faults).to.deep.equal([]);
  });
});
