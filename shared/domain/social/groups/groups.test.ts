import { expect } from "chai";
import type { DirectMessage, MemberChange, UserCard } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { rememberSettings } from "#shared/domain/base/settings/settings.ts";
import { closeClients, connectSocket, type SocketClient } from "#shared/testing/clients/clients.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { uploadPicture } from "#shared/testing/media.ts";
import { block } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";
import { statementsOf } from "#shared/testing/statements.ts";
import { until } from "#shared/testing/until.ts";
import { accessConversation } from "../conversations/conversations.policy.ts";
import { listMessages } from "../conversations/messages.queries.ts";
import { eraseGroups } from "./erase-groups.ts";

describe("a group", () => {
  const service = useService();
  let ada: BuiltUser;
  let bob: BuiltUser;
  let eve: BuiltUser;
  let group: { id: string; group: object };
  let watching: SocketClient;

  const ask = async (user: BuiltUser, method: string, path: string, body?: object) => {
    const answer = await service.call(method, path, { token: user.token, ...(body && { body }) });
    return answer.body.success ? answer.body.data : answer.body.error.code;
  };
  const create = (name: string, user_ids: string[], by = ada) =>
    ask(by, "post", "/conversations", { kind: "group", name, user_ids });
  const inGroup = (user: BuiltUser, method: string, below: string, body?: object) =>
    ask(user, method, `/conversations/${group.id}${below}`, body);
  const say = (user: BuiltUser, body: string, more: object = {}) =>
    inGroup(user, "post", "/messages", { body, ...more });
  const rolesOf = async (user = ada) =>
    Object.fromEntries(
      (await inGroup(user, "get", "/members")).items.map((one: { user: UserCard; role: string }) => [
        one.user.full_name,
        one.role,
      ]),
    );

  beforeEach(async () => {
    [ada, bob, eve] = (await Promise.all(["Ada", "Bob", "Eve"].map((full_name) => buildUser({ full_name })))) as [
      BuiltUser,
      BuiltUser,
      BuiltUser,
    ];
    watching = await connectSocket(service.url, bob.token);
    group = await create("Choir", [bob.id, eve.id, ada.id, bob.id]);
  });
  afterEach(closeClients);

  it("is in the inbox of all its members, who are told at once", async () => {
    expect(group).to.deep.include({ kind: "group", peer: null, unread: 0, muted: false, last_message: null });
    const card = { name: "Choir", picture_url: null, owner_id: ada.id, member_count: 3 };
    expect(group.group).to.deep.equal({ ...card, role: "owner" });
    const told = await watching.inbox.next("conversation:updated");
    expect(told).to.deep.include({ conversation_id: group.id, group: card });
    expect(told.members).to.have.deep.members([
      { user_id: ada.id, role: "owner" },
      { user_id: bob.id, role: "member" },
      { user_id: eve.id, role: "member" },
    ]);
    const [listed] = (await ask(bob, "get", "/conversations")).items;
    expect(listed.group).to.deep.equal({ ...card, role: "member" });
    expect((await ask(bob, "get", "/conversations?kind=direct")).items).to.deep.equal([]);
    expect((await ask(bob, "get", "/conversations?kind=group")).total).to.equal(1);
    expect(await inGroup(bob, "get", "")).to.deep.include({ id: group.id, kind: "group" });
    expect(await rolesOf(bob)).to.deep.equal({ Ada: "owner", Bob: "member", Eve: "member" });
  });

  it("is made of users to whom its owner could write, and of nothing else", async () => {
    const [guarded, blocking] = await Promise.all([buildUser(), buildUser()]);
    await query("UPDATE users SET settings = jsonb_set(settings, '{privacy,allow_dm}', '\"nobody\"') WHERE id = $1", [
      guarded.id,
    ]);
    await block(blocking, ada);
    const { total } = await ask(ada, "get", "/conversations");
    expect(await create("Strangers", [bob.id, guarded.id])).to.equal("FORBIDDEN");
    expect(await create("Strangers", [bob.id, blocking.id])).to.equal("NOT_FOUND");
    expect(await create("Strangers", [group.id])).to.equal("NOT_FOUND");
    expect(await create(" ", [bob.id])).to.equal("VALIDATION_ERROR");
    for (const body of [
      { kind: "group", name: "Nameless" },
      { kind: "group", user_ids: [bob.id] },
      { kind: "group", name: "Both", user_ids: [bob.id], peer_id: bob.id },
      { peer_id: bob.id, name: "Both" },
      {},
    ])
      expect(await ask(ada, "post", "/conversations", body), JSON.stringify(body)).to.equal("VALIDATION_ERROR");
    expect((await ask(ada, "get", "/conversations")).total).to.equal(total);
  });

  it("has one counter of messages, and one of what each has read", async () => {
    await say(ada, "Tonight at eight");
    await say(bob, "Fine");
    const unread = async (user: BuiltUser) => (await inGroup(user, "get", "")).unread;
    expect([await unread(ada), await unread(bob), await unread(eve)]).to.deep.equal([1, 0, 2]);
    const [listed] = (await ask(eve, "get", "/conversations")).items;
    expect(listed.last_message).to.include({ body: "Fine" });
    expect(listed.last_message.sender).to.include({ id: bob.id, full_name: "Bob" });

    const read = await inGroup(eve, "post", "/read");
    expect(read.unread).to.equal(0);
    const event = await watching.inbox.next("dm:read");
    expect(event).to.include({ conversation_id: group.id, reader_id: eve.id });
    const [, , last] = (await inGroup(ada, "get", "/members")).items;
    expect(last).to.deep.include({ read_at: event.read_at }).and.nested.include({ "user.id": eve.id });
    await inGroup(eve, "post", "/read");
    await say(ada, "Bring water");
    await until("Bob has it", () => watching.inbox.of("dm:new").some(({ message }) => message.body === "Bring water"));
    expect(watching.inbox.of("dm:read")).to.have.length(1);
    const { items } = await inGroup(bob, "get", "/messages");
    expect(items.map(({ sender }: { sender: UserCard }) => sender.full_name)).to.deep.equal(["Ada", "Bob", "Ada"]);
  });

  it("changes the row of the sender with a message, and of no reader", async () => {
    const many = await Promise.all(Array.from({ length: 20 }, () => buildUser()));
    const added = await inGroup(ada, "post", "/members", { user_ids: many.map(({ id }) => id) });
    expect(added).to.include({ member_count: 23 });
    const rows = () =>
      query<{ user_id: string; version: string }>(
        "SELECT user_id, xmin::text AS version FROM conversation_members WHERE conversation_id = $1 ORDER BY 1",
        [group.id],
      );
    const before = await rows();
    await say(ada, "Hello");
    const after = await rows();
    const changed = after.filter(({ version }, index) => version !== before[index]!.version);
    expect(changed.map(({ user_id }) => user_id)).to.deep.equal([ada.id]);
  });

  it("lists 50 messages with quotes, reactions, media, and senders by four statements", async () => {
    let last: string | undefined;
    for (let n = 0; n < 50; n += 1) {
      const picture = n % 10 === 0 ? await uploadPicture(service, ada, "conversation") : undefined;
      const more = { ...(last && { reply_to: last }), ...(picture && { media_id: picture.id }) };
      last = (await say(n % 2 ? bob : ada, `Message ${n}`, more)).id;
      if (n % 5 === 0) await inGroup(eve, "put", `/messages/${last}/reactions/${encodeURIComponent("🔥")}`);
    }
    const access = await accessConversation(eve.id, group.id);
    let items: readonly DirectMessage[] = [];
    const statements = await statementsOf(async () => {
      ({ items } = await listMessages(eve.id, access, { limit: 50 }));
    });
    expect(items).to.have.length(50);
    expect(items.filter(({ reply_to, sender }) => reply_to && sender)).to.have.length(49);
    expect(items.filter(({ media }) => media)).to.have.length(5);
    expect(items.filter(({ reactions }) => reactions?.[0]?.mine)).to.have.length(10);
    expect(statements).to.have.length.at.most(4);
  });

  it("shows typing, reactions, edits, and deletions to all", async () => {
    const [ofAda, ofEve] = await Promise.all([
      connectSocket(service.url, ada.token),
      connectSocket(service.url, eve.token),
    ]);
    await ofAda.ask("typing:dm", { conversation_id: group.id, typing: true });
    for (const { inbox } of [watching, ofEve])
      expect(await inbox.next("typing:dm")).to.include({ user_id: ada.id, typing: true });
    const said = await say(bob, "Helo");
    await inGroup(eve, "put", `/messages/${said.id}/reactions/${encodeURIComponent("🔥")}`);
    expect((await ofAda.inbox.next("message:reacted")).reactions).to.deep.equal([{ emoji: "🔥", count: 1 }]);
    await inGroup(bob, "patch", `/messages/${said.id}`, { body: "Hello" });
    expect(await ofEve.inbox.next("message:updated")).to.include({ body: "Hello", conversation_id: group.id });
    expect(await inGroup(eve, "delete", `/messages/${said.id}`)).to.equal("FORBIDDEN");
    expect(await inGroup(ada, "delete", `/messages/${said.id}`)).to.deep.equal({});
    expect(await watching.inbox.next("dm:deleted")).to.include({ message_id: said.id, by: ada.id });
    expect(ofAda.inbox.of("typing:dm")).to.deep.equal([]);
  });

  it("is run by its owner and admins", async () => {
    const said = await say(bob, "Pin me");
    expect(await inGroup(bob, "put", `/pins/${said.id}`)).to.equal("FORBIDDEN");
    expect(await inGroup(bob, "patch", "", { name: "Band" })).to.equal("FORBIDDEN");
    expect(await inGroup(bob, "patch", `/members/${eve.id}`, { role: "admin" })).to.equal("FORBIDDEN");
    expect(await inGroup(bob, "delete", `/members/${eve.id}`)).to.equal("FORBIDDEN");

    expect(await inGroup(ada, "patch", `/members/${bob.id}`, { role: "admin" })).to.deep.equal({});
    expect(await inGroup(bob, "put", `/pins/${said.id}`)).to.deep.equal({});
    const picture = await uploadPicture(service, bob, "group");
    const changed = await inGroup(bob, "patch", "", { name: "Band", picture_media_id: picture.id });
    expect(changed.group.picture_url).to.include(picture.id);
    expect((await inGroup(bob, "patch", "", { picture_media_id: null })).group).to.include({
      name: "Band",
      picture_url: null,
    });
    expect(await inGroup(bob, "delete", `/members/${ada.id}`)).to.equal("FORBIDDEN");
    expect(await inGroup(bob, "patch", `/members/${bob.id}`, { role: "owner" })).to.equal("FORBIDDEN");
    expect(await inGroup(ada, "patch", `/members/${ada.id}`, { role: "member" })).to.equal("FORBIDDEN");
    expect(await inGroup(ada, "patch", `/members/${bob.id}`, { role: "owner" })).to.deep.equal({});
    expect(await rolesOf()).to.deep.equal({ Bob: "owner", Ada: "admin", Eve: "member" });
  });

  it("is left, and passes to the admin who was there longest", async () => {
    await inGroup(ada, "patch", `/members/${eve.id}`, { role: "admin" });
    expect(await inGroup(ada, "delete", `/members/${ada.id}`)).to.deep.equal({});
    expect(await rolesOf(bob)).to.deep.equal({ Eve: "owner", Bob: "member" });
    expect(await inGroup(ada, "get", "/messages")).to.equal("NOT_FOUND");
    expect(await say(ada, "Still here?")).to.equal("NOT_FOUND");
    expect((await ask(ada, "get", "/conversations")).items).to.deep.equal([]);
    await say(bob, "She left");
    expect(await inGroup(eve, "delete", `/members/${bob.id}`)).to.deep.equal({});
    await until("Bob knows", () =>
      watching.inbox
        .of("conversation:updated")
        .some(({ members = [] }) =>
          members.some(({ user_id, role }: MemberChange) => user_id === bob.id && role === null),
        ),
    );
    expect(await inGroup(eve, "delete", `/members/${eve.id}`)).to.deep.equal({});
    const [left] = await query("SELECT name, owner_id, member_count FROM conversations WHERE id = $1", [group.id]);
    expect(left).to.deep.equal({ name: "", owner_id: null, member_count: 0 });
  });

  it("has one owner, whatever happens at once", async () => {
    for (let round = 0; round < 8; round += 1) {
      const { id } = await create("Round", [bob.id, eve.id]);
      await Promise.all([
        ask(ada, "delete", `/conversations/${id}/members/${ada.id}`),
        ask(ada, "patch", `/conversations/${id}/members/${bob.id}`, { role: "owner" }),
        ask(ada, "patch", `/conversations/${id}/members/${eve.id}`, { role: "owner" }),
      ]);
      const [counted] = await query(
        `SELECT count(*) FILTER (WHERE m.role = 'owner') AS owners, bool_and(m.role <> 'owner' OR m.user_id = c.owner_id)
           AS agreed, count(*) = max(c.member_count) AS counted
         FROM conversation_members m JOIN conversations c ON c.id = m.conversation_id
         WHERE c.id = $1 AND m.left_at IS NULL`,
        [id],
      );
      expect(counted, `round ${round}`).to.deep.equal({ owners: 1, agreed: true, counted: true });
    }
  });

  it("is joined by an invitation, until that ends", async () => {
    const joe = await buildUser({ full_name: "Joe" });
    await say(ada, "Before Joe");
    expect(await inGroup(bob, "post", "/invites", {})).to.equal("FORBIDDEN");
    const invite = await inGroup(ada, "post", "/invites", {});
    expect(await ask(joe, "get", `/group-invites/${invite.code}`)).to.include({ name: "Choir", member_count: 3 });
    const joined = await ask(joe, "post", `/group-invites/${invite.code}/join`);
    expect(joined).to.include({ id: group.id, unread: 0 });
    expect(await ask(joe, "post", `/group-invites/${invite.code}/join`)).to.include({ id: group.id });
    expect((await inGroup(ada, "get", "")).group.member_count).to.equal(4);

    await inGroup(ada, "delete", `/members/${joe.id}`);
    expect(await ask(joe, "post", `/group-invites/${invite.code}/join`)).to.equal("NOT_FOUND");
    await inGroup(ada, "post", "/members", { user_ids: [joe.id] });
    await inGroup(joe, "delete", `/members/${joe.id}`);
    expect(await ask(joe, "post", `/group-invites/${invite.code}/join`)).to.include({ id: group.id });

    const [late, blocked] = await Promise.all([buildUser(), buildUser()]);
    await block(blocked, ada);
    expect(await ask(blocked, "get", `/group-invites/${invite.code}`)).to.equal("NOT_FOUND");
    expect((await inGroup(ada, "get", "/invites")).map(({ id }: { id: string }) => id)).to.deep.equal([invite.id]);
    expect(await inGroup(ada, "delete", `/invites/${invite.id}`)).to.deep.equal({});
    expect(await inGroup(ada, "delete", `/invites/${invite.id}`)).to.equal("NOT_FOUND");
    expect(await ask(late, "post", `/group-invites/${invite.code}/join`)).to.equal("NOT_FOUND");
    const short = await inGroup(ada, "post", "/invites", { expires_in: 60 });
    await query("UPDATE conversation_invites SET expires_at = now() WHERE id = $1", [short.id]);
    expect(await ask(late, "post", `/group-invites/${short.code}/join`)).to.equal("NOT_FOUND");
    expect(await inGroup(ada, "get", "/invites")).to.deep.equal([]);
  });

  it("holds 256, however many come at once, and a user is in 200 groups", async () => {
    await query(
      `INSERT INTO users (id, username, email, full_name, password_hash, settings)
       SELECT uuidv7(), 'singer' || i, 'singer' || i || '@example.com', 'Singer', 'x', '{}' FROM generate_series(1, 252) i`,
    );
    await query(
      `INSERT INTO conversation_members (conversation_id, user_id, role, joined_at)
       SELECT $1, id, 'member', now() FROM users WHERE username LIKE 'singer%'`,
      [group.id],
    );
    await query("UPDATE conversations SET member_count = 255 WHERE id = $1", [group.id]);
    const { code } = await inGroup(ada, "post", "/invites", {});
    const late = await Promise.all(Array.from({ length: 5 }, () => buildUser()));
    const outcomes = await Promise.all(late.map((user) => ask(user, "post", `/group-invites/${code}/join`)));
    expect(outcomes.filter((outcome) => outcome === "CONFLICT")).to.have.length(4);
    expect((await inGroup(ada, "get", "/members?limit=100&page=3")).items).to.have.length(56);

    await query(
      `WITH made AS (
         INSERT INTO conversations (id, kind, name, owner_id, started_by)
         SELECT uuidv7(), 'group', 'Group', $1, $1 FROM generate_series(1, 199) RETURNING id
       ) INSERT INTO conversation_members (conversation_id, user_id, role, joined_at) SELECT id, $2, 'member', now() FROM made`,
      [ada.id, eve.id],
    );
    expect(await create("One more", [eve.id], bob)).to.equal("CONFLICT");
    expect((await ask(eve, "get", "/conversations?limit=100&page=2")).items).to.have.length(100);
  });

  it("takes as many users from one member in 24 hours as the setting says", async () => {
    after(() => rememberSettings({ group_members_per_day: 500 }));
    const [joe, kim] = await Promise.all([buildUser(), buildUser()]);
    const { code } = await inGroup(ada, "post", "/invites", {});
    rememberSettings({ group_members_per_day: 3 });
    const outcomes = await Promise.all([
      inGroup(ada, "post", "/members", { user_ids: [joe.id] }),
      create("Strangers", [kim.id]),
      create("Strangers", [kim.id, joe.id]),
    ]);
    expect(outcomes.filter((outcome) => outcome === "RATE_LIMITED").length).to.be.oneOf([1, 2]);
    const { body } = await service.call("post", "/conversations", {
      token: ada.token,
      body: { kind: "group", name: "Strangers", user_ids: [joe.id, kim.id] },
    });
    expect(body.error).to.include({ code: "RATE_LIMITED" });
    expect((await ask(kim, "post", `/group-invites/${code}/join`)).id).to.equal(group.id);
    expect(await inGroup(ada, "post", "/members", { user_ids: [bob.id] })).to.include({ name: "Choir" });
  });

  it("is made once, however often the call is repeated", async () => {
    const call = () =>
      service.call("post", "/conversations", {
        token: ada.token,
        headers: { "idempotency-key": group.id },
        body: { kind: "group", name: "Once", user_ids: [bob.id] },
      });
    const [first, second] = await Promise.all([call(), call()]);
    expect(first.body.data.id).to.equal(second.body.data.id);
  });

  it("shows no picture of a user who is erased, also of one who has left", async () => {
    const picture = await uploadPicture(service, ada, "group");
    await inGroup(ada, "patch", "", { picture_media_id: picture.id });
    await inGroup(ada, "delete", `/members/${ada.id}`);
    expect((await inGroup(bob, "get", "")).group.picture_url).to.include(picture.id);
    await inTransaction((tx) => eraseGroups(tx, ada.id));
    expect((await inGroup(bob, "get", "")).group.picture_url).to.equal(null);
  });

  it("counts as a conversation that a user opens", async () => {
    await query("UPDATE conversations SET started_by = $1", [ada.id]);
    await query(
      `INSERT INTO conversations (id, kind, name, owner_id, started_by)
       SELECT uuidv7(), 'group', 'Group', $1, $1 FROM generate_series(1, 100)`,
      [ada.id],
    );
    expect(await create("Too many", [bob.id])).to.equal("RATE_LIMITED");
  });
});
