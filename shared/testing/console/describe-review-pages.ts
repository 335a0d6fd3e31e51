import { expect } from "chai";
import { silence, speechRate, wavHead } from "#shared/domain/live/evidence/speech.ts";
import { press } from "../clients/watched-page.ts";
import { until } from "../until.ts";
import type { Walk } from "./use-console.ts";

/** Walks the review queue by keys, and the appeals. */
export const describeReviewPages = (walk: Walk) =>
  describe("about reviews", () => {
    const { visit, seen, dialog } = walk;
    const queued = async (cause: string) => {
      const { items } = await walk.admin.request("listReviewQueue", { query: { sort: "due_at", limit: 50 } });
      return items.filter((one) => one.cause === cause).map(({ status }) => status);
    };
    const decided = (cause: string, statuses: readonly string[]) =>
      until(`${cause} is ${statuses}`, async () => String(await queued(cause)) === String(statuses));
    const article = (text: string) => walk.page.locator("article").filter({ hasText: text }).waitFor();

    it("decide reports and held content by keys, one after another, and take the last back", async () => {
      const { page } = walk;
      const [author, reporter] = [await walk.logIn("grace"), await walk.logIn("ada")];
      const target_id = author.user!.id;
      await reporter.request("createReport", {
        body: { target_type: "user", target_id, reason: "Shouting", details: "" },
      });
      await author.posts.create({ content: "Whatsapp me for more", visibility: "public" });
      await author.posts.create({ content: "Text me at night", visibility: "public" });
      await visit("/review-queue", "Review queue");
      await article("Shouting");
      await walk.loaded();
      await walk.expectNoFaults("the review queue");
      for (const text of ["Whatsapp me for more", "Text me at night"]) {
        await page.keyboard.press("j");
        await article(text);
      }
      await page.keyboard.press("r");
      await seen("Grace Hopper: released");
      await article("Whatsapp me for more");
      await page.keyboard.press("u");
      await article("Text me at night");
      await page.keyboard.press("x");
      await article("Whatsapp me for more");
      await page.keyboard.press("r");
      await article("Shouting");
      await page.keyboard.press("w");
      await seen("Nothing to review.");
      // What can still be undone is sent when the page is left.
      await visit("/", "Overview");
      await decided("Shouting", ["closed"]);
      const mine = async () =>
        (await author.request("listOwnHeldContent")).map(({ text, status }) => `${text}: ${status}`);
      await until("both are decided", async () => !String(await mine()).includes("held"));
      expect(await mine()).to.deep.equal(["Text me at night: rejected", "Whatsapp me for more: released"]);
    });

    it("sanction with a reason, and as the last time with one key", async () => {
      const { page } = walk;
      const author = await walk.logIn("grace");
      await author.posts.create({ content: "Text me at seven", visibility: "public" });
      await author.posts.create({ content: "Text me at eight", visibility: "public" });
      await visit("/review-queue", "Review queue");
      await article("Text me at seven");
      await page.keyboard.press("t");
      await dialog("Sanction Grace Hopper")
        .getByRole("textbox", { name: /^Reason/ })
        .fill("Selling coins");
      await walk.expectNoFaults("the sanction's dialog");
      await press(dialog(), "Sanction");
      await article("Text me at eight");
      await page.keyboard.press("t");
      await seen("Grace Hopper: sanctioned: Post, Chat, Message, 1 day");
      await visit("/", "Overview");
      await until(
        "both sanctions hold",
        async () => (await author.request("listOwnSanctions")).filter(({ kinds }) => kinds.length === 3).length === 2,
      );
    });

    it("list the keys, which can be turned off", async () => {
      const { page } = walk;
      await visit("/review-queue?view=closed", "Review queue");
      const turn = async () => {
        await press(page, /^Keys/);
        await dialog("Keys").getByRole("switch", { name: "Decide by keys" }).press("Space");
        await page.keyboard.press("Escape");
        await dialog().waitFor({ state: "detached" });
      };
      await turn();
      await page.keyboard.press("?");
      expect(await dialog().count()).to.equal(0);
      await turn();
      await page.keyboard.press("?");
      await dialog("Keys").getByText("Undo").waitFor();
      await page.keyboard.press("Escape");
    });

    it("decide an appeal beside what it is about, except against one's own sanction", async () => {
      const { page } = walk;
      const author = await walk.logIn("grace");
      const [own, other] = await author.request("listOwnSanctions");
      for (const { id } of [own!, other!])
        await author.request("appealSanction", { params: { id }, body: { text: `It wasn't me: ${id}` } });
      await walk.db.query("UPDATE sanctions SET created_by = NULL WHERE id = $1", [other!.id]);
      await visit("/appeals", "Appeals");
      await seen("This was your decision");
      await page.setViewportSize({ width: 390, height: 844 });
      await walk.expectNoFaults("appeals on a phone");
      await page.setViewportSize({ width: 1280, height: 900 });
      const shown = walk.page.getByRole("article").filter({ hasText: other!.id });
      await shown.getByText("Selling coins").waitFor();
      await shown.getByRole("textbox", { name: "Answer" }).fill("We believe you.");
      await press(shown, "Overturn");
      await shown.waitFor({ state: "detached" });
      await seen("“We believe you.”");
      const lifted = (await author.request("listOwnSanctions")).find(({ id }) => id === other!.id);
      expect(lifted).to.include({ status: "lifted" });
      expect(lifted!.appeal).to.include({ status: "overturned", answer: "We believe you." });
      await walk.admin.request("liftSanction", { params: { id: own!.id } });
    });

    it("decide the appeal of a removal beside what was removed and what was reported", async () => {
      const author = await walk.logIn("grace");
      const post = await author.posts.create({ content: "My neighbor is a fool", visibility: "public" });
      const reporter = await walk.logIn("ada");
      const { id } = await reporter.request("createReport", {
        body: { target_type: "post", target_id: post.id, reason: "Insults", details: "" },
      });
      const told = "Leave your neighbors in peace.";
      await walk.admin.request("resolveReport", {
        params: { id },
        body: { resolution: "resolved", action: "remove", told },
      });
      await walk.db.query("UPDATE removals SET removed_by = NULL WHERE content_id = $1", [post.id]);
      const [removal] = await author.request("listOwnRemovals");
      await author.request("appealRemoval", { params: { id: removal!.id }, body: { text: "They laughed." } });
      await walk.page.reload();
      await visit("/appeals", "Appeals");
      const shown = walk.page.getByRole("article").filter({ hasText: "They laughed." });
      for (const text of [told, "What was removed", "Insults"]) await shown.getByText(text).waitFor();
      expect(await shown.getByText("My neighbor is a fool").count()).to.equal(2);
      await walk.expectNoFaults("the appeal of a removal");
      await shown.getByRole("textbox", { name: "Answer" }).fill("It reads like a joke.");
      await press(shown, "Overturn");
      await shown.waitFor({ state: "detached" });
      expect((await reporter.request("getPost", { params: { id: post.id } })).content).to.equal(
        "My neighbor is a fool",
      );
    });

    it("play evidence of voice once another administrator has approved", async () => {
      const { page, db } = walk;
      const { rows } = await db.query(
        `WITH evidence AS (
           INSERT INTO voice_evidence (id, room_id, key_sealed, expires_at)
           SELECT uuidv7(), id, 'unknown', now() + interval '30 days' FROM rooms LIMIT 1 RETURNING id)
         INSERT INTO voice_evidence_pieces (evidence_id, number, user_id, started_at, samples, content)
         SELECT evidence.id, 1, users.id, now(), 48000, '' FROM evidence, users WHERE username = 'grace'
         RETURNING evidence_id AS id`,
      );
      await visit("/voice-evidence", "Voice evidence");
      await visit(`/voice-evidence/${rows[0].id}`, "3 seconds");
      await press(page, "Request to listen");
      await dialog().getByLabel("Reason").fill("Threats");
      await press(dialog(), "Request to listen");
      await page.locator("#main").getByText("Requested", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Listen to evidence of voice" }).waitFor({ state: "detached" });
      await db.query(
        `UPDATE voice_evidence SET approved_at = now(), approved_by = admins.id FROM admins
         WHERE voice_evidence.id = $1 AND admins.id <> requested_by`,
        [rows[0].id],
      );
      await page.reload();
      await press(page, "Listen to evidence of voice");
      await press(dialog(), "Listen to evidence of voice");
      const src = await page.locator("audio").getAttribute("src");
      expect(src).to.match(new RegExp(`^/voice-evidence/${rows[0].id}/`));
      await walk.expectNoFaults("evidence of voice");
    });

    it("can play the audio of evidence", async () => {
      const file = Buffer.concat([wavHead(3 * speechRate), silence(3 * speechRate)]).toString("base64");
      const seconds = await walk.page.evaluate(`new OfflineAudioContext(1, 1, ${speechRate})
        .decodeAudioData(Uint8Array.from(atob("${file}"), (one) => one.charCodeAt(0)).buffer)
        .then(({ duration }) => duration)`);
      expect(seconds).to.equal(3);
    });
  });
