import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { listManaged } from "#shared/domain/base/managed/managed.queries.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { useSeededTables } from "#shared/testing/seeded-tables.ts";
import { managedRunLines } from "./managed-runs.ts";

/** How many lines a run has, and how many runs there are besides: so many that reading all lines takes longer. */
const [lines, others] = [1000, 15];

describe("the lines of a large run", () => {
  useDatabase();
  const seeded = useSeededTables(["run_lines"]);
  /** How many lines this transaction has read. */
  const readSoFar = async (): Promise<number> =>
    (
      await query<{ rows: number }>(
        `SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) AS rows FROM pg_stat_xact_user_tables WHERE relname = 'run_lines'`,
      )
    )[0]!.rows;

  it("are paged by an index: each is read once, to count it", async () => {
    const run = newId();
    await seeded(async (tx) => {
      for (const id of [run, ...Array.from({ length: others }, newId)])
        await tx.query(
          `INSERT INTO run_lines (id, run_id, contract_id, agency_id, host_id, owner_id, earnings, seat_seconds, seat_days, weight,
             salary, commission, how)
           SELECT gen_random_uuid(), $1, gen_random_uuid(), $1, gen_random_uuid(), $1, n, 0, 0, 100, n * 7919 % 1000, 0, '{}'
           FROM generate_series(1, $2::int) AS n`,
          [id, lines],
        );
      await tx.query("ANALYZE run_lines");
      const before = await readSoFar();

      const page = await listManaged(managedRunLines, { run_id: run }, { page: 2, limit: 20 });

      expect(page.total).to.equal(lines);
      expect(page.items.map(({ salary }) => salary)).to.deep.equal(
        Array.from({ length: 20 }, (_, nth) => 999 - Math.floor((20 + nth) / (lines / 1000))),
      );
      expect((await readSoFar()) - before).to.be.at.most(lines + 100);
    });
  });
});
