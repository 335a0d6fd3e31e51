import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { configureAccessTokens, issueAccessToken } from "#shared/domain/identity/sessions/access-token.ts";
import { newId } from "#shared/kernel/ids.ts";
import { queriesOf } from "#shared/testing/admin-lists.ts";
import { ownerIn, type SeededIds, userListRows, userLists, userListTables } from "#shared/testing/user-lists.ts";
import { judge, printTable, say } from "./report.ts";
import { type Person, register, type Service, startService, tokenSecret } from "./service.ts";

interface Options {
  /** Users, and rows of each other kind, in the large database. */
  readonly rows: number;
  /** Rooms with people in them, in the large database at the end. */
  readonly live: number;
  readonly rounds: number;
  /** Seed the databases again. */
  readonly fresh?: boolean;
}

const small = { rows: 10_000, live: 100 };
/** Rows of each kind that are the viewer's, in both. */
const own = 1000;
/** How much longer a call may take in the large database. A search has more names to tell apart. */
const most = { list: 2, search: 4 };

/** The IDs of what lists belong to, and how many rows there are. */
interface Seeded {
  readonly ids: SeededIds;
  readonly rows: number;
}
type Times = Map<string, number>;

/**
 * Measures every list that users have, with each filter, on its first and last page, in a small and in a large
 * database; then the lists of rooms with many more live ones. The seeded databases stay in the temporary folder for the
 * next run. Fails if a list depends on the size by more than promised.
 */
export async function lists({ rows, live, rounds, fresh = false }: Options): Promise<void> {
  const few = await measureIn(small.rows, [small.live], { rounds, fresh });
  const [many, alive] = await measureIn(rows, [small.live, live], { rounds, fresh });
  report(`${small.rows} and ${rows} rows of each kind`, few[0]!, many!);
  report(`${small.live} and ${live} live rooms`, many!, alive!, "/rooms ");
}

/** Measures the lists of a service with so many rows and live rooms, the latter one after the other. */
async function measureIn(
  rows: number,
  lives: readonly number[],
  { rounds, fresh }: { rounds: number; fresh: boolean },
): Promise<Times[]> {
  const folder = join(tmpdir(), `hubbub-bench-lists-${rows}`);
  const seeded = join(folder, "seeded.json");
  if (fresh || !existsSync(seeded)) await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });

  const service = await startService({ folder });
  try {
    if (!existsSync(seeded)) await writeFile(seeded, JSON.stringify(await seed(service, rows)));
    const ids = JSON.parse(await readFile(seeded, "utf8")) as SeededIds;
    configureAccessTokens(tokenSecret);
    const viewer = { id: ids.viewerId, token: issueAccessToken(ids.viewerId, newId()) };
    await service.call("POST", `/rooms/${ids.roomId}/join`, { token: viewer.token, body: {} });

    const measured: Times[] = [];
    for (const live of lives) {
      await setLive(service, live, ids.roomId);
      measured.push(await measure(service, viewer, { ids, rows }, rounds));
    }
    await setLive(service, 0, ids.roomId);
    return measured;
  } finally {
    await service.stop();
  }
}

/** Makes what the lists of something belong to. */
async function ownOf(service: Service, { id: viewerId, token }: Person): Promise<SeededIds> {
  const make = async (path: string, body: object) =>
    (await service.call<{ id: string }>("POST", path, { token, body })).id;
  const roomId = await make("/rooms", { name: "Bench", category: "chat", language: "en" });
  const postId = await make("/posts", { content: "Bench" });
  const webhookId = await make("/users/me/webhooks", { url: "https://shop.invalid/hubbub" });
  return { viewerId, roomId, postId, webhookId };
}

async function inDatabase(service: Service, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  try {
    await client.query("SET session_replication_role = replica");
    await work(client);
  } finally {
    await client.end();
  }
}

/** Fills the tables that users list. Returns what the viewer's rows belong to. */
async function seed(service: Service, rows: number): Promise<SeededIds> {
  const ids = await ownOf(service, (await register(service, 1))[0]!);
  say(`Seeding ${rows} rows of each kind …`);
  await inDatabase(service, async (client) => {
    for (const statement of userListRows({ rows, own }, ids)) await client.query(statement);
    await client.query(`VACUUM (ANALYZE) ${userListTables.join(", ")}`);
  });
  return ids;
}

/** Has people in so many of the newest rooms, as the process of `roomId` would say: what others say is dropped. */
const setLive = (service: Service, live: number, roomId: string) =>
  inDatabase(service, async (client) => {
    await client.query("DELETE FROM live_rooms WHERE room_id <> $1", [roomId]);
    await client.query(
      `INSERT INTO live_rooms (room_id, epoch, category, member_count, seated_count, process_id)
       SELECT r.id, 1, r.category, 1 + row_number() OVER () % 50, 1, l.process_id
       FROM (SELECT id, category FROM rooms ORDER BY id DESC LIMIT $1) r, live_rooms l WHERE l.room_id = $2
       ON CONFLICT DO NOTHING`,
      [live, roomId],
    );
    await client.query("VACUUM (ANALYZE) live_rooms");
  });

interface Listed {
  readonly items: readonly object[];
  readonly total_pages?: number;
  readonly next_before?: string | null;
}

const searches = ["grace", "talk number 77", "graec"];

/** Returns the path of a list, and its queries: each filter alone, and those of rooms with a category and a search. */
async function queriesFor(route: ReturnType<typeof userLists>[number], { ids, rows }: Seeded, get: Get) {
  const path = route.path.replace(":id", ownerIn(route.path, ids, { rows, own }));
  if (route.path === "/leaderboards") return { path, queries: [{ scope: "gift_senders" }] };
  if (route.path === "/users/search") return { path, queries: searches.map((q) => ({ q })) };
  if (route.path !== "/rooms") return { path, queries: queriesOf(route, (await get<Listed>(path, {})).items ?? []) };
  const queries = ["recommended", "new", "popular"].flatMap((filter) =>
    [{}, { category: "music" }].flatMap((category) =>
      [{}, ...searches.map((q) => ({ q }))].map((search) => ({ filter, ...category, ...search })),
    ),
  );
  return { path, queries };
}

type Query = Readonly<Record<string, string>>;
type Get = <T>(path: string, query: Query) => Promise<T>;

/**
 * The calls are spread over so many passes: what holds up the machine for a moment doesn't affect all those of a list.
 */
const passes = 3;
/** The first ones of a pass read what is not in memory yet. */
const unmeasured = 2;

async function measure(service: Service, { token }: Person, seeded: Seeded, rounds: number): Promise<Times> {
  const get: Get = (path, query) => service.call("GET", `${path}?${new URLSearchParams(query)}`, { token });
  const times: Times = new Map();
  const calls = await pagesOf(get, seeded);
  for (let pass = 0; pass < passes; pass += 1)
    for (const { name, path, query } of calls)
      for (let round = 0; round < unmeasured + rounds / passes; round += 1) {
        const startedMs = performance.now();
        await get(path, query);
        const tookMs = performance.now() - startedMs;
        // The fastest: what the call takes by itself, whatever else the machine does.
        if (round >= unmeasured) times.set(name, Math.min(tookMs, times.get(name) ?? tookMs));
      }
  return times;
}

/** Returns the first and the last page of each list with each of its queries. */
async function pagesOf(get: Get, seeded: Seeded): Promise<{ name: string; path: string; query: Query }[]> {
  const pages: { name: string; path: string; query: Query }[] = [];
  for (const route of userLists()) {
    const { path, queries } = await queriesFor(route, seeded, get);
    for (const query of queries as Query[]) {
      const { total_pages: last = 1 } = await get<Listed>(path, query);
      for (const page of last > 1 ? [{}, { page: String(last) }] : [{}]) {
        const shown = new URLSearchParams({ ...query, ...("page" in page && { page: "last" }) });
        pages.push({ name: `${route.path} ${decodeURIComponent(String(shown))}`, path, query: { ...query, ...page } });
      }
    }
  }
  return pages;
}

interface Grown {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly ratio: number;
}

/** Prints the lists whose times differ most, and judges all. Names each that misses its target. */
function report(title: string, before: Times, after: Times, only = ""): void {
  const rows: Grown[] = [...after]
    .filter(([name]) => before.has(name) && name.startsWith(only))
    .map(([name, ms]) => ({ name, from: before.get(name)!, to: ms, ratio: ms / before.get(name)! }))
    .toSorted((a, b) => b.ratio - a.ratio);
  say(`\n${title}: ${rows.length} lists`);
  printTable(
    rows.slice(0, 12).map(({ name, from, to, ratio }) => ({
      list: name,
      ms: from.toFixed(1),
      "ms then": to.toFixed(1),
      ratio: ratio.toFixed(2),
    })),
  );
  for (const [kind, limit] of Object.entries(most)) {
    const ofKind = rows.filter(({ name }) => /[ &]q=/.test(name) === (kind === "search"));
    const beyond = ofKind.filter(({ ratio }) => ratio > limit);
    for (const row of beyond.length > 0 ? beyond : ofKind.slice(0, 1))
      judge(`${kind} ${row.name}, ${title}: ${row.ratio.toFixed(2)} × (at most ${limit})`, row.ratio <= limit);
  }
}
