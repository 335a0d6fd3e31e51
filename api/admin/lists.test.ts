import { expect } from "chai";
import { checkInput } from "#shared/contracts/check-input.ts";
import { query } from "#shared/db/query.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { newId } from "#shared/kernel/ids.ts";
import { adminLists, queriesOf } from "#shared/testing/admin-lists.ts";
import { buildAdmin } from "#shared/testing/admins.ts";
import { largeTables, seedStatements } from "#shared/testing/large-tables.ts";
import { adminCaller } from "#shared/testing/people.ts";
import { useSeededTables } from "#shared/testing/seeded-tables.ts";
import { useService } from "#shared/testing/service.ts";
import type { RawCall, Route } from "../http/route.ts";
import { searchRoutes } from "./operations/search/search.routes.ts";

const sizes = { users: 8000, ledgerEntries: 8000, others: 8000 };
/** Rows that a list may pass by until it has a page of those that one in a hundred are. */
const slack = 4000;
/** How many items a page of a list has, unless it is asked for another number. */
const pageSize = 20;

/** The administrator's own sessions, what failed in the service, how many codes are left, and sums of text messages. */
const notDownloaded = [
  "/me/sessions",
  "/health/dead-jobs",
  "/health/dead-events",
  "/catalogue/code-stock",
  "/text-messages",
];

type Item = Readonly<Record<string, unknown>> & { readonly id: string };
interface Listed {
  readonly items: Item[];
  readonly total?: number;
}
type Filter = Readonly<Record<string, string>>;

const nameOf = ({ path }: Route, filter: Filter) => `${path}?${new URLSearchParams({ ...filter })}`;

/** Searches all of these tables at once. */
const searchRoute = searchRoutes().find(({ id }) => id === "searchRecords")!;

describe("the lists of administrators", () => {
  const service = useService();
  const seeded = useSeededTables(largeTables);

  async function list({ run }: Route, filter: Filter): Promise<Listed> {
    const raw = {
      req: { query: filter, params: {}, headers: {} },
      requestId: "",
      caller: adminCaller(),
      body: {},
      check: checkInput,
    };
    const { data } = await run(raw as unknown as RawCall);
    return Array.isArray(data) ? { items: data } : (data as Listed);
  }

  /** Lists the tables for `readSoFar`. PostgreSQL's own view, `pg_stat_xact_user_tables`, looks for them each time. */
  const listTables = (tx: Tx) =>
    tx.query(
      `CREATE TEMP TABLE counted ON COMMIT DROP AS
       SELECT relname AS name, oid, ARRAY(SELECT indexrelid FROM pg_index WHERE indrelid = c.oid) AS indexes
       FROM pg_class c WHERE oid = ANY($1::text[]::regclass[])`,
      [largeTables],
    );

  /** Returns how many rows of each table were read in this transaction. */
  async function readSoFar(): Promise<Map<string, number>> {
    const tables = await query<{ name: string; rows: number }>(
      `SELECT name, pg_stat_get_xact_tuples_returned(oid) + pg_stat_get_xact_tuples_fetched(oid)
         + (SELECT coalesce(sum(pg_stat_get_xact_tuples_fetched(i)), 0) FROM unnest(indexes) i)::bigint AS rows
       FROM counted`,
    );
    return new Map(tables.map(({ name, rows }) => [name, rows]));
  }

  /** Returns the first page of a list, and the tables of which it reads more rows than it finds. */
  async function readFirst(route: Route, filter: Filter): Promise<{ first: Listed; faults: string[] }> {
    const before = await readSoFar();
    const first = await list(route, filter);
    const found = Math.max(first.total ?? 0, first.items.length);
    const faults = [...(await readSoFar())]
      .map(([table, rows]) => [table, rows - before.get(table)!] as const)
      .filter(([, rows]) => rows > 3 * found + slack)
      .map(([table, rows]) => `${nameOf(route, filter)} finds ${found}, reads ${rows} ${table}`);
    return { first, faults };
  }

  /** Returns what is wrong with the first two pages of a list. */
  async function faultsIn(route: Route, filter: Filter, first: Listed): Promise<string[]> {
    const { sort = "", ...asked } = filter;
    const second = await list(route, { ...filter, page: "2" });
    const items = [...first.items, ...second.items];
    const column = sort.replace("-", "");
    const values = items.map((item) => item[column] as string | number);
    // Records that are created at the same moment may get their IDs, which lists by time are sorted by, and their times
    // in another order.
    const areClose = (one: string | number, other: string | number) =>
      one === other || Math.abs(Date.parse(`${one}`) - Date.parse(`${other}`)) < 1000;
    const inOrder = values.every(
      (value, at) => at === 0 || areClose(value, values[at - 1]!) || value > values[at - 1]! !== sort.startsWith("-"),
    );
    const faults = {
      "counts wrongly": items.length !== Math.min(first.total!, 2 * pageSize) || first.total !== second.total,
      "repeats items": new Set(items.map(({ id }) => id)).size < items.length,
      "shows others": items.some((item) =>
        Object.entries(asked).some(([name, value]) => name in item && String(item[name]) !== value),
      ),
      "is not in order": column in (items[0] ?? {}) && !/name|email/.test(column) && !inOrder,
    };
    return Object.entries(faults).flatMap(([fault, is]) => (is ? [`${nameOf(route, filter)} ${fault}`] : []));
  }

  it("filter, order, page, and count alike, and read only about the rows that they find", async () => {
    const faults: string[] = [];
    await seeded(async (tx) => {
      // Parallel workers count their reads apart. Tables of this size would be scanned where larger ones are not.
      await tx.query("SET LOCAL max_parallel_workers_per_gather = 0");
      await tx.query("SET LOCAL enable_seqscan = off");
      // Other tests' entries are newer than those that are seeded, and would be read before them.
      await tx.query("DELETE FROM ledger_entries");
      for (const statement of seedStatements(sizes)) await tx.query(statement);
      // What has not been merged into such an index yet counts as its cost.
      await tx.query(
        `SELECT gin_clean_pending_list(i.oid) FROM pg_class i JOIN pg_am ON pg_am.oid = relam AND amname = 'gin'
         WHERE relkind = 'i'`,
      );
      await tx.query(`ANALYZE ${largeTables.join(", ")}`);

      await listTables(tx);
      for (const route of adminLists()) {
        const { items } = await list(route, { limit: String(pageSize) });
        for (const filter of queriesOf(route, items)) {
          const read = await readFirst(route, filter);
          faults.push(...read.faults);
          if (filter.sort) faults.push(...(await faultsIn(route, filter, read.first)));
        }
      }
      for (const q of ["hopper 711", newId()]) faults.push(...(await readFirst(searchRoute, { q })).faults);
    });

    expect(faults.join("\n")).to.equal("");
  }).timeout(120_000);

  for (const route of adminLists().filter(({ path }) => !notDownloaded.includes(path)))
    it(`download ${route.path} as CSV`, async () => {
      const { token } = await buildAdmin();

      const { status, body, headers } = await service.admin("get", `${route.path}.csv`, { token });

      expect([status, headers.get("content-type")]).to.deep.equal([200, "text/csv; charset=utf-8"]);
      expect(String(body).split("\n")[0]!.split(",")).to.have.length.greaterThan(1);
      const same = await service.admin("get", `${route.path}?format=csv`, { token });
      expect(same.headers.get("content-type")).to.equal("text/csv; charset=utf-8");
      const refused = await service.admin("post", `${route.path}.csv`, { token });
      expect([refused.status, refused.headers.get("allow")]).to.deep.equal([405, "GET"]);
    });
});
