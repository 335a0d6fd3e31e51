import { expect } from "chai";
import pg from "pg";
import { clock, daysMs } from "#shared/kernel/clock.ts";
import { firstIdAt, newId } from "#shared/kernel/ids.ts";
import { oldestId } from "#shared/kernel/page.ts";
import { createDatabase, useDatabase } from "#shared/testing/database.ts";
import { buildRoom, buildUser } from "#shared/testing/factories.ts";
import { locks } from "./locks.ts";
import { allMigrations, applyMigration, migrate } from "./migrate.ts";
import { divideDatabase, dividedTables } from "./partition-table.ts";
import { rangeBefore } from "./partitions.ts";
import { query } from "./query.ts";
import { queryRecentPage } from "./query-page.ts";
import { inTransaction } from "./transaction.ts";

/** An ID of that time. */
const idOf = (time: string): string => firstIdAt(Date.parse(time));
const month = (index: number, day = 1): string => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + index, day)).toISOString();
};

describe("a table that is divided while it is in use", function () {
  this.timeout(60_000);
  let client: pg.Client;
  let url: string;
  const [user, room] = [newId(), newId()];
  const add = (id: string, clientId: string | null = null) =>
    client.query("INSERT INTO room_messages (id, room_id, user_id, body, client_id) VALUES ($1, $2, $3, 'Hi', $4)", [
      id,
      room,
      user,
      clientId,
    ]);
  const partitions = async () =>
    (
      await client.query(
        `SELECT name, "from", "until" FROM table_partitions WHERE "table" = 'room_messages' ORDER BY "from" NULLS FIRST`,
      )
    ).rows;
  const countIn = async (table: string) => Number((await client.query(`SELECT count(*) FROM ${table}`)).rows[0].count);
  const make = async (ahead: number) =>
    (await client.query("SELECT make_partitions('room_messages', $1, $2) AS made", [ahead, locks.migrations])).rows[0]
      .made;

  before(async () => {
    url = await createDatabase({ migrated: false });
    // In two goes, as a database of an earlier release.
    await migrate(url, (await allMigrations()).slice(0, 1));
    await migrate(url);
    client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(
      "INSERT INTO users (id, username, email, full_name, password_hash, settings) VALUES ($1, 'ada', 'a@example.com', 'Ada', '', '{}')",
      [user],
    );
    await client.query(
      "INSERT INTO rooms (id, host_id, name, category, language, seat_count) VALUES ($1, $2, 'Room', 'music', 'en', 8)",
      [room, user],
    );
    await add(idOf("2024-02-03T00:00:00.000Z"), "old");
    await add(newId(), "new");
  });
  after(() => client.end());

  it("stays as it was until all processes can write to it", async () => {
    expect(await partitions()).to.deep.equal([]);
  });

  it("waits for a transaction that has written to it, and holds up no one meanwhile", async () => {
    const writer = new pg.Client({ connectionString: url });
    await writer.connect();
    await writer.query("BEGIN");
    await writer.query("UPDATE room_messages SET body = 'Ho' WHERE client_id = 'new'");
    const dividing = divideDatabase(url);
    for (let written = 0; written < 10; written += 1) {
      const begun = performance.now();
      await add(newId());
      expect(performance.now() - begun).to.be.lessThan(2000);
    }
    await writer.query("COMMIT");
    await writer.end();
    expect((await dividing).map(({ table }) => table)).to.include("room_messages");
  });

  it("has what was in it as its first partition, and all its constraints", async () => {
    expect(await partitions()).to.deep.equal([
      { name: "room_messages_past", from: null, until: new Date(month(3)) },
      { name: "room_messages_rest", from: new Date(month(3)), until: null },
    ]);
    expect(await countIn("room_messages_past")).to.equal(12);
    const { rows } = await client.query(
      "SELECT relname FROM pg_class WHERE relname LIKE '%undivided%' UNION SELECT conname FROM pg_constraint WHERE NOT convalidated AND conrelid = 'room_messages'::regclass",
    );
    expect(rows).to.deep.equal([]);
    expect(await add(newId(), "new").catch(String)).to.match(/room_messages_past_client_id_key/);
    await client.query("UPDATE users SET full_name = 'Ada L.' WHERE id = $1", [user]);
    const stray = client.query("INSERT INTO room_messages (id, room_id, user_id, body) VALUES ($1, $1, $2, 'Hi')", [
      newId(),
      user,
    ]);
    expect(await stray.catch(String)).to.match(/room_messages_room_id_fkey/);
  });

  it("is divided once", async () => {
    expect(await divideDatabase(url)).to.deep.equal([]);
  });

  it("has partitions for the months ahead, and takes what had come before they were made", async () => {
    expect(await make(2)).to.equal(0);
    await add(idOf(month(4, 12)), "early");
    expect(await countIn("room_messages_rest")).to.equal(1);

    expect(await make(4)).to.equal(2);
    expect((await partitions()).map(({ until }) => until)).to.deep.equal([
      new Date(month(3)),
      new Date(month(4)),
      new Date(month(5)),
      null,
    ]);
    expect(await countIn("room_messages_rest")).to.equal(0);
    expect(await countIn("room_messages")).to.equal(13);
    expect(await add(idOf(month(4, 13)), "early").catch(String)).to.match(/unique constraint/);
  });

  it("isn't changed while a backup reads", async () => {
    const reader = new pg.Client({ connectionString: url });
    await reader.connect();
    await reader.query("SELECT pg_advisory_lock_shared($1)", [locks.migrations]);
    expect(await make(5)).to.equal(0);
    await reader.end();
    expect(await make(5)).to.equal(1);
  });

  it("gets an index as others do", async () => {
    const up = async (run: (sql: string) => Promise<void>) => {
      await run("DROP INDEX CONCURRENTLY IF EXISTS room_messages_age_idx");
      await run("CREATE INDEX CONCURRENTLY room_messages_age_idx ON room_messages (created_at)");
    };
    await applyMigration(client, "20991231T0000-index", { up, inSteps: true });
    // As after a failure.
    await applyMigration(client, "20991231T0001-again", { up, inSteps: true });
    const { rows } = await client.query(
      "SELECT indisvalid, (SELECT count(*)::int FROM pg_inherits WHERE inhparent = indexrelid) AS parts FROM pg_index WHERE indexrelid = 'room_messages_age_idx'::regclass",
    );
    expect(rows).to.deep.equal([{ indisvalid: true, parts: (await partitions()).length }]);
  });
});

describe("a new database", () => {
  useDatabase();

  it("is divided", async () => {
    const rows = await query<{ table: string }>('SELECT DISTINCT "table" FROM table_partitions');
    expect(rows.map(({ table }) => table)).to.have.members([...dividedTables]);
  });

  it("reads the newest messages of a room without looking at older partitions", async () => {
    const host = await buildUser();
    const { id } = await buildRoom({ host });
    await query("INSERT INTO room_messages (id, room_id, user_id, body) VALUES ($1, $2, $3, 'Hi')", [
      newId(),
      id,
      host.id,
    ]);
    const plan = await inTransaction(async (tx) => {
      await tx.query("SET LOCAL enable_seqscan = off");
      return tx.query<{ "QUERY PLAN": string }>(
        `EXPLAIN SELECT id FROM room_messages WHERE room_id = '${id}' AND deleted_at IS NULL ORDER BY id DESC LIMIT 1`,
      );
    });
    const text = plan.map((row) => row["QUERY PLAN"]).join("\n");
    expect(text)
      .to.match(/Append/)
      .and.not.match(/Merge Append|Sort/);
  });
});

describe("queryRecentPage", () => {
  useDatabase();

  it("reads older partitions only for what the newest lack", async () => {
    const host = await buildUser();
    const { id: room } = await buildRoom({ host });
    const now = clock.now();
    const ids = [400, 100, 99, 2, 1].map((days) => firstIdAt(now - daysMs(days)));
    await query(
      "INSERT INTO room_messages (id, room_id, user_id, body) SELECT id, $1, $2, 'Hi' FROM unnest($3::uuid[]) AS id",
      [room, host.id, ids],
    );
    let reads = 0;
    const read: typeof query = (text, values) => {
      reads += 1;
      return query(text, values);
    };
    const page = async (limit: number, before?: string, oldest = oldestId) => {
      reads = 0;
      const { items, next_before } = await queryRecentPage<{ id: string }>(
        "SELECT id FROM room_messages WHERE room_id = $1 AND id >= $2 AND id < $3 ORDER BY id DESC LIMIT $4",
        [room],
        { limit, ...(before && { before }) },
        { oldest, read },
      );
      return { ids: items.map(({ id }) => ids.indexOf(id)), next: next_before && ids.indexOf(next_before), reads };
    };

    expect(await page(1)).to.deep.equal({ ids: [4], next: 4, reads: 1 });
    expect(await page(3)).to.deep.equal({ ids: [4, 3, 2], next: 2, reads: 2 });
    expect(await page(2, ids[2])).to.deep.equal({ ids: [1, 0], next: null, reads: 2 });
    expect(await page(9, undefined, ids[3])).to.deep.equal({ ids: [4, 3], next: null, reads: 1 });
  });
});

describe("rangeBefore", () => {
  it("is the month before that of the first, until the month of the last", () => {
    const range = [idOf("2025-12-01T00:00:00.000Z"), idOf("2026-02-01T00:00:00.000Z")];
    const ids = ["2026-02-01T00:00:00.000Z", "2026-01-31T23:59:59.999Z"].map(idOf);
    expect(rangeBefore(ids)).to.deep.equal(range);
  });
});
