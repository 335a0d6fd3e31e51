import { expect } from "chai";
import { generateSync } from "otplib";
import { press } from "#shared/testing/clients/watched-page.ts";
import { describeCataloguePages } from "#shared/testing/console/describe-catalogue-pages.ts";
import { describeLooks } from "#shared/testing/console/describe-looks.ts";
import { describePeoplePages } from "#shared/testing/console/describe-people-pages.ts";
import { describeReviewPages } from "#shared/testing/console/describe-review-pages.ts";
import { demoAdmin, password, useConsole } from "#shared/testing/console/use-console.ts";
import { makePicture } from "#shared/testing/media.ts";
import { until } from "#shared/testing/until.ts";
import { createAdmin } from "../../shared/client/admin.ts";

describe("the console", function () {
  this.timeout(60_000);
  const walk = useConsole("/gifts?sort=-price");
  const { watch, heading, field, told, signIn, choose, dialog, expectNoFaults } = walk;
  /** Changes the page as a link does. */
  const go = async (name: string) => {
    await walk.openNavigation();
    await walk.page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
    await heading(name);
  };

  it("is served under a policy with a nonce for each request, and is in the start's output", async () => {
    const pages = await Promise.all([1, 2].map(() => fetch(`${walk.service.url}/admin/users`)));
    const policies = pages.map(({ headers }) => headers.get("content-security-policy")!);
    expect(policies[0]).to.include("default-src 'none'; script-src 'self'; style-src 'self' 'nonce-");
    expect(policies[0]).not.to.include("unsafe");
    expect(policies[0]).not.to.equal(policies[1]);
    expect(pages[0]!.headers.get("cache-control")).to.equal("no-store");
    expect(walk.service.output()).to.include(`${walk.service.url}/admin`);
  });

  it("asks for a login at any address, and opens it afterwards", async () => {
    await heading("Sign in");
    await expectNoFaults("the login");
    await signIn(demoAdmin, "wrong");
    await told(/incorrect|invalid|wrong/i);
    watch.expectComplaints(/status of 401/);

    await signIn(demoAdmin, password);
    await heading("Gifts");
    expect(new URL(walk.page.url()).search).to.equal("?sort=-price");
  });

  it("keeps the search, the filters, and the order of a list in the address", async () => {
    const names = () => walk.page.getByRole("row").locator("td:first-child").allTextContents();
    await walk.page.getByRole("row", { name: /^Castle/ }).waitFor();
    expect((await names()).slice(0, 2)).to.deep.equal(["Castle", "Yacht"]);

    await press(walk.page, "Filters");
    await walk.page.getByRole("combobox", { name: "Category" }).fill("class");
    await walk.page.getByRole("option", { name: "Classic" }).click();
    await walk.page.waitForURL(/category_id=/);
    await walk.page.getByRole("searchbox", { name: "Search" }).fill("rose");
    await walk.page.waitForURL(/q=rose/);
    await walk.page.getByText("1 entry").waitFor();
    await walk.page.reload();
    await walk.page.getByText("1 entry").waitFor();
    expect(await names()).to.deep.equal(["Rose"]);
    expect(await walk.page.getByRole("searchbox", { name: "Search" }).inputValue()).to.equal("rose");
    await walk.page.goBack();
    await walk.page.getByText(/^[2-9] entries/).waitFor();
  });

  it("downloads a list as it is narrowed", async () => {
    const file = walk.page.waitForEvent("download");
    await press(walk.page, "CSV");
    expect((await file).suggestedFilename()).to.equal("gifts.csv");
  });

  it("creates, changes, and deletes a record by keyboard alone, and says before what a deletion does", async () => {
    await go("Gift categories");
    await walk.page.getByRole("button", { name: "Create a gift category" }).focus();
    await walk.page.keyboard.press("Enter");
    await field(/^Name/).waitFor();
    await expectNoFaults("a form");
    await field(/^Name/).focus();
    await walk.page.keyboard.type("Festival");
    await walk.page.keyboard.press("Enter");
    await told("Done: Create a gift category");

    await choose("Festival", "Update");
    await field(/^Name/).fill("Festivals");
    await walk.page.keyboard.press("Enter");
    await walk.page.getByRole("link", { name: "Festivals" }).click();
    await heading("Festivals");

    await press(walk.page, "Delete a gift category");
    await dialog("Delete a gift category: Festivals").getByText("Deletes Festivals.").waitFor();
    await walk.page.keyboard.press("Escape");
    await walk.page.getByRole("dialog").waitFor({ state: "detached" });
    await press(walk.page, "Delete a gift category");
    await dialog(/^Delete/)
      .getByRole("button", { name: "Delete a gift category" })
      .click();
    await heading("Gift categories");
  });

  it("shows what the server rejects beside its field", async () => {
    await press(walk.page, "Create a gift category");
    await field(/^Name/).fill("Classic");
    await press(walk.page.getByRole("dialog"), "Create a gift category");
    await told(/already|taken/);
    watch.expectComplaints(/status of 409/);
    await press(walk.page.getByRole("dialog"), "Close");
  });

  it("acts on a record with a reason, from its row", async () => {
    await go("Rooms");
    await choose("Night owls", "Close a room");
    await dialog("Close a room: Night owls").getByText("Its members are told the reason and leave").waitFor();
    await expectNoFaults("an action");
    await field(/^Reason/).fill("Repairs");
    await press(walk.page.getByRole("dialog"), "Close a room");
    await told("Done: Close a room");
    await walk.page.getByRole("row", { name: /^Night owls.*Closed/ }).waitFor();
    const { items } = await walk.admin.request("listAuditLogs", { query: { action: "room.close" } });
    expect(items[0]).to.include({ reason: "Repairs" });
  });

  it("acts on several selected records together", async () => {
    const grace = await walk.logIn("grace");
    for (const content of ["First spam", "Second spam", "A moth"])
      await grace.posts.create({ content, visibility: "public" });
    await go("Posts");
    for (const name of ["First spam", "Second spam"]) await walk.page.getByLabel(`Select ${name}`).check();
    await walk.page.getByText("2 selected").waitFor();
    await press(walk.page, "Hide several posts");
    await field(/^Reason/).fill("Spam");
    await press(dialog("Hide several posts"), "Hide several posts");
    await told("Done with 2 records");
    const { items } = await walk.admin.request("listPosts", { query: { status: "hidden" } });
    expect(items.length).to.equal(2);
  });

  it("shows the secret of an event endpoint once, and offers what its state allows", async () => {
    await go("Event endpoints");
    await press(walk.page, "Create an event endpoint");
    await field(/^URL/).fill("http://127.0.0.1:9/hook");
    await walk.page.getByRole("combobox", { name: /^Kinds/ }).fill("user registered");
    await walk.page.getByRole("option", { name: "User registered" }).click();
    await walk.page.keyboard.press("Escape");
    await press(walk.page.getByRole("dialog"), "Create an event endpoint");
    await walk.page.getByRole("dialog").getByText("This secret is shown only now.").waitFor();
    expect(await walk.page.getByRole("dialog").locator("pre").textContent()).to.match(/^whsec_/);
    await press(walk.page.getByRole("dialog"), "Close");
    const [endpoint] = (await walk.admin.request("listEventEndpoints", { query: {} })).items;
    await walk.goTo(`/event-endpoints/${endpoint!.id}`);
    await walk.page.getByRole("button", { name: "Pause an event endpoint" }).waitFor();
    expect(await walk.page.getByRole("button", { name: "Resume an event endpoint" }).count()).to.equal(0);
    expect(await walk.page.getByText("whsec_").count()).to.equal(0);
  });

  it("changes settings, and asks with what it changes", async () => {
    await go("Settings");
    await field("App name").fill("Hubbub at night");
    await press(walk.page, "Save 1 change");
    await walk.page.getByRole("dialog").getByText("Changes App name for all users").waitFor();
    await press(walk.page.getByRole("dialog"), "Save");
    await told("The settings are saved");
    await walk.page.getByText("Default: Hubbub.").waitFor();
  });

  it("returns to the page when the session has ended", async () => {
    await walk.openNavigation();
    const kept = await walk.page.evaluate<string>("sessionStorage.getItem('hubbub-admin')");
    const authorization = `Bearer ${JSON.parse(kept).accessToken}`;
    await fetch(`${walk.service.url}/api/v1/admin/logout`, { method: "POST", headers: { authorization } });
    await walk.page.getByRole("navigation").getByRole("link", { name: "Tickets" }).click();
    await walk.page.getByText("Your session has ended").waitFor();
    watch.expectComplaints(/status of 401/);

    await signIn(demoAdmin, password);
    await heading("Tickets");
  });

  it("uploads the art of a gift, and shows it", async () => {
    const { page } = walk;
    await walk.visit("/gifts", "Gifts");
    await page.getByRole("link", { name: "Rose" }).click();
    await heading("Rose");
    await press(page, "Edit");
    const picker = page.waitForEvent("filechooser");
    await dialog().getByRole("button", { name: "Upload: Image URL" }).click();
    await (await picker).setFiles({
      name: "rose.png",
      mimeType: "image/png",
      buffer: await makePicture({ type: "png" }),
    });
    const address = () => dialog().getByRole("textbox", { name: "Image URL" }).inputValue();
    await until("it is uploaded", async () => (await address()).includes("/media/"));
    const url = await address();
    await press(dialog(), "Save");
    const shown = page.locator(`.picture img[src="${url}"]`).first();
    await shown.waitFor();
    await until("the picture is loaded", () =>
      shown.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth > 0),
    );

    await press(page, "Edit");
    const again = page.waitForEvent("filechooser");
    await dialog().getByRole("button", { name: "Upload: Image URL" }).click();
    const text = { name: "rose.png", mimeType: "image/png", buffer: Buffer.from("not a picture") };
    await (await again).setFiles(text);
    await dialog().getByText("The content isn't image/png.").waitFor();
    await page.keyboard.press("Escape");
  });

  it("asks for the code of a second factor, and shows a role no more than it may", async () => {
    const role = await walk.admin.request("createRole", { body: { name: "shop", permissions: ["gifts.read"] } });
    const email = "keeper@example.com";
    await walk.admin.request("createAdmin", { body: { email, full_name: "Shop Keeper", password, role_id: role.id } });
    const keeper = createAdmin({ url: walk.service.url });
    await keeper.login({ email, password });
    const { secret } = await keeper.request("enrollSecondFactor", { body: { password } });
    const confirmed = await keeper.request("confirmSecondFactor", { body: { code: generateSync({ secret }) } });

    const shown = await walk.open("/gifts");
    await signIn(email, password, shown);
    await field("Code", shown).fill(confirmed.recovery_codes[0]!);
    watch.expectComplaints(/status of 401/);
    await press(shown, "Sign in");
    await heading("Gifts", shown);
    await shown.getByRole("link", { name: "Rose" }).waitFor();
    const entries = await shown.getByRole("navigation").getByRole("link").allTextContents();
    expect(entries).to.deep.equal(["Gifts"]);
    expect(await shown.getByRole("button", { name: "Create a gift" }).count()).to.equal(0);

    await shown.goto(`${walk.service.url}/admin/users`);
    await told("permission", shown);
    await shown.context().close();
  });

  describePeoplePages(walk);
  describeReviewPages(walk);
  describeCataloguePages(walk);
  describeLooks(walk);
});
