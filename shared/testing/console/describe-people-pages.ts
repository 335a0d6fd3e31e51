import { expect } from "chai";
import { generateSync } from "otplib";
import { press } from "../clients/watched-page.ts";
import { demoAdmin, password, type Walk } from "./use-console.ts";

const secondEmail = "second@example.com";

/** Walks the pages about users, reports, approvals, and broadcasts. */
export const describePeoplePages = (walk: Walk) =>
  describe("about people", () => {
    const { visit, seen, dialog } = walk;
    let grace: string;
    before(async () => {
      grace = (await walk.logIn("grace")).user!.id;
      await walk.db.query("INSERT INTO identities (provider, subject, user_id) VALUES ('line', 'line-of-grace', $1)", [
        grace,
      ]);
      await walk.db.query(
        `INSERT INTO pgboss.job (name, data, source_name, source_id, source_created_on, source_retry_count, source_output)
         VALUES ('dead_letters', '{}', 'statistics.count', gen_random_uuid(), now(), 2, '{"message": "Error: out of luck"}')`,
      );
      await walk.db.query(
        `INSERT INTO outbox_dead_letters (id, topic, payload, slot, target, attempts, error, created_at)
         VALUES (1, 'test.lost', '{}', -1, 'unknown', 10, 'Error: out of reach', now())`,
      );
    });

    it("decide a report with its evidence on the first page", async () => {
      const { admin, page } = walk;
      const [author, reporter] = [await walk.logIn("grace"), await walk.logIn("ada")];
      const post = await author.posts.create({ content: "Cheap followers in my shop", visibility: "public" });
      await reporter.request("createReport", {
        body: { target_type: "post", target_id: post.id, reason: "spam", details: "Every day" },
      });

      await visit("/", "Overview");
      const shown = page.getByRole("article", { name: "Report of Grace Hopper" });
      await shown.getByText("Cheap followers in my shop").waitFor();
      await press(shown, "Remove");
      await dialog().getByText("can't be shown again").waitFor();
      await press(dialog(), "Remove");
      await seen("No open reports");
      expect((await admin.request("getPost", { params: { id: post.id } })).status).to.equal("removed");
    });

    it("retry a failed job, and an undelivered domain event", async () => {
      const { page } = walk;
      await seen("Error: out of luck");
      await press(page, "Retry statistics.count");
      await seen("It will be tried again.");
      await press(page, "Retry test.lost");
      await page.getByText("Error: out of reach").waitFor({ state: "detached" });
      await page
        .getByRole("row", { name: /20\d\d/ })
        .first()
        .waitFor({ state: "attached" });
    });

    it("lead from a run to its lines, and from a line to the gifts that it counts", async () => {
      const { page } = walk;
      const links = page.getByRole("region", { name: "See also" }).getByRole("link");
      await visit("/runs", "Runs");
      await page.getByRole("row", { name: /Paid/ }).getByRole("link", { name: /^#/ }).click();
      await links.first().waitFor();
      await walk.expectNoFaults("the page of a run");
      await links.filter({ hasText: "Run lines" }).click();
      await page.getByText("1 entry").waitFor();
      await page.getByRole("row").getByRole("link", { name: /^#/ }).click();
      await links.filter({ hasText: "Gifts" }).click();
      await page.waitForURL(/reference_type=gift_transaction/);
      await seen("Nothing matches");
    });

    it("suspend from a report with a reason, and not for ever by default", async () => {
      const { admin, page } = walk;
      const [author, reporter] = [await walk.logIn("grace"), await walk.logIn("ada")];
      const post = await author.posts.create({ content: "Followers for sale", visibility: "public" });
      await reporter.request("createReport", {
        body: { target_type: "post", target_id: post.id, reason: "spam", details: "Again" },
      });

      // The page reads its reports again when it is opened.
      await page.reload();
      await visit("/", "Overview");
      await page.getByRole("article", { name: "Report of Grace Hopper" }).getByText("Details").click();
      await walk.heading("Report of Grace Hopper");
      const shown = page.getByRole("article", { name: "Report of Grace Hopper" });
      await shown.getByText("Followers for sale").waitFor();
      const decisions = await shown.getByRole("button").allTextContents();
      expect(decisions).to.deep.equal(["Dismiss", "Warn", "Hide", "Remove", "Suspend"]);
      await press(shown, "Suspend");
      expect(await dialog().getByLabel("For", { exact: true }).inputValue()).to.equal("7 days");
      expect(await dialog().getByLabel("Reason").getAttribute("required")).not.to.equal(null);
      await dialog().getByLabel("Reason").fill("Spam");
      await press(dialog(), "Suspend");
      await shown.getByRole("button").first().waitFor({ state: "detached" });
      await page.locator("#main").getByText("Resolved", { exact: true }).waitFor();

      const user = await admin.request("getUser", { params: { id: grace } });
      const days = (Date.parse(user.suspended_until!) - Date.now()) / 86_400_000;
      expect(days).to.be.within(6.9, 7);
      await admin.request("reactivateUser", { params: { id: grace } });
    });

    it("close the search with Escape", async () => {
      const { page } = walk;
      await page.keyboard.press("/");
      await dialog().getByPlaceholder("A name, or an ID of anything").fill("Grace");
      await page.keyboard.press("Escape");
      await dialog().waitFor({ state: "detached" });
    });

    it("find a user by a name and by an ID, with the keyboard", async () => {
      const { page } = walk;
      for (const text of ["Grace Hop", grace]) {
        await visit("/", "Overview");
        await page.keyboard.press("/");
        await dialog().getByPlaceholder("A name, or an ID of anything").fill(text);
        await page.getByRole("option", { name: /Grace Hopper/ }).waitFor();
        await page.keyboard.press("Enter");
        await walk.heading("Grace Hopper");
      }
    });

    it("tell a user's whole story, suspend and reactivate them", async () => {
      const { page } = walk;
      for (const name of ["Sanctions", "Wallet", "Rooms", "Gifts", "Reports", "Orders", "Sessions", "Audit log"])
        await page.getByRole("region", { name, exact: true }).waitFor();

      await press(page, "Suspend");
      await dialog().getByLabel("Reason").fill("Spam in three rooms");
      await press(dialog(), "Suspend");
      await seen("Suspended since");
      const trail = page.getByRole("region", { name: "Audit log" });
      const entry = trail.getByRole("article", { name: /^user.suspend/ }).filter({ hasText: "Spam in three rooms" });
      await entry.waitFor();
      expect(await entry.getByRole("row", { name: /^Status/ }).textContent()).to.equal("Statusactivesuspended");

      await press(page, "Reactivate");
      await press(dialog(), "Reactivate");
      await seen("Not suspended.");
    });

    it("unlink a way to log in from a user, for a reason", async () => {
      const { page } = walk;
      await visit(`/users/${grace}`, "Grace Hopper");
      await press(page, "Unlink: line");
      await dialog().getByLabel("Reason").fill("Their account there was stolen");
      await press(dialog(), "Unlink");
      await seen("Done.");
      await page.getByText("line-of-grace").waitFor({ state: "detached" });
      const { rows } = await walk.db.query("SELECT provider FROM identities WHERE user_id = $1", [grace]);
      expect(rows).to.deep.equal([{ provider: "password" }]);
    });

    it("show what changed in the audit log, with the filters in the address", async () => {
      const { page } = walk;
      const body = { adjustment_approval_above: 100, catalogue_adjustment_approval_above: 100 };
      await walk.admin.request("updateSettings", { body });
      await visit("/audit-logs", "Audit log");
      await page.getByLabel("Action", { exact: true }).fill("setting.change");
      await press(page, "Apply");
      const entries = page.getByRole("article", { name: /^setting.change/ });
      await entries.getByRole("row", { name: /100$/ }).first().waitFor();
      expect(page.url()).to.contain("?action=setting.change");
    });

    it("leave adjustments of coins and of prepaid money to another administrator", async () => {
      const { admin, page, db } = walk;
      await visit(`/users/${grace}`, "Grace Hopper");
      const balance = async () => (await admin.request("getUser", { params: { id: grace } })).wallet.balance;
      const before = await balance();
      await press(page, "Adjust balance");
      await dialog().getByLabel("Coins").fill("500");
      await dialog().getByLabel("Reason").fill("A gift was lost");
      await press(dialog(), "Adjust balance");
      await seen("The adjustment waits for another administrator.");
      const money = { user_id: grace, currency: "USD", amount: "250.00", reason: "A deposit by bank" };
      await admin.request("adjustCatalogueBalance", { body: money });

      await visit("/approvals", "Approvals");
      const own = page.getByRole("article", { name: "+500 coins" });
      await own.getByText("another administrator must approve it").waitFor();
      expect(await own.getByRole("button").allTextContents()).to.deep.equal(["Take back"]);

      await db.query(
        `INSERT INTO admins (id, email, full_name, password_hash, role_id)
         SELECT gen_random_uuid(), $1, 'Second', password_hash, role_id FROM admins WHERE email = $2`,
        [secondEmail, demoAdmin],
      );
      const second = await walk.open("/approvals");
      await walk.signIn(secondEmail, password, second);
      for (const [name, verb] of [
        ["+500 coins", "Approve"],
        ["+250 USD", "Decline"],
      ] as const) {
        await press(second.getByRole("article", { name }), verb);
        const numbers = [before, before + 500].map((value) => value.toLocaleString("en"));
        if (verb === "Approve") await second.getByText(`Grace Hopper: ${numbers.join(" → ")} coins.`).waitFor();
        await press(second.getByRole("dialog"), verb);
        await second.getByText(`The adjustment was ${verb.toLowerCase()}d.`).waitFor();
      }
      await second.context().close();
      const { items } = await admin.request("listMoneyAdjustments");
      expect(items.map(({ status }) => status)).to.deep.equal(["declined"]);
      expect(await balance()).to.equal(before + 500);
    });

    it("say what a refund gives and takes, with amounts in their currency", async () => {
      const { page, db } = walk;
      const [order, payment] = [crypto.randomUUID(), crypto.randomUUID()];
      await db.query(
        `INSERT INTO payment_orders (id, user_id, kind, status, amount, currency, title, credit, package_id, provider,
           provider_order_id, expires_at, paid_at)
         SELECT $1, $2, 'coins', 'paid', 49900, 'INR', 'Chest', 900000, id, 'sandbox', 'of the walk', now(), now()
         FROM coin_packages LIMIT 1`,
        [order, grace],
      );
      await db.query(
        `INSERT INTO payments (id, order_id, provider, provider_payment_id, amount, settles)
         VALUES ($1, $2, 'sandbox', 'of the walk', 49900, true)`,
        [payment, order],
      );
      await visit(`/orders/${order}`, "Chest");
      await page.getByRole("definition").filter({ hasText: "₹499.00" }).nth(1).waitFor();
      expect(await page.locator("#main").textContent()).not.to.contain("49,900");
      await press(page, "Refund an order");
      const effect = dialog().getByRole("alert");
      await effect.getByText("Refunds ₹499.00 to Grace Hopper. 900,000 coins are taken back.").waitFor();
      await effect.getByText(/so that [\d,]+ coins become a debt/).waitFor();
      await dialog().getByLabel("Reason").fill("Bought by mistake");
      await press(dialog(), "Refund an order");
      await dialog().waitFor({ state: "detached" });

      await visit("/audit-logs", "Audit log");
      const entry = page.getByRole("article", { name: /^order.refund/ });
      await entry.getByText("Amount: ₹499.00").waitFor();
      await entry.getByText("Status: paid").waitFor();
      expect(await entry.getByRole("table").count()).to.equal(0);
    });

    it("set up a second factor with a QR code, and disable it with a recovery code", async () => {
      const { page } = walk;
      await visit("/account/second-factor", "Second factor");
      await page.getByLabel("Your password").fill(password);
      await press(page, "Set it up");
      await page.getByAltText("QR code of the secret").waitFor();
      expect(await page.evaluate("document.querySelector('.qr').naturalWidth")).to.be.greaterThan(50);
      const secret = (await page.locator("code").first().textContent())!;
      await page.getByLabel("Code").fill(generateSync({ secret }));
      // The codes are shown once. They don't wait for the account, which says that there is a second factor now.
      const shown = Promise.withResolvers<void>();
      await page.route("**/api/v1/admin/me", (route) => shown.promise.then(() => route.continue()));
      await press(page, "Confirm");
      await seen("Your second factor is set up.");
      shown.resolve();
      await page.unrouteAll({ behavior: "wait" });
      const [recovery] = await page.getByRole("list", { name: "Recovery codes" }).locator("code").allTextContents();
      await press(page, "I have kept them");

      await page.getByLabel("Code").fill(recovery!);
      await press(page, "Disable it");
      await page.getByRole("button", { name: "Set it up" }).waitFor();
    });

    it("preview a broadcast, and show its progress", async () => {
      const { page } = walk;
      await visit("/notifications/new", "New broadcast");
      const preview = page.getByRole("region", { name: "What they will see" });
      await preview.getByText("Reaches 3 users.").waitFor();
      await page.getByLabel("Title").fill("Festival");
      await page.getByLabel("Text").fill("Tonight at 8.");
      await preview.getByText("Tonight at 8.").waitFor();
      await press(page, "Send");
      await dialog().getByText("3 users get this notification now.").waitFor();
      await press(dialog(), "Send");
      await walk.heading("Festival");
      await seen("3 of 3 users notified");
    });

    it("stop a broadcast that waits for its time", async () => {
      const { admin, page } = walk;
      const scheduled_at = new Date(Date.now() + 86_400_000).toISOString();
      const body = { title: "Tomorrow", body: "At 8.", audience: "all", scheduled_at } as const;
      const { id } = await admin.request("createBroadcast", { body });
      await visit(`/notifications/${id}`, "Tomorrow");
      await press(page, "Stop");
      await dialog().getByText("No user has received this notification, and none will.").waitFor();
      await press(dialog(), "Stop");
      await seen("The broadcast was stopped.");
      await page.getByText("Stopped", { exact: true }).waitFor();
      expect((await admin.request("getBroadcast", { params: { id } })).status).to.equal("stopped");
    });
  });
