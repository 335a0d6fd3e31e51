import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { until } from "#shared/testing/until.ts";

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

let axe: Promise<string> | undefined;

/** How late a chart may follow the width of its window on a busy machine, milliseconds. */
const lateMs = 10_000;

/**
 * Returns whether a page is no wider than its window, at the latest when what follows the width late, such as a chart,
 * has. Asks from outside: the pages' policy forbids what waits inside of them to evaluate a text.
 */
export const fits = (page: Page): Promise<boolean> =>
  until("it fits", () => page.evaluate("document.documentElement.scrollWidth <= innerWidth"), lateMs).then(
    () => true,
    () => false,
  );

/**
 * Returns what axe finds in the page as it is, and whether it is wider than its window.
 * @param within a CSS selector, to look only at a part of the page
 */
export async function faultsOf(what: string, page: Page, within = "html"): Promise<string[]> {
  axe ??= readFile(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");
  const isWide = !(await fits(page));
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(await axe);
  // What is as it should be would take most of the time.
  const violations = await page.evaluate<Violation[]>(
    `axe.run("${within}", { resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  );
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${what}: ${id}: ${html} ${failureSummary}`),
  );
  return [...found, ...(isWide ? [`${what}: scrolls sideways`] : [])];
}

/**
 * Opens pages, and fails the test in which one of them complains in its console, throws, or makes a request to another
 * origin.
 */
export function usePageWatch() {
  const complaints: string[] = [];
  afterEach(() => {
    expect(complaints.splice(0), "what the browser complains of, and requests to other places").to.deep.equal([]);
  });
  return {
    /**
     * Opens a page, which may connect a WebSocket to its own host and to that of `alsoTo`, such as
     * `ws://127.0.0.1:7880`.
     */
    async open(context: BrowserContext, url: string, alsoTo?: string): Promise<Page> {
      context.setDefaultTimeout(50_000);
      const page = await context.newPage();
      // Failures by the content policy are console errors, too.
      page.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) complaints.push(message.text());
      });
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("request", (request) => {
        const { protocol, origin } = new URL(request.url());
        const isHere = ["data:", "blob:"].includes(protocol) || origin === new URL(url).origin;
        if (!isHere) complaints.push(`elsewhere: ${request.url()}`);
      });
      page.on("websocket", (socket) => {
        const { origin } = new URL(socket.url());
        if (![new URL(url).origin.replace(/^http/, "ws"), alsoTo].includes(origin))
          complaints.push(`elsewhere: ${socket.url()}`);
      });
      await page.goto(url);
      return page;
    },
    /** Forgets complaints that the test expects. */
    expectComplaints(pattern: RegExp): void {
      complaints.splice(0, complaints.length, ...complaints.filter((text) => !pattern.test(text)));
    },
  };
}

/** Returns when a page first paints something on a slow phone, in milliseconds. */
export async function firstPaintOf(browser: Browser, url: string): Promise<number> {
  const phone = await browser.newContext({ viewport: { width: 390, height: 844 } });
  const slow = await phone.newPage();
  const tools = await phone.newCDPSession(slow);
  await tools.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  const network = { latency: 150, downloadThroughput: 200_000, uploadThroughput: 90_000 };
  await tools.send("Network.emulateNetworkConditions", { offline: false, ...network });
  await slow.goto(url, { waitUntil: "commit" });
  const paintMs = await slow.evaluate<number>(`new Promise((resolve) => {
    const look = (list) => list.getEntriesByName("first-contentful-paint").forEach((paint) => resolve(paint.startTime));
    new PerformanceObserver(look).observe({ type: "paint", buffered: true });
  })`);
  await phone.close();
  return paintMs;
}

/** Clicks the first button with this name. */
export const press = (where: Locator | Page, name: string | RegExp) =>
  where.getByRole("button", { name, exact: true }).first().click();
