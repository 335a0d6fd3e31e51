import { fileURLToPath } from "node:url";
import { chromium, type Page } from "playwright-core";
import { press } from "./clients/watched-page.ts";

/**
 * `npm run pictures -- http://127.0.0.1:3000` takes the README's pictures of the demo and the console, from a service
 * with demo data that is running. Needs Chromium.
 */
const [, , url = "http://127.0.0.1:3000"] = process.argv;
const folder = fileURLToPath(new URL("../../docs/pictures/", import.meta.url));
const take = (page: Page, name: string) => page.screenshot({ path: `${folder}${name}.jpg`, type: "jpeg", quality: 82 });

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium" });
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  await page.goto(`${url}/demo`);
  await press(page, "Put both in one room");
  const [ada, grace] = [page.locator("[data-person=ada]"), page.locator("[data-person=grace]")];
  await press(grace, "Seat 3, free");
  await press(ada, "Approve");
  for (const [who, text] of [
    [grace, "Good evening! Is this the late show?"],
    [ada, "It is. Next song in two minutes."],
  ] as const) {
    await who.getByLabel("Chat message", { exact: true }).fill(text);
    await press(who, "Send");
  }
  await grace.getByText("Next song in two minutes.").waitFor();
  await take(page, "demo");

  await page.goto(`${url}/admin`);
  await page.getByRole("textbox", { name: "Email address" }).fill("demo-admin@example.com");
  await page.getByLabel("Password", { exact: true }).fill("listen to the room");
  await press(page, "Sign in");
  await page.locator("#main h1").waitFor();
  await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" });
  await take(page, "console");
} finally {
  await browser.close();
}
