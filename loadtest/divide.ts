import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as hdr from "hdr-histogram-js";
import pg from "pg";
import { startEmbeddedPostgres } from "#shared/db/embedded-postgres.ts";
import { allMigrations, migrate } from "#shared/db/migrate.ts";
import { boundaries, dividableTables, divideDatabase } from "#shared/db/partition-table.ts";
import { newId } from "#shared/kernel/ids.ts";
import { fillAtOnce } from "./bulk.ts";
import { judge, say } from "./report.ts";
import { untilDue } from "./until-due.ts";

interface Options {
  /** Direct messages, of the last 24 months. */
  readonly rows: number;
  /** Messages that are sent per second meanwhile. */
  readonly rate: number;
}

const heldMaxMs = 2000;
const conversations = 10_000;
/** Messages that are inserted by one statement. */
const chunk = 1_000_000;

/**
 * Measures how long others wait while a large table is divided into partitions by month, as `npm run partition` does
 * it in the database of an older installation. Fails if they wait too long, or if a message is lost.
 */
export async function divide({ rows, rate }: Options): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "hubbub-bench-divide-"));
  const database = await startEmbeddedPostgres(join(folder, "postgres"));
  const client = new pg.Client({ connectionString: database.url });
  try {
    // In two goes, as a database of an earlier release.
    await migrate(database.url, (await allMigrations()).slice(0, 1));
    await migrate(database.url);
    await client.connect();
    say("Seeding the database, which takes some minutes …");
    await seed(client, rows);

    const before = await pagesOf(client, "direct_messages");
    const startedMs = performance.now();
    let isOver = false;
    const dividing = divideDatabase(database.url, boundaries(dividableTables)).finally(() => {
      isOver = true;
    });
    const [divisions, times] = await Promise.all([dividing, sendUntil(() => isOver, database.url, rate)]);
    const seconds = (performance.now() - startedMs) / 1000;

    const { heldMs } = divisions.find(({ table }) => table === "direct_messages")!;
    say(`  ${rows} direct messages divided in ${seconds.toFixed(1)} s, while ${times.totalCount} were sent`);
    judge(`locked for ${heldMs.toFixed(0)} ms (target: ${heldMaxMs} ms)`, heldMs <= heldMaxMs);
    const slowest = times.maxValue / 100;
    judge(
      `a message took ${slowest.toFixed(0)} ms at most (target: ${heldMaxMs} ms), p99 ${(times.getValueAtPercentile(99) / 100).toFixed(1)} ms`,
      slowest <= heldMaxMs,
    );
    const copied = (await pagesOf(client, "direct_messages_past")) < before;
    const found = await client.query("SELECT count(*)::int AS count FROM direct_messages");
    judge("nothing was copied or lost", !copied && found.rows[0].count === rows + times.totalCount);
  } finally {
    await client.end();
    await database.stop();
    await rm(folder, { recursive: true });
  }
}

/** A copy would be packed differently. */
const pagesOf = async (client: pg.Client, table: string): Promise<number> =>
  Number((await client.query("SELECT pg_relation_size($1::regclass) / 8192 AS pages", [table])).rows[0].pages);

async function seed(client: pg.Client, rows: number): Promise<void> {
  const id = newId();
  await client.query(
    "INSERT INTO users (id, username, email, full_name, password_hash, settings) VALUES ($1, 'ada', 'a@example.com', 'Ada', '-', '{}')",
    [id],
  );
  await client.query(
    `INSERT INTO conversations (id, kind, name, owner_id, started_by)
     SELECT md5(n::text)::uuid, 'group', 'Group', $1, $1 FROM generate_series(1, ${conversations}) AS n`,
    [id],
  );
  await fillAtOnce(client, "direct_messages", async () => {
    for (let first = 0; first < rows; first += chunk)
      await client.query(
        `INSERT INTO direct_messages (id, conversation_id, sender_id, body, client_id, created_at)
         SELECT (substr(first_id_at(at)::text, 1, 24) || lpad(to_hex(n), 12, '0'))::uuid,
           md5((1 + n * 7919 % ${conversations})::text)::uuid, $1, 'A message of some words, as people write them', n::text, at
         FROM generate_series($2::bigint, $3::bigint) AS n,
           LATERAL (SELECT now() - interval '24 months' * (1 - n::float8 / ${rows})) AS t (at)`,
        [id, first, Math.min(first + chunk, rows) - 1],
      );
  });
  await client.query("VACUUM (ANALYZE) direct_messages");
}

/** Sends messages at a constant rate. Returns how long each took, in hundredths of a millisecond. */
async function sendUntil(isOver: () => boolean, connectionString: string, rate: number): Promise<hdr.Histogram> {
  const times = hdr.build();
  const pool = new pg.Pool({ connectionString, max: 20 });
  const sent: Promise<unknown>[] = [];
  const startedMs = performance.now();
  for (let nth = 0; !isOver(); nth += 1) {
    const dueMs = startedMs + (nth * 1000) / rate;
    await untilDue(dueMs);
    const one = pool
      .query(
        `INSERT INTO direct_messages (id, conversation_id, sender_id, body, client_id, created_at)
       SELECT $1::uuid, id, started_by, 'Meanwhile', $1::uuid::text, now() FROM conversations LIMIT 1`,
        [newId()],
      )
      .then(() => times.recordValue(Math.max(0, performance.now() - dueMs) * 100));
    one.catch(() => {}); // It is awaited at the end.
    sent.push(one);
  }
  await Promise.all(sent);
  await pool.end();
  return times;
}
