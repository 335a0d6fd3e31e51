import { expect } from "chai";
import type { Tx } from "#shared/db/transaction.ts";
import { clock } from "#shared/kernel/clock.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { buildRoom, buildUser } from "#shared/testing/factories.ts";
import { useSeededTables } from "#shared/testing/seeded-tables.ts";
import { tableScansOf } from "#shared/testing/table-scans.ts";
import { pointsOfMessages } from "./count-minutes.ts";
import { getLeaderboard } from "./leaderboards.queries.ts";
import { addPoints } from "./scores.ts";
import { weekOf } from "./week.ts";

const tables = ["leaderboard_scores", "users", "user_blocks", "rooms", "room_messages", "direct_messages"];

/** 100,000 people and 100,000 rooms with scores this week and the last; 200 blocked by the viewer, 300 suspended. */
async function seed(tx: Tx, viewerId: string): Promise<void> {
  await tx.query(
    "CREATE TEMP TABLE crowd ON COMMIT DROP AS SELECT i, uuidv7() AS id FROM generate_series(1, 100000) i",
  );
  await tx.query(`INSERT INTO users (id, username, email, full_name, password_hash, settings, status, suspended_at)
    SELECT id, 'crowd' || i, 'crowd' || i || '@example.com', 'Crowd', 'x', '{}',
      CASE WHEN i % 333 = 0 THEN 'suspended' ELSE 'active' END, CASE WHEN i % 333 = 0 THEN now() END FROM crowd`);
  await tx.query(`INSERT INTO rooms (id, host_id, name, category, language, seat_count)
    SELECT id, id, 'Room', 'music', 'en', 8 FROM crowd`);
  const { monday } = weekOf(clock.now());
  for (const scope of ["activity", "popular_rooms"])
    await tx.query(
      `INSERT INTO leaderboard_scores (scope, week, subject_id, score, reached_at)
       SELECT $1, week, id, 1 + i * 7919 % 5000, now() FROM crowd, unnest(ARRAY[$2::date, $2::date - 7]) AS week`,
      [scope, monday],
    );
  await tx.query("INSERT INTO user_blocks SELECT $1, id FROM crowd WHERE i % 500 = 1", [viewerId]);
  await tx.query(
    `INSERT INTO room_messages (id, room_id, user_id, body) SELECT uuidv7(interval '-1 day'), id, id, 'Hi' FROM crowd`,
  );
  await tx.query(`INSERT INTO direct_messages (id, conversation_id, sender_id, body, created_at)
    SELECT uuidv7(interval '-1 day'), id, id, 'Hi', now() FROM crowd`);
  await tx.query(`ANALYZE ${tables.join(", ")}`);
}

describe("leaderboards of 100,000", () => {
  useDatabase();
  const inSeeded = useSeededTables(tables);

  it("scan no table, for the top and for a user far below", async function () {
    this.timeout(120_000);
    const viewer = await buildUser();
    const room = await buildRoom({ host: viewer });
    await inSeeded(async (tx) => {
      await seed(tx, viewer.id);
      const at = new Date(clock.now()).toISOString();
      const week = weekOf(clock.now()).monday;
      await addPoints(tx, [
        { scope: "activity", week, subjectId: viewer.id, points: 1, at },
        { scope: "popular_rooms", week, subjectId: room.id, points: 1, at },
      ]);
      for (const scope of ["activity", "popular_rooms"] as const) {
        const read = () => getLeaderboard(viewer.id, { scope, limit: 20 });
        expect(await tableScansOf(tables, read)).to.deep.equal([]);
        const { items, me } = await read();
        expect(items).to.have.length(20);
        expect(me?.rank).to.be.within(99_000, 100_000);
      }
      expect(await tableScansOf(tables, () => pointsOfMessages(clock.now() - 60_000, clock.now()))).to.deep.equal([]);
    });
  });
});
