import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import type { BrowserContext, Locator, Page } from "playwright-core";

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

let axe: Promise<string> | undefined;

/** Returns what axe finds in the page as it is, and whether it is wider than its window. */
export async function faultsOf(what: string, page: Page): Promise<string[]> {
  axe ??= readFile(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");
  const isWide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
  await page.evaluate(await axe);
  const { violations } = (await page.evaluate("axe.run()")) as { violations: Violation[] };
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
    /** Opens a page, which may connect a WebSocket to its own host and to that of `alsoTo`, such as `ws://127.0.0.1:7880`. */
    async open(context: BrowserContext, url: string, alsoTo?: string): Promise<Page> {
      context.setDefaultTimeout(15_000);
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

/** Clicks the first button with this name. */
export const press = (where: Locator | Page, name: string | RegExp) =>
  where.getByRole("button", { name, exact: true }).first().click();
