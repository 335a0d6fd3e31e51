import { expect } from "chai";
import type { Tx } from "#shared/db/transaction.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { useSeededTables } from "#shared/testing/seeded-tables.ts";
import { tableScansOf } from "#shared/testing/table-scans.ts";
import { accessConversation, accessOthers } from "./conversations.policy.ts";
import { getConversation, listConversations } from "./conversations.queries.ts";
import { listMessages, pageMessages } from "./messages.queries.ts";

const tables = ["conversations", "conversation_members", "direct_messages", "users", "user_blocks"];

/**
 * 100,000 conversations of 20,000 people with a message each; the viewer has one with each of 1000 of them, has blocked
 * 100, and has 100,000 messages with one, whose conversation is answered. No constraint is checked: there is nothing to
 * find.
 */
async function seed(tx: Tx, viewerId: string): Promise<string> {
  await tx.query("CREATE TEMP TABLE crowd ON COMMIT DROP AS SELECT i, uuidv7() AS id FROM generate_series(0, 19999) i");
  await tx.query(`INSERT INTO users (id, username, email, full_name, password_hash, settings)
    SELECT id, 'crowd' || i, 'crowd' || i || '@example.com', 'Crowd', 'x', '{}' FROM crowd`);
  await tx.query("CREATE UNIQUE INDEX ON crowd (i)");
  await tx.query("ANALYZE crowd");
  await tx.query(
    `CREATE TEMP TABLE pairs ON COMMIT DROP AS
     SELECT uuidv7() AS id, uuidv7() AS message_id, n, p.a, p.b FROM (
       SELECT n, a.id AS a, b.id AS b FROM generate_series(1, 99000) n
         JOIN crowd a ON a.i = n % 20000 JOIN crowd b ON b.i = (n % 20000 + 1 + n / 20000) % 20000
       UNION ALL SELECT 100000 + i, $1::uuid, id FROM crowd WHERE i < 1000
     ) AS p`,
    [viewerId],
  );
  await tx.query(`INSERT INTO conversations (id, low_user_id, high_user_id, started_by, message_count, last_message_id)
    SELECT id, least(a, b), greatest(a, b), a, 1, message_id FROM pairs`);
  await tx.query(`INSERT INTO conversation_members (conversation_id, user_id, peer_id, active_at)
    SELECT id, a, b, now() - n * interval '1 second' FROM pairs
    UNION ALL SELECT id, b, a, now() - n * interval '1 second' FROM pairs`);
  await tx.query(`INSERT INTO direct_messages (id, conversation_id, sender_id, body, created_at)
    SELECT message_id, id, a, 'Hello', now() FROM pairs`);
  await tx.query("INSERT INTO user_blocks SELECT $1, id FROM crowd WHERE i < 1000 AND i % 10 = 3", [viewerId]);
  await tx.query("INSERT INTO user_blocks SELECT a.id, b.id FROM crowd a JOIN crowd b ON b.i = (a.i * 37 + 5) % 20000");
  const [long] = await tx.query<{ id: string }>("SELECT id FROM pairs WHERE n = 100000");
  await tx.query(
    `INSERT INTO direct_messages (id, conversation_id, sender_id, body, created_at)
     SELECT uuidv7(), $1, $2, 'Hello', now() FROM generate_series(1, 100000)`,
    [long!.id, viewerId],
  );
  await tx.query(`ANALYZE ${tables.join(", ")}`);
  return long!.id;
}

describe("an inbox among 100,000 conversations", () => {
  useDatabase();
  const inSeeded = useSeededTables(tables);

  it("scans no table, nor does a history of 100,000 messages", async function () {
    this.timeout(120_000);
    const { id: viewerId } = await buildUser();
    const scans: string[] = [];
    await inSeeded(async (tx) => {
      const id = await seed(tx, viewerId);
      const access = await accessConversation(viewerId, id);
      const [, middle] = (await pageMessages(viewerId, access, { page: 500, limit: 100 })).items;
      const reads: Record<string, () => Promise<unknown>> = {
        inbox: async () => {
          const page = await listConversations(viewerId, { page: 1, limit: 20 });
          expect([page.items.length, page.total]).to.deep.equal([20, 900]);
        },
        "last page": () => listConversations(viewerId, { page: 45, limit: 20 }),
        conversation: () => getConversation(viewerId, id),
        access: () => accessOthers(viewerId, id),
        history: async () => {
          const { items } = await listMessages(viewerId, access, { before: middle!.id, limit: 100 });
          expect(items).to.have.length(100);
        },
        "a page of it": () => pageMessages(viewerId, access, { page: 1, limit: 20 }),
      };
      for (const read of Object.values(reads)) scans.push(...(await tableScansOf(tables, read)));
    });
    expect(scans).to.deep.equal([]);
  });
});
