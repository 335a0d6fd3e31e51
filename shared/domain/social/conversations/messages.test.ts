import { expect } from "chai";
import type { StickerPack } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { newId } from "#shared/kernel/ids.ts";
import { closeClients, connectSocket, type SocketClient } from "#shared/testing/clients/clients.ts";
import { type BuiltUser, buildSticker, buildUser } from "#shared/testing/factories.ts";
import { upload, uploadPicture } from "#shared/testing/media.ts";
import { block } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";

describe("the messages of a conversation", () => {
  const service = useService();
  let ada: BuiltUser;
  let bob: BuiltUser;
  let path: string;
  let watching: SocketClient;
  beforeEach(async () => {
    [ada, bob] = await Promise.all([buildUser({ full_name: "Ada" }), buildUser({ full_name: "Bob" })]);
    const opened = await service.call("post", "/conversations", { token: ada.token, body: { peer_id: bob.id } });
    path = `/conversations/${opened.body.data.id}`;
    watching = await connectSocket(service.url, bob.token);
  });
  afterEach(closeClients);

  const ask = async (user: BuiltUser, method: string, below: string, body?: object) => {
    const answer = await service.call(method, path + below, { token: user.token, ...(body && { body }) });
    return answer.body.success ? answer.body.data : answer.body.error.code;
  };
  const say = (user: BuiltUser, body: string, more: object = {}) => ask(user, "post", "/messages", { body, ...more });
  const history = async (user: BuiltUser) => (await ask(user, "get", "/messages")).items;

  it("shows plain messages as before, without a member for what they don't have", async () => {
    const said = await say(ada, "Hello");
    const members = ["id", "conversation_id", "sender_id", "body", "attachment_url", "read_at", "created_at"];
    expect(Object.keys(said)).to.have.members(members);
    expect(Object.keys((await history(bob))[0])).to.have.members(members);
  });

  it("shows pictures and files to the two only, by signed addresses", async () => {
    const picture = await uploadPicture(service, ada, "conversation");
    const said = await say(ada, "", { media_id: picture.id, client_id: "c-1" });
    expect(said).to.include({ kind: "image", body: "" });
    const [seen] = await history(bob);
    expect(seen.media).to.include({ id: picture.id, kind: "image", width: 640 });
    expect((await fetch(seen.media.url)).status).to.equal(200);
    expect((await fetch(seen.media.url.replace(/\?.*/, ""))).status).to.equal(404);
    expect((await watching.inbox.next("dm:new")).message.media.id).to.equal(picture.id);
    expect(await say(ada, "", { media_id: picture.id, client_id: "c-1" })).to.include({ id: said.id, kind: "image" });
    const inbox = await service.call("get", "/conversations", { token: bob.token });
    expect(inbox.body.data.items[0].last_message.media.id).to.equal(picture.id);

    const file = await upload(service.call, ada.token, Buffer.from("%PDF-1.4\n%âãÏÓ\n1 0 obj\n<<>>\nendobj\n"), {
      purpose: "conversation",
      content_type: "application/pdf",
      announce: { name: "menu.pdf" },
    });
    expect(await say(ada, "The menu", { media_id: file.id, kind: "image" })).to.equal("VALIDATION_ERROR");
    expect(await say(ada, "The menu", { media_id: file.id, kind: "file" })).to.include({ kind: "file" });
    expect((await history(bob))[0].media).to.include({ name: "menu.pdf", content_type: "application/pdf" });
    expect(await say(bob, "", { media_id: file.id })).to.equal("NOT_FOUND");
    expect(await say(ada, "")).to.equal("VALIDATION_ERROR");

    await ask(ada, "delete", `/messages/${said.id}`);
    const [{ uses }] = (await query<{ uses: number }>("SELECT uses FROM media WHERE id = $1", [picture.id])) as [
      { uses: number },
    ];
    expect(uses).to.equal(0);
  });

  it("sends stickers of the packs that administrators offer, alone", async () => {
    const sticker = await buildSticker();
    const packs = (await service.call("get", "/sticker-packs", { token: ada.token })).body.data;
    const offered = packs.flatMap(({ stickers }: StickerPack) => stickers);
    expect(offered.map(({ id }: { id: string }) => id)).to.include(sticker);
    const said = await say(ada, "", { kind: "sticker", media_id: sticker });
    expect(said).to.deep.include({ kind: "sticker", body: "" });
    const media = {
      id: sticker,
      kind: "image",
      name: "Waving owl",
      url: "https://cdn.example.com/w.webp",
      variants: [],
    };
    expect((await history(bob))[0].media).to.deep.include(media);
    expect(await say(ada, "Look", { kind: "sticker", media_id: sticker })).to.equal("VALIDATION_ERROR");
    expect(await say(ada, "", { kind: "sticker" })).to.equal("VALIDATION_ERROR");
    expect(await say(ada, "", { media_id: sticker })).to.equal("NOT_FOUND");
    await query("UPDATE stickers SET retired_at = now() WHERE id = $1", [sticker]);
    expect(await say(ada, "", { kind: "sticker", media_id: sticker })).to.equal("NOT_FOUND");
    expect((await history(bob))[0].media).to.include({ id: sticker });
  });

  it("quotes what a message answers, until that is deleted", async () => {
    const question = await say(ada, "Are you coming?");
    const answer = await say(bob, "Yes!", { reply_to: question.id });
    const quote = { id: question.id, user_id: ada.id, full_name: "Ada", kind: "text", body: "Are you coming?" };
    expect(answer.reply_to).to.deep.equal(quote);
    expect((await history(ada))[0].reply_to).to.deep.equal(quote);
    await ask(ada, "delete", `/messages/${question.id}`);
    const gone = { id: question.id, user_id: null, full_name: null, kind: null, body: null };
    expect((await history(ada))[0].reply_to).to.deep.equal(gone);
    expect(await say(bob, "Hm?", { reply_to: question.id })).to.equal("NOT_FOUND");
    expect(await say(bob, "Hm?", { reply_to: newId() })).to.equal("NOT_FOUND");
  });

  it("lets senders edit and delete, tells both, and keeps for reports what was said", async () => {
    const said = await say(ada, "Helo");
    expect(await ask(bob, "patch", `/messages/${said.id}`, { body: "Mine" })).to.equal("FORBIDDEN");
    const edited = await ask(ada, "patch", `/messages/${said.id}`, { body: "Hello" });
    expect(edited).to.include({ body: "Hello" }).and.to.have.property("edited_at");
    const event = await watching.inbox.next("message:updated");
    expect(event).to.include({ message_id: said.id, body: "Hello", by: ada.id, edited_at: edited.edited_at });
    expect(event).not.to.have.any.keys("room_id", "seq", "user_ids");
    expect(await query("SELECT body FROM message_edits WHERE message_id = $1", [said.id])).to.deep.equal([
      { body: "Helo" },
    ]);

    expect(await ask(bob, "delete", `/messages/${said.id}`)).to.equal("FORBIDDEN");
    expect(await ask(ada, "delete", `/messages/${said.id}`)).to.deep.equal({});
    expect(await watching.inbox.next("dm:deleted")).to.include({ message_id: said.id, by: ada.id });
    const [shown] = await history(bob);
    expect(shown).to.include({ id: said.id, body: "", deleted: true }).and.not.to.have.property("edited_at");
    expect(await ask(ada, "delete", `/messages/${said.id}`)).to.equal("NOT_FOUND");
    expect(await ask(ada, "patch", `/messages/${said.id}`, { body: "Back" })).to.equal("NOT_FOUND");
  });

  it("counts reactions, and tells both", async () => {
    const said = await say(ada, "I won!");
    const emoji = encodeURIComponent("🎉");
    expect(await ask(bob, "put", `/messages/${said.id}/reactions/${emoji}`)).to.deep.equal({
      reactions: [{ emoji: "🎉", count: 1 }],
    });
    await ask(ada, "put", `/messages/${said.id}/reactions/${emoji}`);
    await until("Bob knows", () =>
      watching.inbox.of("message:reacted").some(({ reactions }) => reactions[0]?.count === 2),
    );
    expect((await history(bob))[0].reactions).to.deep.equal([{ emoji: "🎉", count: 2, mine: true }]);
    await ask(bob, "delete", `/messages/${said.id}/reactions/${emoji}`);
    expect((await history(bob))[0].reactions).to.deep.equal([{ emoji: "🎉", count: 1, mine: false }]);
    expect(await ask(bob, "put", `/messages/${newId()}/reactions/${emoji}`)).to.equal("NOT_FOUND");
    expect(await ask(bob, "put", `/messages/${said.id}/reactions/x`)).to.equal("VALIDATION_ERROR");
  });

  it("pins three messages for both", async () => {
    const said = [];
    for (const body of ["One", "Two", "Three", "Four"]) said.push(await say(ada, body));
    for (const { id } of said.slice(0, 3)) expect(await ask(bob, "put", `/pins/${id}`)).to.deep.equal({});
    await until("Bob knows", () =>
      watching.inbox.of("conversation:updated").some(({ pinned_ids }) => pinned_ids.length === 3),
    );
    expect(await ask(bob, "put", `/pins/${said[3].id}`)).to.equal("CONFLICT");
    const pins = async () => (await ask(ada, "get", "/pins")).map(({ body }: { body: string }) => body);
    expect(await pins()).to.deep.equal(["Three", "Two", "One"]);
    expect(await ask(ada, "delete", `/pins/${said[1].id}`)).to.deep.equal({});
    expect(await ask(ada, "delete", `/pins/${said[1].id}`)).to.equal("NOT_FOUND");
    expect(await pins()).to.deep.equal(["Three", "One"]);
  });

  it("does none of it while one has blocked the other", async () => {
    const said = await say(ada, "Hello");
    await block(bob, ada);
    const emoji = encodeURIComponent("🎉");
    expect(await ask(ada, "patch", `/messages/${said.id}`, { body: "Hi" })).to.equal("BLOCKED");
    expect(await ask(ada, "delete", `/messages/${said.id}`)).to.equal("BLOCKED");
    expect(await ask(ada, "put", `/messages/${said.id}/reactions/${emoji}`)).to.equal("BLOCKED");
    expect(await ask(ada, "put", `/pins/${said.id}`)).to.equal("BLOCKED");
    expect(await ask(ada, "get", "/pins")).to.equal("BLOCKED");
  });
});
