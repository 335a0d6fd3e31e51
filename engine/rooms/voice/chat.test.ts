import { matchMaker } from "@colyseus/core";
import { expect } from "chai";
import type { RoomMessage } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { rememberSettings } from "#shared/domain/base/settings/settings.ts";
import { listMessages } from "#shared/domain/live/rooms/messages.queries.ts";
import { newId } from "#shared/kernel/ids.ts";
import { closeClients, connectSocket, type SocketClient } from "#shared/testing/clients/clients.ts";
import { type BuiltRoom, type BuiltUser, buildRoom, buildSticker, buildUser } from "#shared/testing/factories.ts";
import { upload, uploadPicture } from "#shared/testing/media.ts";
import { callerOf } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";
import { statementsOf } from "#shared/testing/statements.ts";
import { until } from "#shared/testing/until.ts";
import { useClock } from "#shared/testing/use-clock.ts";
import type { AnyActorRoom } from "../../core/any-actor-room.ts";
import { leave } from "../../core/leave.ts";

describe("the chat of a room", () => {
  const service = useService();
  const clock = useClock();
  let room: BuiltRoom;
  let ada: BuiltUser;
  let host: SocketClient;
  let member: SocketClient;
  beforeEach(async () => {
    [room, ada] = await Promise.all([buildRoom(), buildUser({ full_name: "Ada Lovelace" })]);
    [host, member] = await Promise.all(
      [room.host, ada].map(({ token }) => connectSocket(service.url, token)) as [
        Promise<SocketClient>,
        Promise<SocketClient>,
      ],
    );
    for (const { ask } of [host, member]) await ask("room:join", { room_id: room.id });
  });
  afterEach(closeClients);

  const reactedEvents = (client: SocketClient) =>
    client.inbox.all.flatMap(({ event, payload }) => (event === "message:reacted" ? [payload] : []));
  type Event = Parameters<SocketClient["ask"]>[0];
  const ask = async (client: SocketClient, event: Event, more: object) => {
    const { success, data, error } = await client.ask(event, { room_id: room.id, ...more });
    return success ? data : error.code;
  };
  const say = (client: SocketClient, body: string, more: object = {}) => ask(client, "room:message", { body, ...more });
  const rest = async (method: string, path: string, { token }: { token: string } = ada, body?: object) => {
    const answer = await service.call(method, `/rooms/${room.id}${path}`, { token, ...(body && { body }) });
    return answer.body.success ? answer.body.data : answer.body.error.code;
  };
  const history = async (user: { token: string } = ada) => (await rest("get", "/messages?limit=100", user)).items;

  it("shows plain messages as before, without a member for what they don't have", async () => {
    const said = await say(member, "Good evening!", { client_id: "c-1" });
    expect(Object.keys(said)).to.have.members(["id", "room_id", "user", "body", "kind", "created_at", "client_id"]);
    const [first] = await history();
    expect(Object.keys(first)).to.have.members(["id", "room_id", "user", "body", "kind", "created_at"]);
  });

  it("shows pictures and voice notes, and rejects what is neither said nor sent", async () => {
    const picture = await uploadPicture(service, ada, "room_message");
    const said = await say(member, "", { media_id: picture.id, client_id: "c-2" });
    expect(said).to.include({ kind: "image", body: "" });
    expect(said.media).to.deep.equal(picture.media);
    expect((await host.inbox.next("room:new_message")).message.media).to.deep.equal(picture.media);
    const [first] = await history(room.host);
    expect(first.media).to.deep.equal(picture.media);
    const again = await say(member, "", { media_id: picture.id, client_id: "c-2" });
    expect(again).to.deep.include({ id: said.id, media: said.media, client_id: "c-2" });

    const uses = async () => (await query<{ uses: number }>("SELECT uses FROM media WHERE id = $1", [picture.id]))[0];
    expect(await uses()).to.deep.equal({ uses: 1 });
    await ask(member, "message:delete", { message_id: said.id });
    expect(await uses()).to.deep.equal({ uses: 0 });

    expect(await say(member, "")).to.equal("VALIDATION_ERROR");
    expect(await say(member, "", { media_id: picture.id, kind: "voice" })).to.equal("VALIDATION_ERROR");
    expect(await say(member, "Hi", { kind: "image" })).to.equal("VALIDATION_ERROR");
    expect(await say(host, "", { media_id: picture.id })).to.equal("NOT_FOUND");
    expect(await say(member, "", { media_id: newId() })).to.equal("NOT_FOUND");
    const note = await upload(service.call, ada.token, Buffer.from("no sound"), {
      purpose: "room_message",
      content_type: "audio/ogg",
    });
    expect(note.state).to.equal("rejected");
    expect(await say(member, "", { media_id: note.id })).to.equal("CONFLICT");
  });

  it("quotes what a message answers, until that is deleted", async () => {
    const question = await say(member, `Who sings next? ${"x".repeat(300)}`);
    const answer = await say(host, "I do.", { reply_to: question.id });
    const quote = {
      id: question.id,
      user_id: ada.id,
      full_name: "Ada Lovelace",
      kind: "text",
      body: question.body.slice(0, 200),
    };
    expect(answer.reply_to).to.deep.equal(quote);
    expect((await history())[0].reply_to).to.deep.equal(quote);
    await ask(host, "message:delete", { message_id: question.id });
    expect((await history())[0].reply_to).to.deep.equal({
      id: question.id,
      user_id: null,
      full_name: null,
      kind: null,
      body: null,
    });
    expect(await say(host, "Hm?", { reply_to: question.id })).to.equal("NOT_FOUND");
    const elsewhere = await buildRoom();
    const other = await connectSocket(service.url, elsewhere.host.token);
    await other.ask("room:join", { room_id: elsewhere.id });
    const { data } = await other.ask("room:message", { room_id: elsewhere.id, body: "Not yours" });
    expect(await say(host, "Hm?", { reply_to: data.id })).to.equal("NOT_FOUND");
  });

  it("lists 50 messages with quotes, reactions, stickers, and mentions by four statements", async () => {
    const sticker = await buildSticker();
    let last: string | undefined;
    for (let n = 0; n < 50; n += 1) {
      const more = { ...(last && { reply_to: last }), mentions: [room.host.id] };
      const sent = n % 10 === 0 ? { kind: "sticker", media_id: sticker } : { body: `Message ${n}` };
      last = (await say(member, "", { ...more, ...sent })).id;
      if (n % 5 === 0) await ask(host, "message:react", { message_id: last, emoji: "🔥" });
    }
    let items: readonly RoomMessage[] = [];
    const statements = await statementsOf(async () => {
      ({ items } = await listMessages(service.actors, callerOf(room.host), room.id, { limit: 50 }));
    });
    expect(items.filter(({ reply_to, mentions }) => reply_to && mentions)).to.have.length(49);
    expect(items.filter(({ kind, media }) => kind === "sticker" && media)).to.have.length(5);
    expect(items.filter(({ reactions }) => reactions?.[0]?.mine)).to.have.length(10);
    // The messages, what they answer, the cards, and one's own reactions. Whether the reader may see them is two more.
    const ofRights = /FROM rooms WHERE id|FROM user_blocks WHERE blocker_id/;
    expect(statements.filter((statement) => !ofRights.test(statement))).to.have.length.at.most(4);
  });

  it("notifies those who are mentioned, and are in the room or run it", async () => {
    const stranger = await buildUser();
    const said = await say(host, "Ada, your turn!", { mentions: [ada.id, stranger.id, room.host.id] });
    expect(said.mentions).to.deep.equal([ada.id]);
    const notified = async ({ token }: BuiltUser) => {
      const { body } = await service.call("get", "/notifications", { token });
      return body.data.items.filter(({ type }: { type: string }) => type === "mention");
    };
    await until("Ada is notified", async () => (await notified(ada)).length === 1);
    const [one] = await notified(ada);
    expect(one.data).to.deep.include({ room_id: room.id, message_id: said.id });
    expect(one.data.user.id).to.equal(room.host.id);
    expect(await notified(stranger)).to.deep.equal([]);
    await service.call("patch", "/users/me/settings", {
      token: ada.token,
      body: { notifications: { messages: false } },
    });
    await say(host, "Ada?", { mentions: [ada.id] });
    await say(host, "Bob?");
    expect(await notified(ada)).to.have.length(1);
  });

  it("lets authors edit for 15 minutes, and keeps what was said for reports", async () => {
    const said = await say(member, "Good evning!");
    expect(await ask(host, "message:edit", { message_id: said.id, body: "Mine now" })).to.equal("FORBIDDEN");
    const edited = await ask(member, "message:edit", { message_id: said.id, body: "Good evening!" });
    expect(edited).to.deep.include({ id: said.id, body: "Good evening!" });
    const event = await host.inbox.next("message:updated");
    expect(event).to.deep.include({ message_id: said.id, body: "Good evening!", by: ada.id });
    expect(event.edited_at).to.equal(edited.edited_at);
    const again = await rest("patch", `/messages/${said.id}`, ada, { body: "Good evening, all!" });
    expect(again.body).to.equal("Good evening, all!");
    const kept = await query("SELECT body FROM message_edits WHERE message_id = $1 ORDER BY edited_at", [said.id]);
    expect(kept).to.deep.equal([{ body: "Good evning!" }, { body: "Good evening!" }]);

    const reported = await service.call("post", "/reports", {
      token: room.host.token,
      body: { target_type: "message", target_id: said.id, reason: "Spam" },
    });
    expect(reported.status).to.equal(201);
    const [evidence] = await query<{ evidence: { earlier: string[] } }>(
      "SELECT evidence FROM reports WHERE target_id = $1",
      [said.id],
    );
    expect(evidence!.evidence.earlier).to.deep.equal(["Good evning!", "Good evening!"]);

    expect(await rest("patch", `/messages/${newId()}`, ada, { body: "Hi" })).to.equal("NOT_FOUND");
    clock.forward(15 * 60_000 + 1000);
    const late = { message_id: said.id, body: "Too late" };
    const refused = await service.actors.voice(room.id, callerOf(ada), "message:edit", late);
    expect(refused).to.include({ ok: false, code: "CONFLICT" });
  });

  it("shows what has gathered before its actor moves", async () => {
    const said = await say(host, "I won!");
    await ask(member, "message:react", { message_id: said.id, emoji: "🎉" });
    await leave(matchMaker.getLocalRoomById(room.id) as unknown as AnyActorRoom);
    expect((await host.inbox.next("message:reacted")).message_id).to.equal(said.id);
  });

  it("counts reactions, tells the room their sums, and each viewer their own", async () => {
    const said = await say(host, "I won!");
    const first = await ask(member, "message:react", { message_id: said.id, emoji: "🎉" });
    expect(first).to.deep.equal({ reactions: [{ emoji: "🎉", count: 1 }] });
    await rest("put", `/messages/${said.id}/reactions/${encodeURIComponent("🔥")}`, room.host);
    await ask(host, "message:react", { message_id: said.id, emoji: "🎉" });
    await ask(host, "message:react", { message_id: said.id, emoji: "🎉" });
    await until("the room knows", () =>
      reactedEvents(member).some(({ reactions }: { reactions: object[] }) =>
        JSON.stringify(reactions).includes('"count":2'),
      ),
    );
    expect((await history())[0].reactions).to.deep.equal([
      { emoji: "🎉", count: 2, mine: true },
      { emoji: "🔥", count: 1, mine: false },
    ]);
    await ask(member, "message:unreact", { message_id: said.id, emoji: "🎉" });
    await rest("delete", `/messages/${said.id}/reactions/${encodeURIComponent("🔥")}`, room.host);
    expect((await history(room.host))[0].reactions).to.deep.equal([{ emoji: "🎉", count: 1, mine: true }]);
    expect(await ask(member, "message:react", { message_id: said.id, emoji: "🦆" })).to.equal("VALIDATION_ERROR");
    expect(await ask(member, "message:react", { message_id: newId(), emoji: "🎉" })).to.equal("NOT_FOUND");
    await ask(host, "message:unreact", { message_id: said.id, emoji: "🎉" });
    expect((await history())[0]).not.to.have.property("reactions");
  });

  it("sums a storm of reactions exactly, in few events", async () => {
    const said = await say(host, "Clap!");
    const people = await Promise.all(Array.from({ length: 10 }, () => buildUser()));
    const clients = await Promise.all(people.map(({ token }) => connectSocket(service.url, token)));
    for (const client of clients) await client.ask("room:join", { room_id: room.id });
    const emojis = ["👏", "🔥", "🎉", "❤️"];
    await Promise.all(
      clients.flatMap((client) => emojis.map((emoji) => ask(client, "message:react", { message_id: said.id, emoji }))),
    );
    await Promise.all(
      clients.slice(0, 5).map((client) => ask(client, "message:unreact", { message_id: said.id, emoji: "🔥" })),
    );
    const sums = (await history())[0].reactions.map(({ emoji, count }: { emoji: string; count: number }) => [
      emoji,
      count,
    ]);
    expect(Object.fromEntries(sums)).to.deep.equal({ "👏": 10, "🔥": 5, "🎉": 10, "❤️": 10 });
    const rows = await query("SELECT FROM message_reactions WHERE message_id = $1", [said.id]);
    expect(rows).to.have.length(35);
    await until("the room has the sums", () => {
      const last = reactedEvents(member).at(-1) as { reactions: { count: number }[] } | undefined;
      return last && last.reactions.reduce((sum, { count }) => sum + count, 0) === 35;
    });
    expect(reactedEvents(member).length).to.be.below(12);
  });

  it("lets the host and moderators pin three messages", async () => {
    const said = [];
    for (const body of ["One", "Two", "Three", "Four"]) said.push(await say(member, body));
    expect(await ask(member, "message:pin", { message_id: said[0].id })).to.equal("FORBIDDEN");
    for (const { id } of said.slice(0, 3)) await rest("put", `/pins/${id}`, room.host);
    expect(await member.inbox.next("room:pinned")).to.deep.include({
      message_id: said[0].id,
      pinned: true,
      by: room.host.id,
    });
    expect(await rest("put", `/pins/${said[0].id}`, room.host)).to.deep.equal({});
    expect(await ask(host, "message:pin", { message_id: said[3].id })).to.equal("CONFLICT");
    const pins = async () => (await rest("get", "/pins")).map(({ body }: { body: string }) => body);
    expect(await pins()).to.deep.equal(["Three", "Two", "One"]);
    await rest("delete", `/pins/${said[1].id}`, room.host);
    expect(await ask(host, "message:unpin", { message_id: said[1].id })).to.equal("NOT_FOUND");
    await ask(member, "message:delete", { message_id: said[0].id });
    expect(await pins()).to.deep.equal(["Three"]);
    expect(await ask(host, "message:pin", { message_id: newId() })).to.equal("NOT_FOUND");
  });

  it("has slow mode, no links, an announcement, and a welcome, as the host says", async () => {
    const settings = {
      slow_mode_seconds: 10,
      links_allowed: false,
      announcement: "Karaoke at nine.",
      welcome: "Be kind.",
    };
    const card = await rest("patch", "", room.host, settings);
    expect(card).to.include(settings);
    expect((await member.inbox.next("room:updated")).room).to.include(settings);
    for (const body of ["see https://example.com", "www.example.com", "come to example.com now", "see example․com"])
      expect(await say(member, body), body).to.equal("FORBIDDEN");
    expect(await say(host, "https://example.com")).to.have.property("id");
    expect(await say(member, "One")).to.have.property("id");
    expect(await say(member, "Two")).to.equal("RATE_LIMITED");
    expect(await say(host, "Two")).to.have.property("id");
    clock.forward(10_000);
    expect(await say(member, "Two")).to.have.property("id");
    await rest("patch", "", room.host, { slow_mode_seconds: 0, links_allowed: true });
    expect(await say(member, "https://example.com")).to.have.property("id");
    expect(await say(member, "https://example.org")).to.have.property("id");
  });

  it("repeats edits, reactions, and pins to those who missed them, without what was deleted", async () => {
    const said = await say(host, "A first version");
    const gone = await say(host, "To be deleted");
    await ask(host, "message:edit", { message_id: gone.id, body: "a secret edit" });
    await ask(host, "message:edit", { message_id: said.id, body: "A second version" });
    await ask(host, "message:pin", { message_id: said.id });
    await ask(host, "message:delete", { message_id: gone.id });
    const { events } = await ask(member, "room:sync", { since_seq: said ? (await rest("get", "")).seq - 6 : 0 });
    const names = events.map(({ event }: { event: string }) => event);
    expect(names).to.include.members(["message:updated", "room:pinned", "room:message_deleted"]);
    expect(JSON.stringify(events)).not.to.include("a secret edit");
  });

  it("offers the reactions of the setting", async () => {
    rememberSettings({ reactions: ["🦆"] });
    const said = await say(host, "Quack");
    expect(await ask(member, "message:react", { message_id: said.id, emoji: "🦆" })).to.have.property("reactions");
    expect(await ask(member, "message:react", { message_id: said.id, emoji: "🔥" })).to.equal("VALIDATION_ERROR");
    rememberSettings({ reactions: ["❤️", "👍", "👎", "😂", "😮", "😢", "😡", "🙏", "👏", "🔥", "🎉", "🌹"] });
  });
});
