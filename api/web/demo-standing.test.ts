import { expect } from "chai";
import type { Locator, Page } from "playwright-core";
import { useBrowser } from "#shared/testing/clients/browser.ts";
import { faultsOf, press, usePageWatch } from "#shared/testing/clients/watched-page.ts";
import { createDatabase } from "#shared/testing/database.ts";
import { type SpawnedService, spawnService, stopServices } from "#shared/testing/spawned-service.ts";
import { until } from "#shared/testing/until.ts";
import { type Admin, createAdmin } from "../../shared/client/admin.ts";

describe("the demo, to those who write", function () {
  this.timeout(60_000);
  const browser = useBrowser();
  const watch = usePageWatch();
  let service: SpawnedService;
  before(async () => {
    service = await spawnService({
      NODE_ENV: "development",
      DEMO_BOTS: "off",
      DATABASE_URL: await createDatabase({ migrated: true }),
      JWT_SECRET: "of-the-test".repeat(4),
    });
  });
  after(() => stopServices("SIGTERM"));
  const fill = (where: Locator, label: string, text: string) => where.getByLabel(label, { exact: true }).fill(text);
  const say = async (who: Locator, text: string) => {
    await fill(who, "Chat message", text);
    await press(who, "Send");
  };

  /** Ada reports Grace's message, and Grace the room. */
  async function report(shown: Page, admin: Admin): Promise<void> {
    const [reader, writer] = [shown.locator("[data-person=ada]"), shown.locator("[data-person=grace]")];
    await press(reader, "Report “Whatsapp me tonight”");
    const dialog = reader.getByRole("dialog", { name: "Report" });
    await dialog.getByLabel("Reason").selectOption("Spam or fraud");
    await fill(dialog, "What happened?", "Sells accounts");
    expect(await faultsOf("the dialog of a report", shown)).to.deep.equal([]);
    await press(dialog, "Send the report");
    await reader.getByText("Thank you. We will look at it.").waitFor();
    await press(writer, "Report the room");
    await writer.getByRole("dialog", { name: "Report" }).getByLabel("Reason").selectOption("Something else");
    await press(writer, "Send the report");
    const reported = async () =>
      (await admin.request("listReports", { query: { status: "open" } })).items.map(
        ({ target_type, reason }) => `${target_type}: ${reason}`,
      );
    await until("both are reported", async () => (await reported()).includes("room: Something else"));
    expect(await reported()).to.include("message: Spam or fraud");
  }

  it("keeps what they type while something is sent", async () => {
    const context = await browser.current.newContext();
    const shown = await watch.open(context, `${service.url}/demo`);
    const ada = shown.locator("[data-person=ada]");
    const held = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    await context.route("**/api/v1/posts", async (route) => {
      asked.resolve();
      await held.promise;
      await route.continue();
    });
    await press(ada, "Feed");
    await fill(ada, "New post", "The first");
    await press(ada, "Post");
    await asked.promise;
    await fill(ada, "New post", "The second");
    held.resolve();
    await ada.getByText("The first").waitFor();
    const field = ada.getByLabel("New post", { exact: true });
    expect(await field.inputValue()).to.equal("The second");
    await press(ada, "Post");
    await until("it is empty", async () => (await field.inputValue()) === "");
    await context.close();
  });

  it("shows what is masked, blocked, and held, a sanction with its appeal, and new terms", async () => {
    const admin = createAdmin({ url: service.url });
    await admin.login({ email: "demo-admin@example.com", password: "listen to the room" });
    const context = await browser.current.newContext({ viewport: { width: 1280, height: 900 } });
    const shown = await watch.open(context, `${service.url}/demo`);
    const [reader, writer] = [shown.locator("[data-person=ada]"), shown.locator("[data-person=grace]")];
    await press(shown, "Put both in one room");
    await say(writer, "What the heck");
    await reader.getByRole("log").getByText("What the ****").waitFor();
    await say(writer, "Buy my account");
    await writer.getByText("Accounts can't be sold here.").waitFor();

    await say(writer, "Whatsapp me tonight");
    const told = writer.getByRole("region", { name: "From the moderators to Grace Hopper" });
    await told.getByText("Held: others see it once it has been reviewed.").waitFor();
    const inChat = writer.getByRole("log").getByText("Held: others see it once it has been reviewed.");
    await inChat.waitFor();
    expect(await reader.getByRole("log").getByText("Whatsapp me tonight").count()).to.equal(0);
    expect(await faultsOf("a held message", shown)).to.deep.equal([]);
    const { items } = await admin.request("listReviewQueue", { query: { status: "open", kind: "content" } });
    await admin.request("decideHeldContent", { params: { id: items[0]!.id }, body: { decision: "release" } });
    await told.getByText("Released: others see it.").waitFor();
    await reader.getByRole("log").getByText("Whatsapp me tonight").waitFor();
    await inChat.waitFor({ state: "detached" });

    await report(shown, admin);
    const sanction = { user_id: items[0]!.user_id, kinds: ["chat" as const], reason: "Selling coins" };
    const { id } = await admin.request("imposeSanction", { body: sanction });
    await told.getByText("You can't use: chat in rooms").waitFor();
    await fill(told, "Your appeal", "It was a joke.");
    await press(told, "Appeal");
    await told.getByText("Your appeal is being looked at.").waitFor();
    expect(await faultsOf("what moderators say", shown)).to.deep.equal([]);
    await admin.request("liftSanction", { params: { id } });

    await admin.request("updateSettings", { body: { terms_version: "2027-01" } });
    await until("the terms hold", async () => {
      await say(writer, "Good night");
      return (await told.getByText("The terms have changed.").count()) > 0;
    });
    await press(told, "Accept");
    await told.getByText("The terms have changed.").waitFor({ state: "detached" });
    watch.expectComplaints(/403|4\d\d/);
    await context.close();
  });
});
