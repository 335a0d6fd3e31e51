import { expect } from "chai";
import type { BrowserContextOptions, Page } from "playwright-core";
import { useBrowser } from "#shared/testing/clients/browser.ts";
import { faultsOf, fits, press, usePageWatch } from "#shared/testing/clients/watched-page.ts";
import { createDatabase } from "#shared/testing/database.ts";
import { type SpawnedService, spawnService, stopServices } from "#shared/testing/spawned-service.ts";
import { createClient, type Hubbub } from "../../shared/client/client.ts";

const password = "listen to the room";

/** Each test continues with the pages of those before: of Grace, a host; of Ada, who owns her agency; of a newcomer. */
describe("the studio", function () {
  this.timeout(90_000);
  const browser = useBrowser();
  const watch = usePageWatch();
  let service: SpawnedService;
  let newcomer: Hubbub;
  let agencyId: string;
  let [host, owner, plain]: Page[] = [];

  const register = async (username: string, full_name: string): Promise<Hubbub> => {
    const client = createClient({ url: service.url });
    const secret = { password, confirm_password: password, terms_accepted: true } as const;
    await client.register({ username, email: `${username}@example.com`, full_name, ...secret });
    return client;
  };
  const open = async (at: string, options: BrowserContextOptions = {}) => {
    const context = await browser.current.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    return watch.open(context, `${service.url}/studio${at}`);
  };
  const signIn = async (page: Page, name: string, secret = password) => {
    await page.getByRole("textbox", { name: "Username or email address" }).fill(name);
    await page.getByLabel("Password", { exact: true }).fill(secret);
    await press(page, "Sign in");
  };
  const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name }).waitFor();
  const go = async (page: Page, entry: string, group = "Host") => {
    await page
      .getByRole("region", { name: group })
      .getByRole("link", { name: new RegExp(`^${entry}`) })
      .click();
    await heading(page, entry);
  };
  const told = (page: Page, text: string | RegExp) =>
    page.getByRole("alert").filter({ hasText: text }).first().waitFor();
  const seen = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();

  before("starts a service", async () => {
    service = await spawnService({
      NODE_ENV: "development",
      DEMO_BOTS: "off",
      DATABASE_URL: await createDatabase({ migrated: true }),
      JWT_SECRET: "of-the-test".repeat(4),
    });
    newcomer = await register("newcomer", "New Comer");
    const ada = createClient({ url: service.url });
    await ada.login({ identifier: "ada", password });
    agencyId = (await ada.agencies.list()).items[0]!.id;
    await ada.logout();
  });
  after("stops the service", async () => {
    await Promise.all([host, owner, plain].map((page) => page?.context().close()));
    newcomer?.disconnect();
    await stopServices("SIGTERM");
  });

  it("is served under a policy with a nonce, is in the start's output, and asks for a user's login", async () => {
    const { headers } = await fetch(`${service.url}/studio/runs`);
    expect(headers.get("content-security-policy")).to.include(
      "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-",
    );
    expect(service.output()).to.include(`${service.url}/studio`);

    host = await open("/runs");
    await heading(host, "Sign in");
    expect(await faultsOf("the login", host)).to.deep.equal([]);
    await signIn(host, "demo-admin@example.com");
    await told(host, /incorrect|invalid|wrong/i);
    watch.expectComplaints(/status of 401/);
    await signIn(host, "grace");
    await heading(host, "Runs");
  });

  it("shows a host what a run paid and why, what counts today, and the payout that waits", async () => {
    await seen(host!, /^Lamplight Hosts, from /);
    await host!.getByText("How it was computed").click();
    await seen(host!, "Salary: 80 % of 2,000, by the targets that were met.");
    await go(host!, "Today");
    await seen(host!, "Your contract is with Lamplight Hosts.");
    const bar = host!.getByRole("progressbar", { name: "Seat days" });
    // At the beginning of a month it is empty, and an empty bar isn't visible.
    await bar.waitFor({ state: "attached" });
    const grace = createClient({ url: service.url });
    await grace.login({ identifier: "grace", password });
    const { targets } = await grace.earnings.progress();
    await grace.logout();
    const { reached, threshold } = targets.find(({ metric }) => metric === "seat_days")!;
    expect(Number(await bar.getAttribute("aria-valuenow"))).to.be.closeTo(
      Math.min(100, (100 * reached) / threshold),
      0.1,
    );
    await go(host!, "Earnings");
    await host!.getByRole("row", { name: /Salary.*\+1,600/ }).waitFor();
    expect(
      await host!.getByRole("button", { name: "Exchange for coins" }).isDisabled(),
      "nothing has matured",
    ).to.equal(true);
    await host!.getByRole("combobox", { name: /^Month/ }).click();
    await host!.getByRole("option").first().click();
    const page = await host!.getByRole("link", { name: "Open the page to print" }).getAttribute("href");
    expect((await fetch(page!)).status).to.equal(200);
    await go(host!, "Payouts");
    await host!.getByRole("row", { name: /Requested.*1,000.*gr•••@demobank/ }).waitFor();
  });

  it("shows an owner their hosts, and lets them invite", async () => {
    owner = await open("/");
    await signIn(owner, "ada");
    await heading(owner, "Today");
    await go(owner, "Hosts", "Lamplight Hosts");
    await owner.getByRole("row", { name: /^Grace Hopper.*Give notice/ }).waitFor();
    await go(owner, "Runs", "Lamplight Hosts");
    await seen(owner, /^Grace Hopper, from /);

    await go(owner, "Invitations", "Lamplight Hosts");
    const invite = async () => {
      await press(owner!, "Invite a host");
      const dialog = owner!.getByRole("dialog");
      await dialog.getByRole("combobox", { name: /^Who/ }).fill("newcomer");
      await owner!.getByRole("option", { name: /@newcomer/ }).click();
      await press(dialog, "Invite a host");
    };
    await invite();
    await told(owner, "They are invited, and notified.");
    await owner.getByRole("row", { name: /^New Comer Pending 10 %/ }).waitFor();
    await invite();
    await owner.getByRole("dialog").getByRole("alert").filter({ hasText: /invit/ }).waitFor();
    watch.expectComplaints(/status of 409/);
    expect(await faultsOf("a dialog", owner)).to.deep.equal([]);
    await press(owner.getByRole("dialog"), "Cancel");
  });

  it("shows a plain user nothing of agencies, until they accept an invitation", async () => {
    plain = await open(`/agencies/${agencyId}/staff`);
    await signIn(plain, "newcomer");
    await told(plain, /not found|doesn't exist|no such/i);
    watch.expectComplaints(/status of 404/);
    await go(plain, "Runs");
    await seen(plain, "No run has been approved yet.");
    await go(plain, "Payouts");
    await press(plain, "Start the check");
    await plain
      .getByRole("status")
      .filter({ hasText: /provider/ })
      .waitFor();
    await go(plain, "Contracts");
    await press(plain, "Accept");
    await plain
      .getByRole("dialog", { name: "Accept: Lamplight Hosts" })
      .getByRole("button", { name: "Accept" })
      .click();
    await told(plain, "You have a contract now.");
    await plain.getByRole("row", { name: /^Lamplight Hosts 10 %/ }).waitFor();
    await seen(plain, "No agency invites you now.");
  });

  it("shows the staff what the owner sees, and neither notices nor who else may join", async () => {
    const staff = await register("helper", "Helping Hand");
    await go(owner!, "Staff", "Lamplight Hosts");
    await press(owner!, "Add to the staff");
    await owner!.getByRole("dialog").getByRole("combobox").fill("helper");
    await owner!.getByRole("option", { name: /@helper/ }).click();
    await press(owner!.getByRole("dialog"), "Add to the staff");
    await owner!.getByRole("row", { name: /^Helping Hand.*Remove/ }).waitFor();

    const page = await open(`/agencies/${agencyId}`);
    await signIn(page, "helper");
    await page.getByRole("row", { name: /^New Comer/ }).waitFor();
    expect(await page.getByRole("button", { name: "Give notice" }).count()).to.equal(0);
    await go(page, "Staff", "Lamplight Hosts");
    await page.getByRole("button", { name: "Leave" }).waitFor();
    expect(await page.getByRole("button", { name: "Add to the staff" }).count()).to.equal(0);
    await page.context().close();
    staff.disconnect();
  });

  it("lets in by a code to the phone, for those who have no password", async () => {
    const page = await open("/");
    await press(page, "Use a code to your phone instead");
    await page.getByLabel("Mobile number").fill("+91 98765-00418");
    await press(page, "Send a code");
    await press(page, "Use another number");
    await page.getByLabel("Mobile number").fill("+91 98765-00417");
    expect(await faultsOf("the login by phone", page)).to.deep.equal([]);
    await press(page, "Send a code");
    await seen(page, "If +919876500417 can get one, a code is on its way.");
    await page.getByLabel("Code").fill("000000");
    await press(page, "Sign in");
    await told(page, /incorrect|expired/i);
    watch.expectComplaints(/status of 400/);
    const sent = await fetch(`${service.url}/dev/outbox?format=json&to=${encodeURIComponent("+919876500417")}`);
    const { data } = (await sent.json()) as { data: { items: { text: string }[] } };
    await page.getByLabel("Code").fill(/\b\d{6}\b/.exec(data.items[0]!.text)![0]);
    await press(page, "Sign in");
    await seen(page, "No account had this number, so you have a new one.");
    await heading(page, "Today");
    await page.context().close();
  });

  it("fits a phone, is accessible in both schemes, and speaks Arabic from right to left", async () => {
    const faults: string[] = [];
    for (const [page, paths] of [
      [host!, ["/", "/earnings", "/runs", "/payouts", "/contracts"]],
      [owner!, ["", "/runs", "/invitations", "/staff"].map((path) => `/agencies/${agencyId}${path}`)],
    ] as const)
      for (const [width, colorScheme] of [
        [1280, "light"],
        [390, "dark"],
      ] as const) {
        await page.setViewportSize({ width, height: 844 });
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        for (const path of paths) {
          await page.evaluate(`history.pushState(null, "", ${JSON.stringify(`/studio${path}`)})`);
          await page.locator("#main h1").waitFor();
          await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" });
          if (!(await fits(page))) faults.push(`${path} is too wide at ${width}`);
          faults.push(...(await faultsOf(`${path} at ${width}`, page, "#main")));
        }
      }
    expect(faults).to.deep.equal([]);
    await press(owner!, /Your account/);
    await owner!.getByRole("menuitem", { name: "العربية" }).click();
    await owner!.locator("html[dir=rtl]").waitFor();
    await owner!.getByRole("heading", { level: 1, name: "الموظفون" }).waitFor();
    expect(await fits(owner!)).to.equal(true);
  });

  it("ends with the session, and with the sign-out", async () => {
    const grace = createClient({ url: service.url });
    await grace.login({ identifier: "grace", password });
    for (const session of (await grace.request("listLoginSessions")).items)
      if (!session.is_current) await grace.request("endLoginSession", { params: { id: session.id } });
    grace.disconnect();
    await seen(host!, "Your session has ended. Sign in again to continue where you were.");
    watch.expectComplaints(/status of 401/);

    await press(plain!, /Your account/);
    await plain!.getByRole("menuitem", { name: "Sign out" }).click();
    await heading(plain!, "Sign in");
    await plain!.reload();
    await heading(plain!, "Sign in");
  });
});
