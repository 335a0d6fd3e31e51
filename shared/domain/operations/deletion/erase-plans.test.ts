import { expect } from "chai";
import type { Tx } from "#shared/db/transaction.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { useSeededTables } from "#shared/testing/seeded-tables.ts";
import { tableScansOf } from "#shared/testing/table-scans.ts";
import { eraseSteps } from "./erase-steps.ts";

/** Tables that grow with what people do, and what a crowd leaves in each. */
const seeds = {
  idempotency_keys: "(scope, key, request_hash) SELECT id || ' POST /rooms/:id/gifts', 'k', '' FROM crowd",
  notifications: "(id, user_id, type, group_key, actor_id) SELECT id, id, 'follow', 'k', id FROM crowd",
  notification_events: "(user_id, event_key) SELECT id, 'k' FROM crowd",
  post_comments: "(id, post_id, author_id, content) SELECT id, id, id, 'Hi' FROM crowd",
  post_likes: "(post_id, user_id) SELECT id, id FROM crowd",
  posts: "(id, author_id, content) SELECT id, id, 'Hi' FROM crowd",
  reports: `(id, reporter_id, target_type, target_id, target_user_id, reason, evidence)
    SELECT id, id, 'user', id, id, 'Noise', '{"bio": "Hi"}' FROM crowd`,
  room_messages: "(id, room_id, user_id, body) SELECT id, id, id, 'Hi' FROM crowd",
  rooms: "(id, host_id, name, category, language, seat_count) SELECT id, id, 'Room', 'music', 'en', 8 FROM crowd",
  support_tickets: "(id, user_id, email, subject, message) SELECT id, id, 'a@example.com', 'Hi', 'Hi' FROM crowd",
};
const tables = Object.keys(seeds);

/** No constraint is checked: there is nothing to find. */
async function seed(tx: Tx): Promise<void> {
  await tx.query("CREATE TEMP TABLE crowd ON COMMIT DROP AS SELECT uuidv7() AS id FROM generate_series(1, 20000)");
  for (const [table, rows] of Object.entries(seeds)) await tx.query(`INSERT INTO ${table} ${rows}`);
  await tx.query(`ANALYZE ${tables.join(", ")}`);
}

describe("erasing one of 20,000 people", () => {
  useDatabase();
  const inSeeded = useSeededTables(tables);

  it("reads no table from end to end", async function () {
    this.timeout(120_000);
    const { id } = await buildUser();
    const scans: string[] = [];
    await inSeeded(async (tx) => {
      await seed(tx);
      const eraseAll = async () => {
        for (const step of eraseSteps) await step(tx, id);
      };
      scans.push(...(await tableScansOf(tables, eraseAll)));
    });
    expect(scans).to.deep.equal([]);
  });
});
