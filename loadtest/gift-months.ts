import pg from "pg";
import { locks } from "#shared/db/locks.ts";
import { divideDatabase, monthsAhead } from "#shared/db/partition-table.ts";
import { clock, startOfMonth } from "#shared/kernel/clock.ts";
import { firstIdAt } from "#shared/kernel/ids.ts";
import { fillAtOnce } from "./bulk.ts";
import { measureGifts } from "./gift.ts";
import { type GiftRates, type GiftScene, raiseSignupBonus, setScene } from "./gift-scene.ts";
import { judge, median, printTable, say } from "./report.ts";
import { type Service, startService } from "./service.ts";

interface Options {
  /** Gifts of the last 24 months. */
  readonly gifts: number;
  readonly connections: number;
  readonly seconds: number;
  readonly rounds: number;
}

const months = 24;
/** Gifts that are inserted by one statement. */
const chunk = 1_000_000;
/** One of so many gifts is between people who are measured; the others are between 10,007 other users. */
const others = 1000;
const pagesRead = 200;
const leastRatio = 0.95;

interface Stand {
  readonly service: Service;
  readonly pool: pg.Pool;
  readonly scene: GiftScene;
}

/**
 * Measures gifts per second among those of 24 months, in a table that is divided by month, and in one that isn't; and
 * how long it takes to list the gifts that a user has sent. Fails if gifts are slower in the divided one.
 */
export async function giftMonths(options: Options): Promise<void> {
  const services: Service[] = [];
  const stands: Stand[] = [];
  try {
    say("Seeding two databases, which takes some minutes …");
    for (const divided of [false, true]) {
      const service = await startService();
      services.push(service);
      stands.push(await prepare(service, options, divided));
    }
    const rates: GiftRates[][] = stands.map(() => []);
    const pages: number[][] = stands.map(() => []);
    for (let round = 0; round < options.rounds; round += 1)
      for (const nth of round % 2 === 0 ? [0, 1] : [1, 0]) {
        const { service, pool, scene } = stands[nth]!;
        rates[nth]!.push(await measureGifts(service, pool, scene, options.seconds));
        pages[nth]!.push(...(await readPages(service, scene)));
      }
    const perSecond = rates.map((of) => median(of.map(({ perSecond }) => perSecond)));
    printTable(
      ["one table", "divided"].map((table, nth) => ({
        "": table,
        "gifts per second": perSecond[nth]!.toFixed(0),
        "p99 ms": median(rates[nth]!.map(({ p99 }) => p99)).toFixed(0),
        "a page of sent gifts, p50 ms": median(pages[nth]!).toFixed(2),
      })),
    );
    const ratio = perSecond[1]! / perSecond[0]!;
    judge(
      `gifts among ${options.gifts}, divided by month: ${ratio.toFixed(2)} × those in one table (target: at least ${leastRatio})`,
      ratio >= leastRatio,
    );
  } finally {
    for (const { pool } of stands) await pool.end();
    for (const service of services) await service.stop();
  }
}

async function prepare(service: Service, { gifts, connections }: Options, divided: boolean): Promise<Stand> {
  const pool = new pg.Pool({ connectionString: service.databaseUrl, max: 4 });
  pool.on("error", () => {}); // The database may end before its idle connections do.
  if (divided) {
    await divideDatabase(service.databaseUrl, { gift_transactions: firstIdAt(startOfMonth(clock.now(), -months)) });
    await pool.query("SELECT make_partitions('gift_transactions', $1, $2)", [monthsAhead, locks.migrations]);
  }
  await raiseSignupBonus(pool);
  const scene = await setScene(service, connections);
  const client = await pool.connect();
  await seed(client, scene, gifts);
  client.release(true);
  return { service, pool, scene };
}

async function seed(client: pg.PoolClient, { giftId, roomId, pairs }: GiftScene, gifts: number): Promise<void> {
  const senders = pairs.map(({ sender }) => sender.id);
  const recipients = pairs.map(({ recipient }) => recipient.id);
  await fillAtOnce(client, "gift_transactions", async () => {
    for (let first = 0; first < gifts; first += chunk)
      await client.query(
        `INSERT INTO gift_transactions (id, gift_id, room_id, sender_id, recipient_id, quantity, unit_price, total_coins,
           recipient_coins, created_at)
         SELECT (substr(first_id_at(at)::text, 1, 24) || lpad(to_hex(n), 12, '0'))::uuid, $1, $2,
           CASE n % ${others} WHEN 0 THEN ($3::uuid[])[pair] ELSE md5((n % 10007)::text)::uuid END,
           CASE n % ${others} WHEN 0 THEN ($4::uuid[])[pair] ELSE md5((n * 7919 % 10007)::text || ' receives')::uuid END,
           1, 2, 2, 1, at
         FROM generate_series($5::bigint, $6::bigint) AS n, LATERAL (SELECT 1 + n / ${others} % ${senders.length}) AS p (pair),
           LATERAL (SELECT now() - interval '${months} months' * (1 - n::float8 / ${gifts})) AS t (at)`,
        [giftId, roomId, senders, recipients, first, Math.min(first + chunk, gifts) - 1],
      );
  });
  await client.query("VACUUM (ANALYZE) gift_transactions");
}

/** Returns how long it takes to read the first page of the gifts that a user has sent, milliseconds. */
async function readPages(service: Service, { pairs }: GiftScene): Promise<number[]> {
  const times: number[] = [];
  for (let nth = 0; nth < pagesRead; nth += 1) {
    const begunMs = performance.now();
    await service.call("GET", "/gifts/transactions/sent", { token: pairs[nth % pairs.length]!.sender.token });
    times.push(performance.now() - begunMs);
  }
  return times;
}
