import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { adminLists, queriesOf } from "#shared/testing/admin-lists.ts";
import { type LargeSizes, largeTables, seedStatements } from "#shared/testing/large-tables.ts";
import { judge, median, printTable, say } from "./report.ts";
import { runCommand, type Service, startService } from "./service.ts";

const sizes: LargeSizes = { users: 1_000_000, ledgerEntries: 1_000_000, others: 100_000 };
const promisedMs = { dashboard: 50, list: 100 };
const login = { email: "bench@example.com", password: "an administrator who measures" };

type Query = Readonly<Record<string, string>>;

interface Measured {
  readonly path: string;
  readonly promise: number;
  readonly queries: number;
  /** The slowest query, and the median time of each of its pages, milliseconds. */
  readonly slowest: string;
  readonly pages: readonly number[];
}

interface Listed {
  readonly items: readonly object[];
  readonly total_pages?: number;
  readonly next_before?: string | null;
}

/**
 * Measures the dashboard and every list of the admin API, with each filter and order, on large tables: the first page,
 * one in the middle, and the last. The seeded database stays in the temporary folder for the next run. Fails if a
 * promise is not kept.
 */
export async function admin({ rounds, fresh = false }: { rounds: number; fresh?: boolean }): Promise<void> {
  const folder = join(tmpdir(), "hubbub-bench-admin");
  const seeded = join(folder, `seeded-${sizes.users}-${sizes.ledgerEntries}-${sizes.others}`);
  if (fresh || !existsSync(seeded)) await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });

  const service = await startService({ folder, more: { ADMIN_EMAIL: login.email, ADMIN_PASSWORD: login.password } });
  try {
    if (!existsSync(seeded)) {
      await seed(service);
      await writeFile(seeded, "");
    }
    report(await measureAll(service, rounds));
  } finally {
    await service.stop();
  }
}

async function seed({ databaseUrl }: Service): Promise<void> {
  say("Seeding the database, which takes some minutes …");
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query("SET session_replication_role = replica");
  for (const statement of seedStatements(sizes)) await client.query(statement);
  await client.query(`VACUUM (ANALYZE) ${largeTables.join(", ")}`);
  await client.end();
  await runCommand(["main.ts", "charts-backfill"], { DATABASE_URL: databaseUrl });
}

async function measureAll(service: Service, rounds: number): Promise<Measured[]> {
  const { token } = await service.call<{ token: string }>("POST", "/admin/login", { body: login });
  const get = <T>(path: string, query: Query = {}) =>
    service.call<T>("GET", `/admin${path}?${new URLSearchParams(query)}`, { token });
  const timed = async (path: string, query: Query) => {
    const took: number[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const startedMs = performance.now();
      await get(path, query);
      // The first reads what is not in memory yet.
      if (round > 0) took.push(performance.now() - startedMs);
    }
    return median(took);
  };

  const dashboard = await timed("/dashboard", { time_zone: "Asia/Kolkata" });
  const rows: Measured[] = [
    { path: "/dashboard", promise: promisedMs.dashboard, queries: 1, slowest: "", pages: [dashboard] },
  ];
  for (const route of adminLists()) {
    const { items = [] } = await get<Listed>(route.path);
    const queries = queriesOf(route, items);
    let slowest: Pick<Measured, "slowest" | "pages"> = { slowest: "", pages: [] };
    for (const query of queries) {
      const pages: number[] = [];
      for (const page of pagesOf(await get<Listed>(route.path, query)))
        pages.push(await timed(route.path, { ...query, ...page }));
      if (Math.max(...pages) > Math.max(0, ...slowest.pages))
        slowest = { slowest: decodeURIComponent(String(new URLSearchParams(query))), pages };
    }
    rows.push({ path: route.path, promise: promisedMs.list, queries: queries.length, ...slowest });
  }
  return rows;
}

/** Returns the first page, one in the middle, and the last; of a list without numbers of pages, the first two. */
function pagesOf({ total_pages, next_before }: Listed): Query[] {
  if (total_pages === undefined) return [{}, ...(next_before ? [{ before: next_before }] : [])];
  const numbers = new Set([1, Math.ceil(total_pages / 2), total_pages].filter((page) => page > 0));
  return numbers.size === 0 ? [{}] : [...numbers].map((page) => ({ page: String(page) }));
}

function report(rows: readonly Measured[]): void {
  const isBroken = ({ pages, promise }: Measured) => Math.max(...pages) > promise;
  printTable(
    rows.map((row) => ({
      path: row.path,
      queries: row.queries,
      "slowest query": row.slowest,
      "ms of its pages": row.pages.map((ms) => ms.toFixed(0)).join(" "),
      promised: row.promise,
      kept: isBroken(row) ? "no" : "yes",
    })),
  );
  const broken = rows.filter(isBroken);
  const slowest = Math.max(...rows.flatMap(({ pages }) => pages));
  judge(`${rows.length} lists and the dashboard: at most ${slowest.toFixed(0)} ms`, broken.length === 0);
}
