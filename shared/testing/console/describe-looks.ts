import { expect } from "chai";
import { faultsOf, firstPaintOf, fits, press } from "../clients/watched-page.ts";
import type { Walk } from "./use-console.ts";

/** Walks all pages again: how they look wide and narrow, in dark and light, and from right to left. */
export const describeLooks = (walk: Walk) =>
  describe("in all its looks", () => {
    /** Colors fade, and the navigation slides out of a narrow page. */
    const settle = () =>
      walk.page.evaluate("Promise.allSettled(document.getAnimations().map(({ finished }) => finished))");
    /** Only the page itself, without what surrounds each. */
    const faultsAt = async (path: string, width: number, colorScheme: "dark" | "light", within = "#main") => {
      const { page } = walk;
      await page.setViewportSize({ width, height: 844 });
      await page.emulateMedia({ colorScheme });
      await settle();
      return faultsOf(`${path} at ${width}, ${colorScheme}`, page, within);
    };

    it("fits a phone with every page of the navigation", async () => {
      const { page } = walk;
      await walk.openNavigation();
      const links = await page.getByRole("navigation").getByRole("link").all();
      const entries = await Promise.all(
        links.map(async (link) => ({ path: await link.getAttribute("href"), label: await link.textContent() })),
      );
      expect(entries.length).to.be.above(30);
      const faults: string[] = [];
      await page.setViewportSize({ width: 390, height: 844 });
      for (const { path, label } of entries) {
        await walk.visit(path!.replace("/admin", ""), label!);
        await walk.loaded();
        if (!(await fits(page))) faults.push(`${path} is too wide`);
      }
      expect(faults).to.deep.equal([]);
    });

    it("is accessible, wide and light as well as narrow and dark", async () => {
      const { page, admin } = walk;
      const query = { limit: 1 };
      const lists = [
        ["/users", await admin.request("listUsers", { query })],
        ["/catalogue/orders", await admin.request("listCatalogueOrders", { query })],
        ["/notifications", await admin.request("listNotifications", { query })],
      ] as const;
      const records = lists.map(([path, { items }]) => `${path}/${items[0]!.id}`);
      const own = ["/", "/audit-logs", "/approvals", "/account/second-factor", "/notifications/new", "/catalogue"];
      const generic = ["/users?status=active", "/health", "/catalogue/top-ups/1", "/settings", "/transactions"];
      const faults: string[] = [];
      for (const path of [...own, ...records, ...generic]) {
        await walk.goTo(path);
        await walk.loaded();
        faults.push(...(await faultsAt(path, 1280, "light")), ...(await faultsAt(path, 390, "dark")));
      }
      faults.push(...(await faultsAt("all", 1280, "dark", "html")), ...(await faultsAt("all", 390, "light", "html")));
      await press(page, "Filters");
      faults.push(...(await faultsOf("filters", page, "#main")));
      await page.keyboard.press("/");
      await walk.dialog().getByPlaceholder("A name, or an ID of anything").fill("grace");
      await page.getByRole("option").first().waitFor();
      faults.push(...(await faultsOf("the search", page)));
      await press(walk.dialog(), "Close");
      expect(faults).to.deep.equal([]);
    });

    it("paints something on a slow phone, and this test prints when", async () => {
      const paintMs = await firstPaintOf(walk.browser, `${walk.service.url}/admin`);
      console.log(`\n  The console's first paint on a slow phone: ${paintMs.toFixed(0)} ms.`);
      expect(paintMs).to.be.above(0);
    });

    it("speaks Arabic, from right to left", async () => {
      const { page } = walk;
      await page.setViewportSize({ width: 1280, height: 844 });
      await press(page, /Your account/);
      await page.getByRole("menuitem", { name: "العربية" }).click();
      await page.locator("html[dir=rtl]").waitFor();
      const faults: string[] = [];
      for (const path of ["/", "/users", "/notifications/new"]) {
        await walk.goTo(path);
        await page
          .locator("#main h1")
          .filter({ hasText: /[\u0600-\u06ff]/ })
          .waitFor();
        if (!(await fits(page))) faults.push(`${path} scrolls sideways at 1280`);
        faults.push(...(await faultsAt(path, 390, "light")));
        await page.setViewportSize({ width: 1280, height: 844 });
      }
      faults.push(...(await faultsAt("/notifications/new", 1280, "dark", "html")));
      expect(faults).to.deep.equal([]);
    });
  });
