import { expect } from "chai";
import pg from "pg";
import type { BrowserContextOptions, Page } from "playwright-core";
import { type Admin, createAdmin } from "../../client/admin.ts";
import { createClient, type Hubbub } from "../../client/client.ts";
import { useBrowser } from "../clients/browser.ts";
import { faultsOf, press, usePageWatch } from "../clients/watched-page.ts";
import { createDatabase } from "../database.ts";
import { type SpawnedService, spawnService, stopServices } from "../spawned-service.ts";

export const password = "listen to the room";
export const demoAdmin = "demo-admin@example.com";

/** What the walks of a `describe` share: they follow each other on one page, with one service. */
export type Walk = ReturnType<typeof useConsole>;

/** What is done and expected on a page: by default, on the one that the walks share. */
function stepsOn(shared: () => Page) {
  const heading = (name: string | RegExp, on = shared()) => on.getByRole("heading", { level: 1, name }).waitFor();
  const field = (label: string | RegExp, on = shared()) => on.getByRole("textbox", { name: label });
  /** Waits until the page has loaded what it shows. */
  const loaded = async (on = shared()) => {
    await on.locator("#main h1").waitFor();
    await on.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" });
  };
  /** Goes to an address as a link does, without loading the program again. */
  const goTo = (at: string) => shared().evaluate(`history.pushState(null, "", ${JSON.stringify(`/admin${at}`)})`);

  return {
    heading,
    field,
    loaded,
    goTo,
    visit: async (at: string, title: string) => {
      await goTo(at);
      await heading(title);
    },
    /** Opens all groups of the navigation. */
    openNavigation: async () => {
      const closed = shared().getByRole("navigation").getByRole("button", { expanded: false });
      while ((await closed.count()) > 0) await closed.first().click();
    },
    told: (text: string | RegExp, on = shared()) => on.getByRole("alert").filter({ hasText: text }).first().waitFor(),
    seen: (text: string | RegExp) => shared().getByText(text).first().waitFor(),
    dialog: (name?: string | RegExp) => shared().getByRole("dialog", name === undefined ? {} : { name }),
    signIn: async (email: string, secret: string, on = shared()) => {
      await field("Email address", on).fill(email);
      await on.getByLabel("Password", { exact: true }).fill(secret);
      await press(on, "Sign in");
    },
    /** Chooses from the menu of a row. */
    choose: async (record: string, action: string) => {
      await press(shared(), `Actions for ${record}`);
      await shared().getByRole("menuitem", { name: action }).click();
    },
    expectNoFaults: async (what: string, on = shared()) => expect(await faultsOf(what, on)).to.deep.equal([]),
  };
}

/**
 * Starts a service with demo data, and opens the console in a browser at `path`, where no one is signed in yet. Calls
 * are made by the typed clients: `admin`'s is logged in as the demo administrator.
 */
export function useConsole(path: string) {
  const browser = useBrowser();
  const watch = usePageWatch();
  let service: SpawnedService;
  let db: pg.Pool;
  let page: Page;
  let admin: Admin;

  before("starts a service, and opens the console", async () => {
    const database = await createDatabase({ migrated: true });
    db = new pg.Pool({ connectionString: database });
    service = await spawnService({
      NODE_ENV: "development",
      DEMO_BOTS: "off",
      DATABASE_URL: database,
      JWT_SECRET: "of-the-test".repeat(4),
    });
    admin = createAdmin({ url: service.url });
    await admin.login({ email: demoAdmin, password });
    page = await open(path, { reducedMotion: "reduce" });
  });
  after("stops the service", async () => {
    await page?.context().close();
    await stopServices("SIGTERM");
    await db?.end();
  });

  /** Opens the console in a context of its own, as another browser does. */
  const open = async (at: string, options: BrowserContextOptions = {}) => {
    const context = await browser.current.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    return watch.open(context, `${service.url}/admin${at}`);
  };
  return {
    ...stepsOn(() => page),
    watch,
    get browser() {
      return browser.current;
    },
    get service() {
      return service;
    },
    get db() {
      return db;
    },
    get page() {
      return page;
    },
    get admin() {
      return admin;
    },
    open,
    /** Logs in as a demo user. */
    logIn: async (identifier: "ada" | "grace"): Promise<Hubbub> => {
      const client = createClient({ url: service.url });
      await client.login({ identifier, password });
      return client;
    },
  };
}
