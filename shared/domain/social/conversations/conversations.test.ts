import { expect } from "chai";
import { query, queryOne } from "#shared/db/query.ts";
import { rememberSettings } from "#shared/domain/base/settings/settings.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { block, callerOf, outcomeOf, setStatus } from "#shared/testing/people.ts";
import { accessConversation, accessOthers } from "./conversations.policy.ts";
import { listConversations } from "./conversations.queries.ts";
import { markRead } from "./mark-read.ts";
import { listMessages, pageMessages } from "./messages.queries.ts";
import { openConversation } from "./open-conversation.ts";
import { sendMessage } from "./send-message.ts";

const open = async (user: BuiltUser, peer: BuiltUser) => (await openConversation(callerOf(user), peer.id)).conversation;
const say = (user: BuiltUser, id: string, body = "Hello", client_id?: string) =>
  sendMessage(callerOf(user), id, { body, ...(client_id !== undefined && { client_id }) });
const inbox = (user: BuiltUser, page = 1, limit = 20) => listConversations(user.id, { page, limit });
const allowDm = ({ id }: BuiltUser, who: string) =>
  query("UPDATE users SET settings = jsonb_set(settings, '{privacy,allow_dm}', to_jsonb($2::text)) WHERE id = $1", [
    id,
    who,
  ]);
const unblock = (user: BuiltUser) => query("DELETE FROM user_blocks WHERE blocker_id = $1", [user.id]);
const befriend = (user: BuiltUser, other: BuiltUser) =>
  query("INSERT INTO friendships (user_id, friend_id) VALUES ($1, $2), ($2, $1)", [user.id, other.id]);

async function pair(): Promise<{ ada: BuiltUser; bob: BuiltUser; id: string }> {
  const [ada, bob] = await Promise.all([buildUser({ full_name: "Ada" }), buildUser({ full_name: "Bob" })]);
  return { ada, bob, id: (await open(ada, bob)).id };
}

describe("openConversation", () => {
  useDatabase();
  afterEach(() => rememberSettings({ new_conversations_per_day: 100 }));

  it("creates one conversation, however often and from whichever side it is requested at once", async () => {
    const [ada, bob] = await Promise.all([buildUser(), buildUser()]);
    const opened = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        index % 2 === 0 ? openConversation(callerOf(ada), bob.id) : openConversation(callerOf(bob), ada.id),
      ),
    );
    expect(new Set(opened.map(({ conversation }) => conversation.id)).size).to.equal(1);
    expect(opened.filter(({ created }) => created)).to.have.length(1);
    expect(opened[0]?.conversation).to.deep.include({ unread: 0, last_message: null });
    expect(opened[0]?.conversation.peer).to.include({ id: bob.id, username: bob.username });
    expect(opened[1]?.conversation.peer).to.include({ id: ada.id });
  });

  it("rejects yourself, unknown and suspended users, and users between whom a block stands", async () => {
    const [ada, bob, eve] = await Promise.all([buildUser(), buildUser(), buildUser()]);
    const opening = (peerId: string) => outcomeOf(openConversation(callerOf(ada), peerId));
    expect(await opening(ada.id)).to.equal("FORBIDDEN");
    expect(await opening(newId())).to.equal("NOT_FOUND");
    await setStatus(bob, "suspended");
    expect(await opening(bob.id)).to.equal("NOT_FOUND");
    await setStatus(bob, "deletion_pending");
    expect(await opening(bob.id)).to.equal("NOT_FOUND");
    await setStatus(bob, "active");
    expect(await opening(bob.id)).to.equal("ok");
    await block(eve, ada);
    expect(await opening(eve.id)).to.equal("NOT_FOUND");
    expect(await outcomeOf(openConversation(callerOf(eve), ada.id))).to.equal("BLOCKED");
    await block(bob, ada);
    expect(await opening(bob.id)).to.equal("NOT_FOUND");
  });

  it("respects allow_dm for a new conversation, and returns an existing one regardless", async () => {
    const [ada, bob] = await Promise.all([buildUser(), buildUser()]);
    await allowDm(bob, "nobody");
    expect(await outcomeOf(open(ada, bob))).to.equal("FORBIDDEN");
    await allowDm(bob, "friends");
    expect(await outcomeOf(open(ada, bob))).to.equal("FORBIDDEN");
    await befriend(ada, bob);
    const { id } = await open(ada, bob);
    await allowDm(bob, "nobody");
    expect((await open(ada, bob)).id).to.equal(id);
  });

  it("limits the conversations that a user opens in a day, but not how often they retrieve them", async () => {
    rememberSettings({ new_conversations_per_day: 3 });
    const [ada, ...people] = await Promise.all(Array.from({ length: 9 }, () => buildUser()));
    const outcomes = await Promise.all(people.map((peer) => outcomeOf(open(ada!, peer))));
    expect(outcomes.filter((outcome) => outcome === "ok")).to.have.length(3);
    expect(outcomes.filter((outcome) => outcome === "RATE_LIMITED")).to.have.length(5);
    const known = people[outcomes.indexOf("ok")]!;
    const refused = people[outcomes.indexOf("RATE_LIMITED")]!;
    expect(await outcomeOf(open(ada!, known))).to.equal("ok");
    expect(await outcomeOf(open(refused, ada!))).to.equal("ok");
    const other = await buildUser();
    const failure = await open(ada!, other).catch((error: unknown) => error);
    expect(failure).to.have.property("retryAfter").that.is.within(86_000, 86_400);
    await query("UPDATE conversations SET created_at = now() - interval '24 hours' WHERE started_by = $1", [ada!.id]);
    expect(await outcomeOf(open(ada!, other))).to.equal("ok");
  });
});

describe("sendMessage and markRead", () => {
  useDatabase();

  it("count and mark exactly what is unread under concurrent writes and reads", async () => {
    const { ada, bob, id } = await pair();
    const works = Array.from({ length: 60 }, (_, index) => {
      if (index % 10 === 9) return markRead(callerOf(bob), id);
      return say(index % 3 === 0 ? bob : ada, id, `m${index}`);
    });
    await Promise.all(works);
    const unreadFrom = async (sender: BuiltUser) =>
      (await queryOne<{ count: number }>(
        "SELECT count(*) FROM direct_messages WHERE conversation_id = $1 AND sender_id = $2 AND read_at IS NULL",
        [id, sender.id],
      ))!.count;
    const stored = await queryOne<{ count: number; last: string }>(
      "SELECT count(*), max(id::text) AS last FROM direct_messages WHERE conversation_id = $1",
      [id],
    );
    expect(stored?.count).to.equal(54);
    const [[forBob], [forAda]] = [(await inbox(bob)).items, (await inbox(ada)).items];
    expect(forBob?.unread).to.equal(await unreadFrom(ada));
    expect(forAda?.unread)
      .to.equal(await unreadFrom(bob))
      .and.to.equal(18);
    expect(forBob?.last_message?.id).to.equal(stored?.last);
    const access = await accessConversation(ada.id, id);
    expect((await pageMessages(ada.id, access, { page: 1, limit: 1 })).total).to.equal(54);
    const times = (await listMessages(ada.id, access, { limit: 100 })).items;
    const created = times.map(({ created_at }) => created_at);
    expect(created).to.deep.equal(created.toSorted().reverse());
    const read = await markRead(callerOf(bob), id);
    expect([read.unread, await unreadFrom(ada), await unreadFrom(bob)]).to.deep.equal([0, 0, 18]);
  });

  it("store one message for a client_id that was sent months ago, while all months share an index", async () => {
    const { ada, id } = await pair();
    const [old] = await query<{ id: string }>(
      `INSERT INTO direct_messages (id, conversation_id, sender_id, body, client_id, created_at)
       VALUES (first_id_at(now() - interval '3 months'), $1, $2, 'Then', 'c-1', now() - interval '3 months') RETURNING id`,
      [id, ada.id],
    );
    const { message, created } = await say(ada, id, "Now", "c-1");
    expect([message.id, message.body, created]).to.deep.equal([old!.id, "Then", false]);
  });

  it("store one message for a client_id, however often it is sent at once", async () => {
    const { ada, bob, id } = await pair();
    const sent = await Promise.all(Array.from({ length: 20 }, () => say(ada, id, "Once", "c-1")));
    expect(sent.filter(({ created }) => created)).to.have.length(1);
    expect(new Set(sent.map(({ message }) => JSON.stringify(message))).size).to.equal(1);
    expect(sent[0]?.message).to.include({ body: "Once", client_id: "c-1", sender_id: ada.id, read_at: null });
    expect((await say(ada, id, "Something else", "c-1")).message).to.deep.equal(sent[0]?.message);
    expect((await inbox(bob)).items[0]).to.deep.include({ unread: 1 });
    expect((await say(bob, id, "Mine", "c-1")).created).to.equal(true);
    const other = await open(ada, await buildUser());
    expect((await say(ada, other.id, "Elsewhere", "c-1")).created).to.equal(true);
  });

  it("return a repeated message, even if writing is rejected by now", async () => {
    const { ada, bob, id } = await pair();
    const { message } = await say(ada, id, "Before", "c-1");
    await block(bob, ada);
    expect(await outcomeOf(say(ada, id, "After", "c-2"))).to.equal("BLOCKED");
    expect(await say(ada, id, "Before", "c-1")).to.deep.equal({ message, created: false });
  });

  it("reject strangers, blocked users and those whom the settings exclude, in an existing conversation, too", async () => {
    const { ada, bob, id } = await pair();
    const eve = await buildUser();
    await say(ada, id);
    const all = async (user: BuiltUser) => [
      await outcomeOf(say(user, id)),
      await outcomeOf(accessOthers(user.id, id)),
      await outcomeOf(markRead(callerOf(user), id)),
      await outcomeOf(accessConversation(user.id, id)),
    ];
    expect(await all(eve)).to.deep.equal(["NOT_FOUND", "NOT_FOUND", "NOT_FOUND", "NOT_FOUND"]);
    expect(await outcomeOf(say(ada, newId()))).to.equal("NOT_FOUND");
    await block(bob, ada);
    for (const user of [ada, bob]) expect(await all(user)).to.deep.equal(["BLOCKED", "BLOCKED", "BLOCKED", "BLOCKED"]);
    await unblock(bob);
    await allowDm(bob, "friends");
    expect(await all(ada)).to.deep.equal(["FORBIDDEN", "FORBIDDEN", "ok", "ok"]);
    expect(await all(bob)).to.deep.equal(["ok", "ok", "ok", "ok"]);
    await befriend(ada, bob);
    expect(await all(ada)).to.deep.equal(["ok", "ok", "ok", "ok"]);
    await allowDm(bob, "nobody");
    expect(await all(ada)).to.deep.equal(["FORBIDDEN", "FORBIDDEN", "ok", "ok"]);
    await allowDm(bob, "everyone");
    await setStatus(bob, "suspended");
    expect(await all(ada)).to.deep.equal(["NOT_FOUND", "NOT_FOUND", "ok", "ok"]);
    expect((await inbox(ada)).items[0]?.last_message).to.include({ sender_id: ada.id });
  });

  it("keep an attachment, and reject an empty message", async () => {
    const { ada, id } = await pair();
    const attachment_url = "https://cdn.example.com/photo.jpg";
    const { message } = await sendMessage(callerOf(ada), id, { body: "", attachment_url });
    expect(message).to.include({ body: "", attachment_url });
    expect(await outcomeOf(say(ada, id, ""))).to.equal("VALIDATION_ERROR");
  });
});

describe("an inbox", () => {
  useDatabase();

  it("lists the newest conversation first, in pages, with the total past the end", async () => {
    const [ada, ...people] = await Promise.all(Array.from({ length: 6 }, () => buildUser()));
    const ids: string[] = [];
    for (const peer of people) ids.push((await open(ada!, peer)).id);
    await say(ada!, ids[1]!, "Newest");
    const { updated_at } = (await inbox(ada!)).items[0]!;
    const expected = [ids[1], ids[4], ids[3], ids[2], ids[0]];
    const pages = [await inbox(ada!, 1, 2), await inbox(ada!, 2, 2), await inbox(ada!, 3, 2), await inbox(ada!, 4, 2)];
    expect(pages.flatMap(({ items }) => items.map(({ id }) => id))).to.deep.equal(expected);
    for (const page of pages) expect(page).to.include({ total: 5, total_pages: 3, limit: 2 });
    expect(updated_at).to.equal(pages[0]?.items[0]?.last_message?.created_at);
    expect(await inbox(await buildUser())).to.deep.equal({ items: [], page: 1, limit: 20, total: 0, total_pages: 0 });
  });

  it("shows a conversation that someone else opened once it has a message, or once it is opened", async () => {
    const { ada, bob, id } = await pair();
    expect((await inbox(ada)).items).to.have.length(1);
    expect((await inbox(bob)).items).to.deep.equal([]);
    await say(ada, id, "Hi");
    expect((await inbox(bob)).items[0]).to.deep.include({ id, unread: 1 });
    const other = await pair();
    expect((await open(other.bob, other.ada)).id).to.equal(other.id);
    expect((await inbox(other.bob)).items[0]).to.deep.include({ id: other.id, last_message: null, unread: 0 });
  });

  it("hides conversations while a block stands, both ways, and shows them again afterwards", async () => {
    const { ada, bob, id } = await pair();
    await say(ada, id);
    await block(bob, ada);
    for (const user of [ada, bob]) expect(await inbox(user)).to.deep.include({ items: [], total: 0 });
    await unblock(bob);
    for (const user of [ada, bob]) expect((await inbox(user)).items[0]?.id).to.equal(id);
  });
});
