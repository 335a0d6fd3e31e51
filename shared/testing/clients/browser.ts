import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { assert } from "#shared/kernel/assert.ts";

let browser: Browser | undefined;

/**
 * Starts a headless Chromium for the tests of a `describe`, without its background network requests. Its microphone
 * beeps once a second, and pages get it without asking the user.
 */
export function useBrowser(): { readonly current: Browser } {
  before("starts Chromium", async () => {
    const executablePath = (process.env.PATH ?? "")
      .split(delimiter)
      .map((folder) => join(folder, "chromium"))
      .find(existsSync);
    assert(executablePath, "chromium is on the PATH");
    browser = await chromium.launch({
      executablePath,
      args: [
        "--no-sandbox",
        "--disable-quic",
        "--disable-background-networking",
        // Imitating one takes more than drawing in software.
        "--disable-gpu",
        // Pages of one test are of one site: processes for each, and some to spare, take more than the pages.
        "--disable-site-isolation-trials",
        "--renderer-process-limit=1",
        "--use-fake-device-for-media-stream",
        "--use-fake-ui-for-media-stream",
      ],
    });
  });
  after("stops Chromium", () => browser?.close());
  return {
    get current() {
      assert(browser, "Chromium is asked for in a test, not while the tests are described");
      return browser;
    },
  };
}
