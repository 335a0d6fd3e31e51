import { expect } from "chai";
import type { Report } from "#shared/contracts/views.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { blockUser } from "#shared/domain/identity/relations/block-user.ts";
import { updateMe } from "#shared/domain/identity/users/update-me.ts";
import { addComment } from "#shared/domain/social/posts/add-comment.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { type BuiltUser, buildPost, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { callerOf, outcomeOf, setStatus } from "#shared/testing/people.ts";
import { eraseReports } from "./erase-reports.ts";
import { fileReport } from "./file-report.ts";

type Target = Pick<Report, "target_type" | "target_id">;

describe("reports", () => {
  useDatabase();
  let ada: BuiltUser;
  let eve: BuiltUser;
  beforeEach(async () => {
    [ada, eve] = await Promise.all([buildUser(), buildUser({ full_name: "Eve Dropper" })]);
  });

  const report = (target: Target, reporter = ada) =>
    fileReport(callerOf(reporter), { ...target, reason: "Harassment", details: "Since Monday." });
  const stored = (reportId: string) =>
    queryOne<{ reporter_id: string; target_user_id: string; evidence: object }>(
      "SELECT reporter_id, target_user_id, evidence FROM reports WHERE id = $1",
      [reportId],
    );
  const eveHerself = (): Target => ({ target_type: "user", target_id: eve.id });

  async function roomMessage(): Promise<Target> {
    const id = newId();
    const { id: roomId } = await buildRoom();
    await query("INSERT INTO room_messages (id, room_id, user_id, body) VALUES ($1, $2, $3, 'You fool')", [
      id,
      roomId,
      eve.id,
    ]);
    return { target_type: "message", target_id: id };
  }

  async function directMessage(to: BuiltUser): Promise<Target> {
    const [id, conversation] = [newId(), newId()];
    const [low, high] = [eve.id, to.id].toSorted();
    await query("INSERT INTO conversations (id, low_user_id, high_user_id, started_by) VALUES ($1, $2, $3, $2)", [
      conversation,
      low,
      high,
    ]);
    await query(
      "INSERT INTO conversation_members (conversation_id, user_id, peer_id) VALUES ($1, $2, $3), ($1, $3, $2)",
      [conversation, low, high],
    );
    await query(
      "INSERT INTO direct_messages (id, conversation_id, sender_id, body, created_at) VALUES ($1, $2, $3, 'You fool', now())",
      [id, conversation, eve.id],
    );
    return { target_type: "message", target_id: id };
  }

  it("keep the target as it read, its owner and the reporter", async () => {
    await updateMe(callerOf(eve), { bio: "I hate you" });
    const filed = await report(eveHerself());
    expect(filed).to.include({ ...eveHerself(), reason: "Harassment", details: "Since Monday.", status: "open" });
    expect(filed).not.to.have.any.keys("reporter_id", "evidence");
    await updateMe(callerOf(eve), { bio: "I love everybody", full_name: "Saint Eve" });
    expect(await stored(filed.id)).to.deep.equal({
      reporter_id: ada.id,
      target_user_id: eve.id,
      evidence: {
        username: eve.username,
        full_name: "Eve Dropper",
        bio: "I hate you",
        avatar_url: null,
        cover_url: null,
      },
    });
  });

  it("accept users, rooms, messages of rooms and conversations, posts and comments", async () => {
    const room = await buildRoom({ host: eve, name: "Fools only" });
    const post = await buildPost({ author: eve, content: "Fools!" });
    const comment = await addComment(callerOf(eve), (await buildPost({ author: ada })).id, "Fool!");
    const targets: [Target, object][] = [
      [{ target_type: "room", target_id: room.id }, { name: "Fools only" }],
      [await roomMessage(), { body: "You fool", deleted: false }],
      [await directMessage(ada), { body: "You fool" }],
      [
        { target_type: "post", target_id: post.id },
        { content: "Fools!", media: [] },
      ],
      [{ target_type: "comment", target_id: comment.id }, { content: "Fool!" }],
    ];
    for (const [target, evidence] of targets) {
      const { id } = await report(target);
      const row = (await stored(id))!;
      expect(row.target_user_id, target.target_type).to.equal(eve.id);
      expect(row.evidence, target.target_type).to.deep.include(evidence);
      expect(await outcomeOf(report(target, eve)), target.target_type).to.equal("FORBIDDEN");
      const another = (["user", "room", "message", "post", "comment"] as const).find(
        (type) => type !== target.target_type,
      )!;
      expect(await outcomeOf(report({ ...target, target_type: another }))).to.equal("NOT_FOUND");
    }
  });

  it("are created once while open: one of 20 concurrent ones", async () => {
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => outcomeOf(report(eveHerself()))));
    expect(outcomes.filter((outcome) => outcome === "ok")).to.have.length(1);
    expect(outcomes.filter((outcome) => outcome === "CONFLICT")).to.have.length(19);
    expect(await outcomeOf(report(eveHerself(), await buildUser()))).to.equal("ok");
    await query("UPDATE reports SET status = 'dismissed', closed_at = now() WHERE reporter_id = $1", [ada.id]);
    expect(await outcomeOf(report(eveHerself()))).to.equal("ok");
  });

  it("are possible despite a block, a suspension or a deleted chat message", async () => {
    const message = await roomMessage();
    await query("UPDATE room_messages SET deleted_at = now(), deleted_by = user_id WHERE id = $1", [message.target_id]);
    await blockUser(callerOf(eve), ada.id);
    await setStatus(eve, "suspended");
    expect(await outcomeOf(report(eveHerself()))).to.equal("ok");
    const { id } = await report(message);
    expect((await stored(id))?.evidence).to.include({ body: "You fool", deleted: true });
  });

  it("reject targets that do not exist or that the reporter can't have seen", async () => {
    for (const target_type of ["user", "room", "message", "post", "comment"] as const)
      expect(await outcomeOf(report({ target_type, target_id: newId() })), target_type).to.equal("NOT_FOUND");
    expect(await outcomeOf(report(await directMessage(await buildUser())))).to.equal("NOT_FOUND");
    const hidden = await buildPost({ author: eve, visibility: "followers" });
    const comment = await addComment(callerOf(eve), hidden.id, "Only us");
    expect(await outcomeOf(report({ target_type: "post", target_id: hidden.id }))).to.equal("NOT_FOUND");
    expect(await outcomeOf(report({ target_type: "comment", target_id: comment.id }))).to.equal("NOT_FOUND");
  });

  it("keep only the id of a deleted account", async () => {
    const [of, by] = [await report(eveHerself()), await report({ target_type: "user", target_id: ada.id }, eve)];
    const erase = () => inTransaction((tx) => eraseReports(tx, eve.id));
    expect([await erase(), await erase()]).to.deep.equal([2, 0]);
    const words = (id: string) => queryOne("SELECT reason, details, evidence FROM reports WHERE id = $1", [id]);
    expect(await words(of.id)).to.deep.equal({ reason: "Harassment", details: "Since Monday.", evidence: {} });
    expect(await words(by.id)).to.deep.include({ reason: "", details: "" });
    expect((await stored(by.id))?.evidence).to.include({ username: ada.username });
  });
});
