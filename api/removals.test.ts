import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { exportParts } from "#shared/domain/operations/exports/export-parts.ts";
import { pruneRemovals } from "#shared/domain/social/removals/removals.ts";
import { type BuiltAdmin, buildAdmin } from "#shared/testing/admins.ts";
import { closeClients, connectSocket } from "#shared/testing/clients/clients.ts";
import { type BuiltUser, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";

describe("what was removed", () => {
  const service = useService();
  let admin: BuiltAdmin;
  let other: BuiltAdmin;
  let ada: BuiltUser;
  let bob: BuiltUser;
  beforeEach(async () => {
    [admin, other, ada, bob] = await Promise.all([buildAdmin(), buildAdmin(), buildUser(), buildUser()]);
  });
  afterEach(closeClients);

  const ask = async (user: BuiltUser, method: string, path: string, body?: object) => {
    const answer = await service.call(method, path, { token: user.token, ...(body && { body }) });
    return answer.body.success ? answer.body.data : answer.body.error;
  };
  const byAdmin = async (by: BuiltAdmin, method: string, path: string, body?: object) => {
    const answer = await service.admin(method, path, { token: by.token, ...(body && { body }) });
    return answer.body.success ? answer.body.data : answer.body.error.code;
  };
  const removeReported = async (target_type: string, target_id: string, told?: string) => {
    const { id } = await ask(bob, "post", "/reports", { target_type, target_id, reason: "Spam" });
    const { effects } = await byAdmin(admin, "post", `/reports/${id}/resolve`, {
      resolution: "resolved",
      action: "remove",
      note: "Third this week.",
      ...(told && { told }),
    });
    expect(effects).to.have.length(1);
  };
  /** Appeals the latest removal of Ada's, and has it decided. */
  const appeal = async (overturn = true) => {
    const [removal] = await ask(ada, "get", "/users/me/removals");
    const appealed = await ask(ada, "post", `/users/me/removals/${removal.id}/appeal`, { text: "It was a joke." });
    expect(appealed.appeal).to.include({ status: "open", text: "It was a joke." });
    const { items } = await byAdmin(other, "get", `/appeals?status=open&user_id=${ada.id}`);
    expect(items[0]).to.include({ removal_id: removal.id, sanction_id: null, about: removal.text });
    const { sanction, removal: about } = await byAdmin(other, "get", `/appeals/${items[0].id}`);
    expect([sanction, about.text, about.reason]).to.deep.equal([null, removal.text, removal.reason]);
    const decide = (by: BuiltAdmin) =>
      byAdmin(by, "post", `/appeals/${items[0].id}/decide`, { overturn, answer: "We looked again." });
    expect(await decide(admin)).to.equal("FORBIDDEN");
    expect(await decide(other)).to.include({ answer: "We looked again." });
    const [now] = await ask(ada, "get", "/users/me/removals");
    expect(now.appeal.answer).to.equal("We looked again.");
    return now;
  };

  it("comes back as it was after an appeal: a post with its comments and counts, and a comment", async () => {
    const post = await ask(ada, "post", "/posts", { content: "What a day!" });
    await ask(bob, "post", `/posts/${post.id}/like`);
    const comment = await ask(ada, "post", `/posts/${post.id}/comments`, { content: "Indeed." });
    const seen = () => ask(bob, "get", `/posts/${post.id}`);
    const before = await seen();
    expect(before).to.include({ comments_count: 1, likes_count: 1 });
    await byAdmin(admin, "post", `/posts/${post.id}/remove`, {});
    expect((await seen()).code).to.equal("NOT_FOUND");
    const [removal] = await ask(ada, "get", "/users/me/removals");
    expect(removal).to.deep.include({ kind: "post", content_id: post.id, text: "What a day!", appeal: null });
    const told = async () => (await ask(ada, "get", "/notifications")).items.map(({ type }: { type: string }) => type);
    await until("Ada is notified", async () => (await told()).includes("content_removed"));
    expect((await appeal()).restored_at).to.be.a("string");
    expect(await seen()).to.deep.equal(before);

    await byAdmin(admin, "post", `/comments/${comment.id}/remove`, {});
    expect((await seen()).comments_count).to.equal(0);
    await appeal();
    expect((await ask(bob, "get", `/posts/${post.id}/comments`)).items[0].content).to.equal("Indeed.");
    expect(await seen()).to.deep.equal(before);
  });

  it("comes back as it was: a message of a room, with its pin, and of a conversation", async () => {
    const room = await buildRoom({ host: bob });
    const [host, guest] = await Promise.all([bob, ada].map(({ token }) => connectSocket(service.url, token)));
    for (const client of [host!, guest!]) await client.ask("room:join", { room_id: room.id });
    const { data } = await guest!.ask("room:message", { room_id: room.id, body: "Hello" });
    await ask(bob, "put", `/rooms/${room.id}/pins/${data.id}`);
    const { id: conversation } = await ask(ada, "post", "/conversations", { peer_id: bob.id });
    const sent = await ask(ada, "post", `/conversations/${conversation}/messages`, { body: "Hi", client_id: "one" });
    const inRoom = async () => [
      (await ask(bob, "get", `/rooms/${room.id}/messages`)).items,
      await ask(bob, "get", `/rooms/${room.id}/pins`),
    ];
    const inConversation = async () => (await ask(bob, "get", `/conversations/${conversation}/messages`)).items;
    const before = [await inRoom(), await inConversation()];
    await removeReported("message", data.id);
    expect((await inRoom())[0]).to.deep.equal([]);
    await appeal();
    await removeReported("message", sent.id);
    expect((await inConversation())[0].body).to.equal("");
    expect((await ask(ada, "get", "/users/me/removals"))[0]).to.include({ kind: "direct_message", text: "Hi" });
    await appeal();
    expect([await inRoom(), await inConversation()]).to.deep.equal(before);
  });

  it("stays away when the appeal is lost, is appealed once, and for 30 days", async () => {
    const post = await ask(ada, "post", "/posts", { content: "What a day!" });
    await byAdmin(admin, "post", `/posts/${post.id}/hide`, {});
    const { id, restored_at } = await appeal(false);
    expect(restored_at).to.equal(null);
    expect((await ask(bob, "get", `/posts/${post.id}`)).code).to.equal("NOT_FOUND");
    const again = () => ask(ada, "post", `/users/me/removals/${id}/appeal`, { text: "Please." });
    expect((await again()).code).to.equal("CONFLICT");

    const { id: conversation } = await ask(ada, "post", "/conversations", { peer_id: bob.id });
    const sent = await ask(ada, "post", `/conversations/${conversation}/messages`, { body: "Hi" });
    await removeReported("message", sent.id);
    await query("UPDATE removals SET created_at = now() - interval '31 days' WHERE content_id = $1", [sent.id]);
    const [old] = await ask(ada, "get", "/users/me/removals");
    expect((await ask(ada, "post", `/users/me/removals/${old.id}/appeal`, { text: "Please." })).code).to.equal(
      "CONFLICT",
    );
    expect(await pruneRemovals()).to.equal(1);
    expect(await query("SELECT kept FROM removals WHERE id = $1", [old.id])).to.deep.equal([{ kept: null }]);
  });

  it("says why to its author, not what administrators note: in the list, the notification, and the export", async () => {
    const said = "Insults aren't allowed here.";
    const standard = "This breaks the community guidelines.";
    const write = async (content: string) => (await ask(ada, "post", "/posts", { content })).id as string;
    const [post, other_post, third] = [await write("One"), await write("Two"), await write("Three")];
    await removeReported("post", post, said);
    await removeReported("post", other_post);
    await byAdmin(admin, "post", "/posts/remove", { ids: [third], reason: "Spam again", told: said });
    const removals = await ask(ada, "get", "/users/me/removals");
    expect(removals.map(({ reason }: { reason: string }) => reason)).to.deep.equal([said, standard, said]);
    const told = async () =>
      (await ask(ada, "get", "/notifications")).items.filter(
        ({ type }: { type: string }) => type === "content_removed",
      );
    await until("Ada is notified", async () => (await told()).length === 3);
    const [{ body, data }] = await told();
    expect(body).to.include(said);
    expect(data).to.include({ kind: "post", reason: said });
    const exported = await query<{ reason: string }>(exportParts.find(({ name }) => name === "removals")!.sql, [
      ada.id,
    ]);
    expect(exported.map(({ reason }) => reason)).to.deep.equal([said, standard, said]);
    expect(JSON.stringify([removals, await told(), exported])).not.to.match(/Third this week|Spam again/);
  });

  it("comes back as it was: the pictures of a profile, unless there are others by now", async () => {
    const [avatar_url, cover_url] = ["https://pictures.example/ada.png", "https://pictures.example/cover.png"];
    const pictures = async () => {
      const { avatar_url, cover_url } = await ask(bob, "get", `/users/${ada.id}`);
      return [avatar_url, cover_url];
    };
    await ask(ada, "patch", "/users/me", { avatar_url, cover_url });
    await removeReported("user", ada.id, "Not a picture of yours.");
    expect(await pictures()).to.deep.equal([null, null]);
    const [cover, avatar] = await ask(ada, "get", "/users/me/removals");
    expect(cover).to.include({ kind: "picture", text: cover_url, reason: "Not a picture of yours." });
    expect(avatar).to.include({ kind: "picture", text: avatar_url });
    expect((await appeal()).restored_at).to.be.a("string");
    expect(await pictures()).to.deep.equal([null, cover_url]);

    const newer = "https://pictures.example/newer.png";
    await ask(ada, "patch", "/users/me", { avatar_url: newer });
    await ask(ada, "post", `/users/me/removals/${avatar.id}/appeal`, { text: "It is mine." });
    const { items } = await byAdmin(other, "get", `/appeals?status=open&user_id=${ada.id}`);
    const { review } = await byAdmin(other, "get", `/appeals/${items[0].id}`);
    expect(review).to.include({ kind: "report", about: "user", cause: "Spam" });
    expect(review.evidence).to.include({ avatar_url });
    await byAdmin(other, "post", `/appeals/${items[0].id}/decide`, { overturn: true, answer: "It is yours." });
    expect(await pictures()).to.deep.equal([newer, cover_url]);
  });
});
