import pg from "pg";
import { locks } from "#shared/db/locks.ts";
import { migrate } from "#shared/db/migrate.ts";
import { divideDatabase, monthsAhead } from "#shared/db/partition-table.ts";
import { clock, startOfMonth } from "#shared/kernel/clock.ts";
import { firstIdAt } from "#shared/kernel/ids.ts";
import { measureGifts } from "./gift.ts";
import { seedGifts } from "./gift-months-seed.ts";
import { type GiftRates, type GiftScene, raiseSignupBonus, setScene } from "./gift-scene.ts";
import { withLastingToken } from "./many-people.ts";
import { judge, median, printTable, say } from "./report.ts";
import { type Person, type Service, startService } from "./service.ts";

interface Options {
  /** Gifts of the last 24 months. Each has five entries in the ledger. */
  readonly gifts: number;
  readonly connections: number;
  readonly seconds: number;
  readonly rounds: number;
  /** What the divided database is compared with: one without these gifts, or one that has them in undivided tables. */
  readonly against: "empty" | "undivided";
}

const months = 24;
const dividedTables = ["gift_transactions", "ledger_entries"];
const pagesRead = 200;
/** Longer than seeding takes. */
const tokenSeconds = 86_400;
const leastRatio = 0.95;

interface Stand {
  readonly service: Service;
  readonly pool: pg.Pool;
  readonly scene: GiftScene;
  readonly rates: GiftRates[];
  /** How long it took to list the gifts that a user has sent, and their ledger entries, milliseconds. */
  readonly gifts: number[];
  readonly entries: number[];
}

/**
 * Measures gifts per second among those of 24 months, in tables that are divided by month, and in another database; and
 * how long it takes to list what a user has sent. Fails if gifts are slower in the divided one.
 */
export async function giftMonths(options: Options): Promise<void> {
  const services: Service[] = [];
  const stands: Stand[] = [];
  try {
    say("Seeding, which takes some minutes …");
    for (const kind of [options.against, "divided"] as const) {
      const service = await startService(kind === "divided" ? { prepare: divideByMonth } : {});
      services.push(service);
      stands.push(await prepare(service, options, kind));
    }
    for (let round = 0; round < options.rounds; round += 1)
      for (const stand of round % 2 === 0 ? stands : stands.toReversed()) await measure(stand, options.seconds);
    const [other, divided] = stands.map(({ rates }) => median(rates.map(({ perSecond }) => perSecond)));
    printTable(
      stands.map(({ rates, gifts, entries }, nth) => ({
        "": nth === 0 ? options.against : "divided",
        "gifts per second": [other, divided][nth]!.toFixed(0),
        "p99 ms": median(rates.map(({ p99 }) => p99)).toFixed(0),
        "a page of sent gifts, p50 ms": median(gifts).toFixed(2),
        "of the wallet's entries": median(entries).toFixed(2),
      })),
    );
    const ratio = divided! / other!;
    judge(
      `gifts among ${options.gifts} and ${5 * options.gifts} ledger entries, divided by month: ${ratio.toFixed(2)} × those in a database that is ${options.against} (target: at least ${leastRatio})`,
      ratio >= leastRatio,
    );
  } finally {
    for (const { pool } of stands) await pool.end();
    for (const service of services) await service.stop();
  }
}

async function divideByMonth(databaseUrl: string): Promise<void> {
  await migrate(databaseUrl);
  const from = firstIdAt(startOfMonth(clock.now(), -months));
  await divideDatabase(databaseUrl, Object.fromEntries(dividedTables.map((table) => [table, from])));
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  for (const table of dividedTables)
    await client.query("SELECT make_partitions($1, $2, $3)", [table, monthsAhead, locks.migrations]);
  await client.end();
}

async function prepare(
  service: Service,
  { gifts, connections }: Options,
  kind: Options["against"] | "divided",
): Promise<Stand> {
  const pool = new pg.Pool({ connectionString: service.databaseUrl, max: 4 });
  pool.on("error", () => {}); // The database may end before its idle connections do.
  await raiseSignupBonus(pool);
  const { pairs, ...rest } = await setScene(service, connections);
  const lasting = (person: Person) => withLastingToken(person, tokenSeconds);
  const scene = {
    ...rest,
    pairs: pairs.map(({ sender, recipient }) => ({ sender: lasting(sender), recipient: lasting(recipient) })),
  };
  if (kind !== "empty") await seedGifts(service.databaseUrl, scene, { gifts, months });
  return { service, pool, scene, rates: [], gifts: [], entries: [] };
}

async function measure({ service, pool, scene, rates, gifts, entries }: Stand, seconds: number): Promise<void> {
  rates.push(await measureGifts(service, pool, scene, seconds));
  gifts.push(...(await readPages(service, scene, "/gifts/transactions/sent")));
  entries.push(...(await readPages(service, scene, "/wallet/transactions")));
}

/** Returns how long it takes to read the first page of a list, milliseconds. */
async function readPages(service: Service, { pairs }: GiftScene, path: string): Promise<number[]> {
  const times: number[] = [];
  for (let nth = 0; nth < pagesRead; nth += 1) {
    const begunMs = performance.now();
    await service.call("GET", path, { token: pairs[nth % pairs.length]!.sender.token });
    times.push(performance.now() - begunMs);
  }
  return times;
}
