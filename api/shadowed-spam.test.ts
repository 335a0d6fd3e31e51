import { expect } from "chai";
import type { DirectMessage, RoomMessage } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { places } from "#shared/domain/base/filter/places.ts";
import { loadRules } from "#shared/domain/base/filter/rules.ts";
import { changeSettings } from "#shared/domain/base/settings/change-settings.ts";
import { type BuiltAdmin, buildAdmin } from "#shared/testing/admins.ts";
import { closeClients, connectSocket, type SocketClient } from "#shared/testing/clients/clients.ts";
import { type BuiltRoom, type BuiltUser, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { adminCaller } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";

type Message = RoomMessage & DirectMessage;

describe("spam that is shadowed", () => {
  const service = useService();
  let admin: BuiltAdmin;
  let spammer: BuiltUser;
  let bob: BuiltUser;
  let room: BuiltRoom;
  let conversation: string;
  let writer: SocketClient;
  let reader: SocketClient;
  let rule: string;

  const ask = async (user: BuiltUser, method: string, path: string, body?: object) => {
    const answer = await service.call(method, path, { token: user.token, ...(body && { body }) });
    return answer.body.success ? answer.body.data : answer.body.error;
  };
  const byAdmin = async (method: string, path: string, body?: object) => {
    const answer = await service.admin(method, path, { token: admin.token, ...(body && { body }) });
    return answer.body.success ? answer.body.data : answer.body.error;
  };
  const repeats = { kind: "repeats", times: 2, seconds: 60 };
  const ruled = (trigger: object, more: object = {}) =>
    byAdmin("post", "/rules", {
      name: `Spam ${Math.random()}`,
      scope: { kind: "service" },
      trigger,
      action: { kind: "shadow", text: "Spam." },
      ...more,
    });
  const shadow = (on: boolean) => changeSettings(adminCaller(), { shadow_spam: on });

  const say = async (body: string, more: object = {}): Promise<Message> =>
    (await writer.ask("room:message", { room_id: room.id, body, ...more })).data;
  const write = (body: string): Promise<Message> =>
    ask(spammer, "post", `/conversations/${conversation}/messages`, { body });
  const inRoom = async (user: BuiltUser): Promise<string[]> =>
    (await ask(user, "get", `/rooms/${room.id}/messages`)).items.map(({ body }: Message) => body);
  const inConversation = async (user: BuiltUser, more = ""): Promise<string[]> =>
    (await ask(user, "get", `/conversations/${conversation}/messages${more}`)).items.map(({ body }: Message) => body);
  const inbox = async (user: BuiltUser) =>
    (await ask(user, "get", "/conversations")).items.map(
      ({ last_message, unread }: { last_message: Message; unread: number }) => [last_message.body, unread],
    );
  const decide = (id: string, decision: "release" | "reject") =>
    byAdmin("post", `/review-queue/${id}/decide`, { decision });

  before(async () => {
    admin = await buildAdmin();
  });
  beforeEach(async () => {
    [room, spammer, bob] = await Promise.all([buildRoom(), buildUser(), buildUser()]);
    [writer, reader] = await Promise.all([
      connectSocket(service.url, spammer.token),
      connectSocket(service.url, bob.token),
    ]);
    for (const client of [writer, reader]) await client.ask("room:join", { room_id: room.id });
    conversation = (await ask(spammer, "post", "/conversations", { peer_id: bob.id })).id;
    await shadow(true);
    rule = (await ruled(repeats)).id;
    await loadRules();
  });
  afterEach(closeClients);
  afterEach(async () => {
    await byAdmin("delete", `/rules/${rule}`);
    await loadRules();
    await shadow(false);
  });

  it("looks sent to its author in a room, and reaches no other member", async () => {
    const sent = await say("Buy now");
    const shadowed = await say("buy NOW");
    expect(Object.keys(shadowed)).to.deep.equal(Object.keys(sent));
    expect(shadowed.id > sent.id).to.equal(true);
    const echo = await writer.inbox.next("room:new_message", ({ message }) => message.id === shadowed.id);
    const answered = await say("Hello", { mentions: [bob.id] });
    const heard = await reader.inbox.next("room:new_message", ({ message }) => message.id === answered.id);
    expect(heard.seq).to.equal((echo.seq as number) + 1);
    expect(reader.inbox.of("room:new_message").map(({ message }) => message.body)).to.deep.equal(["Buy now", "Hello"]);
    expect(reader.inbox.of("room:seats_updated").map(({ seq }) => seq)).to.include(echo.seq);
    expect(await inRoom(bob)).to.deep.equal(["Hello", "Buy now"]);
    expect(await inRoom(spammer)).to.deep.equal(["Hello", "buy NOW", "Buy now"]);
    const synced = await reader.ask("room:sync", { room_id: room.id, since_seq: (echo.seq as number) - 1 });
    expect(JSON.stringify(synced)).not.to.include("buy NOW");
  });

  it("looks sent to its author in a conversation, and reaches no other member", async () => {
    const sent = await write("Buy now");
    const shadowed = await write("buy NOW");
    expect(Object.keys(shadowed)).to.deep.equal(Object.keys(sent));
    expect((await writer.inbox.next("dm:new", ({ message }) => message.id === shadowed.id)).message).to.deep.equal(
      shadowed,
    );
    expect([await inbox(spammer), await inbox(bob)]).to.deep.equal([[["buy NOW", 0]], [["Buy now", 1]]]);
    await write("Hello");
    await reader.inbox.next("dm:new", ({ message }) => message.body === "Hello");
    expect(reader.inbox.of("dm:new").map(({ message }) => message.body)).to.deep.equal(["Buy now", "Hello"]);
    expect(await inConversation(bob)).to.deep.equal(["Hello", "Buy now"]);
    for (const list of ["", "?page=1", "?page=1&limit=3"])
      expect(await inConversation(spammer, list), list).to.deep.equal(["Hello", "buy NOW", "Buy now"]);
    expect(await inConversation(spammer, "?page=2&limit=2")).to.deep.equal(["Buy now"]);
    expect((await ask(spammer, "get", `/conversations/${conversation}/messages?page=1`)).total).to.equal(3);
    expect(await inConversation(spammer, `?before=${shadowed.id}`)).to.deep.equal(["Buy now"]);
    expect((await ask(bob, "get", "/notifications")).items).to.deep.equal([]);
  });

  it("is shown as shadowed to administrators only, and delivered once it is released", async () => {
    await say("Buy now");
    await write("Sell now");
    const all = [await say("Buy now"), await write("Sell now")];
    expect(await ask(spammer, "get", "/users/me/held")).to.deep.equal([]);
    for (const { id } of all) {
      expect(await byAdmin("get", `/review-queue/${id}`)).to.include({ shadowed: true, status: "open" });
      expect(await decide(id, "release")).to.include({ status: "closed" });
      await writer.inbox.next("content:decided", (one) => one.id === id && one.status === "released");
    }
    expect([await inRoom(bob), await inConversation(bob)]).to.deep.equal([
      ["Buy now", "Buy now"],
      ["Sell now", "Sell now"],
    ]);
    expect([await inRoom(spammer), await inConversation(spammer)]).to.deep.equal([
      ["Buy now", "Buy now"],
      ["Sell now", "Sell now"],
    ]);
  });

  it("stays in its author's view when it is rejected, without a word", async () => {
    await say("Buy now");
    await write("Sell now");
    for (const { id } of [await say("Buy now"), await write("Sell now")]) await decide(id, "reject");
    expect([await inRoom(spammer), await inConversation(spammer)]).to.deep.equal([
      ["Buy now", "Buy now"],
      ["Sell now", "Sell now"],
    ]);
    expect([await inRoom(bob), await inConversation(bob)]).to.deep.equal([["Buy now"], ["Sell now"]]);
    expect(await ask(spammer, "get", "/users/me/removals")).to.deep.equal([]);
    expect(await ask(spammer, "get", "/users/me/held")).to.deep.equal([]);
    expect(writer.inbox.of("content:decided")).to.deep.equal([]);
  });

  it("keeps what its author answers, and is kept once for each client ID", async () => {
    const { id } = await write("Buy now");
    const send = () =>
      ask(spammer, "post", `/conversations/${conversation}/messages`, {
        body: "Buy now",
        reply_to: id,
        client_id: "c-1",
      });
    const [one, again] = [await send(), await send()];
    expect(one.reply_to).to.include({ id, body: "Buy now" });
    expect(one).to.include({ client_id: "c-1" });
    expect(again.id).to.equal(one.id);
    expect(await inConversation(spammer)).to.deep.equal(["Buy now", "Buy now"]);
  });

  it("is held in posts, and refused in names, where it can't look sent", async () => {
    for (const [place, { holds, shadows }] of Object.entries(places))
      expect(shadows, place).to.equal(holds && place.endsWith("_message"));
    await ask(spammer, "post", "/posts", { content: "Buy now" });
    const held = await ask(spammer, "post", "/posts", { content: "Buy now" });
    expect(held.held).to.equal(true);
    expect((await ask(spammer, "get", "/users/me/held")).map(({ id }: Message) => id)).to.deep.equal([held.id]);
    await ask(spammer, "patch", "/users/me", { full_name: "Cheap Coins" });
    expect((await ask(spammer, "patch", "/users/me", { full_name: "Cheap Coins" })).code).to.equal("CONTENT_BLOCKED");
  });

  it("is refused like any other flood when too much waits", async () => {
    await say("Buy now");
    await query(
      `INSERT INTO held_content (id, place, user_id, text, input, rule_name, harm, status, shadowed)
       SELECT uuidv7(), 'room_message', $1, 'Buy now', '{}', 'Rule', 2, 'held', true FROM generate_series(1, 100)`,
      [spammer.id],
    );
    const { error } = await writer.ask("room:message", { room_id: room.id, body: "Buy now" });
    expect(error.code).to.equal("RATE_LIMITED");
    expect(error.message).not.to.match(/review/);
  });

  it("needs a rule about repetitions or floods, and the setting", async () => {
    const wrong = [
      { kind: "words", words: ["now"] },
      { kind: "links" },
      { kind: "new_accounts", hours: 1 },
      { kind: "labels", labels: ["spam"], percent: 80 },
    ];
    for (const trigger of wrong) expect((await ruled(trigger)).details[0].field, trigger.kind).to.equal("action");
    const flood = await ruled({ kind: "floods", texts: 100, seconds: 1 });
    await byAdmin("delete", `/rules/${flood.id}`);
    await shadow(false);
    expect((await ruled(repeats)).details[0].message).to.match(/shadow_spam/);
    const unused = await ruled(repeats, { enabled: false });
    await byAdmin("delete", `/rules/${unused.id}`);
  });

  it("is held by the rules that there are when the setting is turned off", async () => {
    await shadow(false);
    await say("Buy now");
    expect(await say("Buy now")).to.include({ held: true });
    expect(await byAdmin("patch", `/rules/${rule}`, { enabled: false })).to.include({ enabled: false });
  });
});
