import { expect } from "chai";
import { deletionOf } from "#shared/db/batches.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { useSeededTables } from "#shared/testing/seeded-tables.ts";
import { tableScansOf } from "#shared/testing/table-scans.ts";
import { readAll, readOne } from "./mark-read.ts";
import { countUnread, listNotifications, unreadNotifications } from "./notifications.queries.ts";
import { notify } from "./notify.ts";
import { oldEvents, oldNotifications } from "./prune-notifications.ts";

const tables = ["notifications", "notification_events", "users", "user_blocks", "rooms", "user_devices", "sessions"];

/** 100,000 notifications of 2,000 users, half of them read, and a viewer with 5,000, who has blocked 50 users. */
async function seed(tx: Tx, viewerId: string): Promise<void> {
  await tx.query(`CREATE TEMP TABLE crowd ON COMMIT DROP AS SELECT i, uuidv7() AS id FROM generate_series(0, 19999) i`);
  await tx.query("CREATE UNIQUE INDEX ON crowd (i)");
  await tx.query(`INSERT INTO users (id, username, email, full_name, password_hash, settings)
    SELECT id, 'crowd' || i, 'crowd' || i || '@example.com', 'Crowd', 'x', '{}' FROM crowd`);
  await tx.query(
    `INSERT INTO notifications (id, user_id, type, group_key, actor_id, read_at, created_at)
     SELECT uuidv7(), CASE WHEN n % 20 = 0 THEN $1 ELSE receiver.id END, 'post_like', 'post_like:' || n, actor.id,
       CASE WHEN n % 40 < 20 THEN now() END, now() - n * interval '1 second'
     FROM generate_series(1, 100000) n JOIN crowd receiver ON receiver.i = n % 2000
       JOIN crowd actor ON actor.i = n * 7919 % 20000`,
    [viewerId],
  );
  await tx.query(`INSERT INTO rooms (id, host_id, name, category, language, seat_count)
    SELECT id, id, 'Room', 'music', 'en', 8 FROM crowd`);
  await tx.query(`INSERT INTO notification_events (user_id, event_key) SELECT user_id, group_key FROM notifications
    ON CONFLICT DO NOTHING`);
  await tx.query("INSERT INTO user_blocks SELECT $1, id FROM crowd WHERE i % 400 = 0", [viewerId]);
  await tx.query("INSERT INTO user_blocks SELECT a.id, b.id FROM crowd a JOIN crowd b ON b.i = a.i + 1");
  await tx.query(`ANALYZE ${tables.join(", ")}`);
}

describe("notifications over 100,000", () => {
  useDatabase();
  const inSeeded = useSeededTables(tables);

  it("scan no table", async function () {
    this.timeout(120_000);
    const [viewer, fan]: BuiltUser[] = [await buildUser(), await buildUser()];
    await inSeeded(async (tx) => {
      await seed(tx, viewer!.id);
      const list = (page: number, unread: boolean) => listNotifications(viewer!.id, { page, limit: 20, unread });
      const { items, total } = await list(1, false);
      expect(items).to.have.length(20);
      expect(total).to.be.within(4500, 4990);
      const ids = items.map(({ id }) => id);
      const reads: Record<string, () => Promise<unknown>> = {
        list: () => list(1, false),
        "last page": () => list(225, false),
        unread: () => list(1, true),
        count: () => countUnread(viewer!.id),
        news: () => unreadNotifications(ids),
        read: () => readOne(tx, viewer!.id, ids[0]!),
        notify: () =>
          notify(tx, [
            {
              type: "follow",
              setting: "follows",
              receiverId: viewer!.id,
              actorId: fan!.id,
              eventKey: `follow:${fan!.id}`,
              groupKey: "follow",
              data: {},
            },
          ]),
        prune: () => tx.query(deletionOf(oldNotifications, "$1"), [5000]),
        "prune events": () => tx.query(deletionOf(oldEvents, "$1"), [5000]),
        "read all": () => readAll(tx, viewer!.id),
      };
      for (const [name, read] of Object.entries(reads))
        expect(await tableScansOf(tables, read), name).to.deep.equal([]);
      expect(await countUnread(viewer!.id)).to.equal(0);
    });
  });
});
