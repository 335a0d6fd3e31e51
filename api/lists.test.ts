import { expect } from "chai";
import { checkInput } from "#shared/contracts/check-input.ts";
import { query } from "#shared/db/query.ts";
import { type BuiltUser, buildGift, buildPost, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { callerOf } from "#shared/testing/people.ts";
import { useSeededTables } from "#shared/testing/seeded-tables.ts";
import { useService } from "#shared/testing/service.ts";
import { tableScansOf } from "#shared/testing/table-scans.ts";
import { ownerIn, type SeededIds, userListRows, userLists, userListTables } from "#shared/testing/user-lists.ts";
import { buildWebhook } from "#shared/testing/webhooks.ts";
import type { RawCall, Route } from "./http/route.ts";

const sizes = { rows: 20_000, own: 400 };
/** Rows that a list may read beyond three for each that it finds. */
const slack = 3000;
const perPage = 50;
/** Rows that the last page may read beyond the first, for each row of the list: its entry, and what decides on it. */
const skippedMost: Readonly<Record<string, number>> = { "/agencies/invitations": 3 };

/** What these lists can't do without. */
const needed: Readonly<Record<string, object>> = {
  "/users/search": { q: "grace" },
  "/leaderboards": { scope: "gift_senders" },
};

describe("the lists of a user, over 20,000 rows of each kind", () => {
  useService();
  const seeded = useSeededTables(userListTables);

  async function buildViewer(): Promise<{ viewer: BuiltUser; ids: SeededIds }> {
    const viewer = await buildUser();
    await buildGift();
    const room = await buildRoom({ host: viewer });
    const post = await buildPost({ author: viewer });
    const webhook = await buildWebhook(viewer);
    const ids = {
      viewerId: viewer.id,
      roomId: room.id,
      postId: post.id,
      webhookId: webhook.id,
    };
    return { viewer, ids };
  }

  /** Runs a list as the viewer, and returns how many items are in the whole of it. */
  async function lengthOf(route: Route, viewer: BuiltUser, ids: SeededIds, page?: number): Promise<number> {
    const raw = {
      req: {
        query: { limit: String(perPage), ...(page && { page: String(page) }), ...needed[route.path] },
        params: route.params ? { id: ownerIn(route.path, ids, sizes) } : {},
        headers: {},
      },
      requestId: "",
      caller: callerOf(viewer),
      body: {},
      check: checkInput,
      language: async () => "en",
    };
    const { data } = await route.run(raw as unknown as RawCall);
    const { total = 0, items } = data as { total?: number; items: unknown[] };
    return Math.max(total, items.length);
  }

  const rowsRead = async (): Promise<number> => {
    const [{ rows } = { rows: 0 }] = await query<{ rows: number }>(
      `SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int AS rows FROM pg_stat_xact_user_tables
       WHERE relname = ANY($1)`,
      [userListTables],
    );
    return rows;
  };

  it("scan no table, and read about as many rows as they find", async () => {
    const { viewer, ids } = await buildViewer();
    const faults: string[] = [];

    await seeded(async (tx) => {
      await tx.query("SET LOCAL max_parallel_workers_per_gather = 0");
      for (const statement of userListRows(sizes, ids)) await tx.query(statement);
      await tx.query(`ANALYZE ${userListTables.join(", ")}`);

      for (const route of userLists()) {
        let found = 0;
        const before = await rowsRead();
        const scans = await tableScansOf(userListTables, async () => {
          found = await lengthOf(route, viewer, ids);
        });
        const read = (await rowsRead()) - before;
        faults.push(...scans.map((scan) => `${route.path}: ${scan}`));
        if (found < perPage) faults.push(`${route.path} finds ${found}`);
        if (read > 3 * found + slack) faults.push(`${route.path} finds ${found}, reads ${read}`);

        const lastPage = Math.ceil(found / perPage);
        if (lastPage === 1) continue;
        await lengthOf(route, viewer, ids, lastPage);
        const readLast = (await rowsRead()) - before - read;
        if (readLast > read + (skippedMost[route.path] ?? 2) * found)
          faults.push(`${route.path} finds ${found}, reads ${readLast} for its last page`);
      }
    });

    expect(faults.join("\n")).to.equal("");
  }).timeout(120_000);

  it("have values for the last of the million rows of their benchmark", async () => {
    const { ids } = await buildViewer();
    const million = 1_000_000;

    await seeded(async (tx) => {
      for (const statement of userListRows({ rows: million, own: 90, from: million }, ids)) await tx.query(statement);
      expect(await tx.query("SELECT id FROM runs")).to.have.lengthOf(1);
      const times = await tx.query<{ name: string; column: string }>(
        `SELECT table_name AS name, column_name AS column FROM information_schema.columns
         WHERE table_schema = 'public' AND table_name = ANY($1) AND data_type = 'timestamp with time zone'`,
        [userListTables],
      );
      for (const { name, column } of times) {
        const early = await tx.query(`SELECT 1 FROM ${name} WHERE ${column} NOT BETWEEN '1990-01-01' AND '2190-01-01'`);
        expect(early, `${name}.${column} is in this age`).to.deep.equal([]);
      }
    });
  });
});
