import { expect } from "chai";
import type { Tx } from "#shared/db/transaction.ts";
import { listOnline } from "#shared/domain/identity/presence/online.queries.ts";
import { addressPresence } from "#shared/domain/identity/presence/presence.audience.ts";
import { getProfile } from "#shared/domain/identity/users/profile.queries.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { useSeededTables } from "#shared/testing/seeded-tables.ts";
import { tableScansOf } from "#shared/testing/table-scans.ts";
import { listReceivedRequests, listSentRequests } from "./friend-requests.queries.ts";
import { followersAndFriends } from "./presence-followers.ts";
import { listBlocked, listFollowers, listFollowing, listFriends } from "./relations.queries.ts";

const tables = ["users", "user_follows", "friendships", "friend_requests", "user_blocks", "user_counters"];

/**
 * 100,000 users who each follow one, are friends with one, have asked one and blocked one; and a user with some
 * hundreds of everything. No constraint is checked: there is nothing to find.
 */
async function seed(tx: Tx, ownerId: string): Promise<void> {
  await tx.query("CREATE TEMP TABLE crowd ON COMMIT DROP AS SELECT i, uuidv7() AS id FROM generate_series(0, 99999) i");
  await tx.query("CREATE UNIQUE INDEX ON crowd (i)");
  await tx.query("DROP INDEX users_username_similar_idx, users_name_similar_idx");
  await tx.query(`INSERT INTO users (id, username, email, full_name, password_hash, settings)
    SELECT id, 'crowd' || i, 'crowd' || i || '@example.com', 'Crowd', 'x', '{}' FROM crowd`);
  await tx.query("ANALYZE crowd");
  const pairs = (table: string, columns: string) =>
    tx.query(
      `INSERT INTO ${table} (${columns}) SELECT a.id, b.id FROM crowd a JOIN crowd b ON b.i = (a.i + 7) % 100000`,
    );
  await pairs("user_follows", "follower_id, followed_id");
  await pairs("friendships", "user_id, friend_id");
  await pairs("user_blocks", "blocker_id, blocked_id");
  await tx.query(`INSERT INTO friend_requests (id, sender_id, recipient_id)
    SELECT uuidv7(), a.id, b.id FROM crowd a JOIN crowd b ON b.i = (a.i + 7) % 100000`);
  await tx.query("INSERT INTO user_follows (follower_id, followed_id) SELECT id, $1 FROM crowd WHERE i < 500", [
    ownerId,
  ]);
  await tx.query("INSERT INTO user_follows (follower_id, followed_id) SELECT $1, id FROM crowd WHERE i < 500", [
    ownerId,
  ]);
  await tx.query("INSERT INTO friendships (user_id, friend_id) SELECT $1, id FROM crowd WHERE i < 500", [ownerId]);
  await tx.query("INSERT INTO user_blocks (blocker_id, blocked_id) SELECT $1, id FROM crowd WHERE i > 99700", [
    ownerId,
  ]);
  await tx.query(
    "INSERT INTO friend_requests (id, sender_id, recipient_id) SELECT uuidv7(), id, $1 FROM crowd WHERE i BETWEEN 1000 AND 1400",
    [ownerId],
  );
  await tx.query("INSERT INTO user_counters SELECT id, 1, 1 FROM crowd");
  await tx.query("INSERT INTO online_users SELECT id, 'p', now() + interval '1 hour' FROM crowd WHERE i % 50 = 0");
  await tx.query(`ANALYZE ${tables.join(", ")}`);
}

describe("relations of 100,000 users", () => {
  useDatabase();
  const inSeeded = useSeededTables(tables);

  it("are read without a full table scan", async function () {
    this.timeout(120_000);
    const owner: BuiltUser = await buildUser();
    const page = { page: 1, limit: 20 };
    await inSeeded(async (tx) => {
      await seed(tx, owner.id);
      const { items } = await listFollowers(owner.id, page);
      expect(items).to.have.length(20);
      const reads: Record<string, () => Promise<unknown>> = {
        profile: () => getProfile(owner.id, items[0]!.id),
        followers: () => listFollowers(owner.id, page),
        following: () => listFollowing(owner.id, page),
        friends: () => listFriends(owner.id, page),
        blocked: () => listBlocked(owner.id, page),
        incoming: () => listReceivedRequests(owner.id, page),
        sent: () => listSentRequests(items[0]!.id, page),
        online: () => listOnline(owner.id, page),
        watchers: () => followersAndFriends([owner.id]),
        presence: () => addressPresence([owner.id, items[0]!.id]),
      };
      for (const [name, read] of Object.entries(reads))
        expect(await tableScansOf(tables, read), name).to.deep.equal([]);
    });
  });
});
