import { expect } from "chai";
import pg from "pg";
import { service } from "#shared/contracts/principal.ts";
import { databaseUrl } from "#shared/db/database-address.ts";
import { locks } from "#shared/db/locks.ts";
import { allMigrations, migrate } from "#shared/db/migrate.ts";
import { divideDatabase } from "#shared/db/partition-table.ts";
import { makePartitions } from "#shared/db/partitions.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { closeDatabase, openDatabase } from "#shared/db/sequelize.ts";
import { changeSettings } from "#shared/domain/base/settings/change-settings.ts";
import { loadSettings } from "#shared/domain/base/settings/settings.ts";
import { clock, daysMs, startOfMonth } from "#shared/kernel/clock.ts";
import { firstIdAt, newId } from "#shared/kernel/ids.ts";
import { createDatabase } from "#shared/testing/database.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { callerOf } from "#shared/testing/people.ts";
import { accessConversation } from "./conversations.policy.ts";
import { getConversation, listConversations } from "./conversations.queries.ts";
import { markRead } from "./mark-read.ts";
import { listMessages, pageMessages } from "./messages.queries.ts";
import { pruneDirectMessages } from "./prune-messages.ts";
import { sendMessage } from "./send-message.ts";

/** An ID in the middle of a month, so many before this one. */
const idOf = (months: number, plusMs = 0): string =>
  firstIdAt(startOfMonth(clock.now(), -months) + daysMs(15) + plusMs);

describe("messages of conversations, by month", function () {
  this.timeout(60_000);
  let [ada, eve, zoe]: BuiltUser[] = [];
  /** From when on there are conversations: those of earlier messages are as old. */
  const [two, silent, group] = [idOf(8), idOf(8, 1), idOf(8, 2)];
  const ids = async () =>
    (await query<{ id: string }>("SELECT id FROM direct_messages ORDER BY id")).map(({ id }) => id);
  const partitions = async () =>
    (
      await query<{ name: string }>(
        `SELECT name FROM table_partitions WHERE "table" = 'direct_messages' ORDER BY "from" NULLS FIRST`,
      )
    ).map(({ name }) => name);
  const keep = (months: number) => changeSettings(service, { direct_message_months: months });
  const unreadOf = async (userId: string, conversationId: string) =>
    (await getConversation(userId, conversationId)).unread;
  const store = (id: string, conversationId: string, sender: BuiltUser, clientId: string | null = null) =>
    query(
      `INSERT INTO direct_messages (id, conversation_id, sender_id, body, client_id, created_at)
       VALUES ($1, $2, $3, 'Hi', $4, time_of_id($1))`,
      [id, conversationId, sender.id, clientId],
    );

  before(async () => {
    const url = await createDatabase({ migrated: false });
    await migrate(url, (await allMigrations()).slice(0, 1));
    await migrate(url);
    await divideDatabase(url, { direct_messages: firstIdAt(startOfMonth(clock.now(), -4)) });
    await openDatabase(url);
    await makePartitions();
    await loadSettings();
    [ada, eve, zoe] = [await buildUser(), await buildUser(), await buildUser()];
    await query(
      `INSERT INTO conversations (id, low_user_id, high_user_id, started_by)
       SELECT c, least(a, b), greatest(a, b), a FROM (VALUES ($1::uuid, $3::uuid, $4::uuid), ($2, $3, $5)) AS v (c, a, b)`,
      [two, silent, ada!.id, eve!.id, zoe!.id],
    );
    await query(
      "INSERT INTO conversations (id, kind, name, owner_id, started_by, member_count) VALUES ($1, 'group', 'All', $2, $2, 3)",
      [group, ada!.id],
    );
    // In the conversation of two, Ada wrote the first message and Eve the others; in the silent one, nothing lately.
    for (const [at, conversation] of [two, silent, group].entries())
      for (const [index, months] of [7, 6, 4, 3, 1, 0].entries())
        if (conversation !== silent || months > 4)
          await store(idOf(months, at), conversation, conversation === two && index > 0 ? eve! : ada!);
    await query(
      `UPDATE conversations c SET message_count = n, last_message_id = last, active_at = time_of_id(last)
       FROM (SELECT DISTINCT ON (conversation_id) conversation_id, count(*) OVER (PARTITION BY conversation_id) AS n, id AS last
             FROM direct_messages ORDER BY conversation_id, id DESC) AS d WHERE c.id = d.conversation_id`,
    );
    await query(
      `INSERT INTO conversation_members (conversation_id, user_id, peer_id, unread, role, read_count, active_at) VALUES
       ($1, $4, $5, 5, NULL, 0, now()), ($1, $5, $4, 0, NULL, 0, now()),
       ($2, $4, $6, 0, NULL, 0, now()), ($2, $6, $4, 2, NULL, 0, now()),
       ($3, $4, NULL, 0, 'owner', 6, NULL), ($3, $5, NULL, 0, 'member', 1, NULL), ($3, $6, NULL, 0, 'member', 4, NULL)`,
      [two, silent, group, ada!.id, eve!.id, zoe!.id],
    );
  });
  after(closeDatabase);

  it("are listed from all months, with what was said last", async () => {
    const access = await accessConversation(ada!.id, two);
    const { items, next_before } = await listMessages(ada!.id, access, { limit: 2 });
    expect(items.map(({ id }) => id)).to.deep.equal([0, 1].map((months) => idOf(months)));
    const rest = await listMessages(ada!.id, access, { limit: 10, before: next_before! });
    expect(rest.items.map(({ id }) => id)).to.deep.equal([3, 4, 6, 7].map((months) => idOf(months)));
    const page = await pageMessages(ada!.id, access, { page: 2, limit: 4 });
    expect([page.total, page.items.map(({ id }) => id)]).to.deep.equal([6, [6, 7].map((months) => idOf(months))]);

    const inbox = await listConversations(ada!.id, { page: 1, limit: 10 });
    const last = new Map(inbox.items.map(({ id, last_message }) => [id, last_message]));
    expect([two, silent, group].map((id) => last.get(id)?.id)).to.deep.equal([idOf(0), idOf(6, 1), idOf(0, 2)]);
    expect(last.get(group)?.sender?.id).to.equal(ada!.id);
    expect(last.get(two)).not.to.have.property("sender");
  });

  it("answer a message of another month", async () => {
    const { message } = await sendMessage(callerOf(ada!), two, { body: "Back then", reply_to: idOf(6) });
    expect(message.reply_to).to.deep.include({ id: idOf(6), user_id: eve!.id, body: "Hi" });
    const shown = await listMessages(eve!.id, await accessConversation(eve!.id, two), { limit: 1 });
    expect(shown.items[0]!.reply_to).to.deep.equal(message.reply_to);
    const elsewhere = sendMessage(callerOf(ada!), two, { body: "Where?", reply_to: idOf(6, 2) });
    expect(await elsewhere.catch(String)).to.match(/doesn't exist/);
  });

  it("are found by their client_id in their month and the next, also by two at once", async () => {
    await store(idOf(1, 5), two, ada!, "before");
    const again = await sendMessage(callerOf(ada!), two, { body: "Hi", client_id: "before" });
    expect([again.created, again.message.id]).to.deep.equal([false, idOf(1, 5)]);
    const sent = await Promise.all(
      [1, 2, 3].map(() => sendMessage(callerOf(ada!), two, { body: "Once", client_id: "now" })),
    );
    expect(sent.filter(({ created }) => created)).to.have.length(1);
    expect(new Set(sent.map(({ message }) => message.id)).size).to.equal(1);
    await query("DELETE FROM direct_messages WHERE id = $1", [idOf(1, 5)]);
  });

  it("stay while the setting says nothing else", async () => {
    const before = [await ids(), await partitions()];
    await pruneDirectMessages();
    expect([await ids(), await partitions()]).to.deep.equal(before);
  });

  it("are taken out of all counts when they expire, once", async () => {
    const countOf = async (id: string) =>
      (await queryOne<{ n: number }>("SELECT message_count AS n FROM conversations WHERE id = $1", [id]))!.n;
    expect(await unreadOf(eve!.id, group)).to.equal(5);
    const before = await countOf(two);
    await keep(3);
    // As while a backup runs, which the partitions outlast.
    const backup = new pg.Client({ connectionString: databaseUrl() });
    await backup.connect();
    await backup.query("SELECT pg_advisory_lock_shared($1)", [locks.migrations]);
    await pruneDirectMessages();
    await pruneDirectMessages();
    expect(await ids()).to.include(idOf(7));
    await backup.end();
    await pruneDirectMessages();
    expect((await ids()).filter((id) => id < idOf(3))).to.deep.equal([]);
    expect((await partitions())[0]).to.match(/_\d{4}_\d{2}$/);
    expect(await countOf(two)).to.equal(before - 3);
    expect([await countOf(silent), await countOf(group)]).to.deep.equal([0, 3]);
    // Eve's messages of three months are left, and had not been read.
    expect(await unreadOf(ada!.id, two)).to.equal(3);
    expect(await unreadOf(zoe!.id, silent)).to.equal(0);
    // Of six, Ada had read all, Zoe four, and Eve one.
    for (const [member, unread] of [
      [ada!, 0],
      [zoe!, 2],
      [eve!, 3],
    ] as const)
      expect(await unreadOf(member.id, group)).to.equal(unread);
    expect((await getConversation(ada!.id, silent)).last_message).to.equal(null);
  });

  it("are counted as usual after that", async () => {
    const [reached] = await query<{ until: string }>("SELECT counted_until AS until FROM direct_message_expiry");
    expect(reached!.until < idOf(3)).to.equal(true);
    await store(newId(), group, eve!);
    await query("UPDATE conversations SET message_count = message_count + 1 WHERE id = $1", [group]);
    await pruneDirectMessages();
    expect(await unreadOf(ada!.id, group)).to.equal(1);
  });

  it("are marked as read in all months", async () => {
    await markRead(callerOf(ada!), two);
    const unread = await query(
      "SELECT FROM direct_messages WHERE conversation_id = $1 AND sender_id = $2 AND read_at IS NULL",
      [two, eve!.id],
    );
    expect(unread).to.deep.equal([]);
    expect(await unreadOf(ada!.id, two)).to.equal(0);
  });
});
