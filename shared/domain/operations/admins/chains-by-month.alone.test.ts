import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { divideDatabase } from "#shared/db/partition-table.ts";
import { makePartitions } from "#shared/db/partitions.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { closeDatabase, openDatabase } from "#shared/db/sequelize.ts";
import { inTransaction, sqlState } from "#shared/db/transaction.ts";
import { loadSettings } from "#shared/domain/base/settings/settings.ts";
import { checkLedger } from "#shared/domain/money/ledger/check-ledger.ts";
import { listEntries } from "#shared/domain/money/ledger/ledger.queries.ts";
import { clock, daysMs, isoNow, startOfMonth } from "#shared/kernel/clock.ts";
import { dateIds, firstIdAt, newId } from "#shared/kernel/ids.ts";
import { createDatabase } from "#shared/testing/database.ts";
import { buyCoins } from "#shared/testing/earnings.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { flushStatistics } from "#shared/testing/flush-statistics.ts";
import { adminCaller } from "#shared/testing/people.ts";
import { tampered } from "#shared/testing/tamper.ts";
import { checkAuditLog } from "./audit-chain.ts";
import { checkLedgerChain, signLedgerHead } from "./ledger-chain.ts";
import { latestTreeHead, proveEntries } from "./ledger-tree.ts";
import { configureAuditSigning } from "./signed-heads.ts";

const tables = ["ledger_entries", "audit_log"] as const;

/** The middle of a month, so many before this one. */
const middleOf = (months: number): number => startOfMonth(clock.now(), -months) + daysMs(15);

const audit = () =>
  inTransaction((tx) => tx.audit(adminCaller(), { action: "test.change", target: { type: "test", id: newId() } }));

describe("the ledger and the audit log, divided by month", () => {
  let folder: string;
  let userId: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "hubbub-months-"));
    configureAuditSigning({ secrets: ["a secret of the tests that signs the log"], folder });
    const url = await createDatabase({ migrated: true });
    const until = firstIdAt(startOfMonth(clock.now(), -4));
    await divideDatabase(url, Object.fromEntries(tables.map((table) => [table, until])));
    await openDatabase(url);
    await makePartitions();
    await loadSettings();
    userId = (await buildUser()).id;
    for (const months of [7, 6, 4, 3, 1, 0]) {
      if (months > 0) dateIds(() => middleOf(months));
      await buyCoins(userId, 10);
      await audit();
      dateIds();
    }
  });
  after(async () => {
    await closeDatabase();
    await rm(folder, { recursive: true, force: true });
  });

  const owned = "user_id = $1 AND asset = 'coins'";

  it("lie in the partition of their month, the oldest in that of all before", async () => {
    const used = await query<{ counts: number[] }>(
      `SELECT (SELECT array_agg(count ORDER BY tableoid) FROM (
         SELECT tableoid, count(*)::int AS count FROM ledger_entries WHERE type = 'coin_purchase' GROUP BY 1) e) AS counts
       UNION ALL SELECT (SELECT array_agg(count ORDER BY tableoid) FROM (
         SELECT tableoid, count(*)::int AS count FROM audit_log WHERE action = 'test.change' GROUP BY 1) a)`,
    );
    expect(used.map(({ counts }) => counts.toSorted())).to.deep.equal([
      [2, 2, 2, 2, 4],
      [1, 1, 1, 1, 2],
    ]);
  });

  it("are chained, proven, and checked as in one table", async () => {
    await signLedgerHead();
    expect((await checkLedgerChain()).difference).to.equal(undefined);
    expect((await checkAuditLog()).difference).to.equal(undefined);
    const ids = (await query<{ id: string }>("SELECT id FROM ledger_entries")).map(({ id }) => id);
    expect([...(await proveEntries(ids, (await latestTreeHead())!.seq)).keys()]).to.have.members(ids);
    expect((await checkLedger()).filter((difference) => difference.includes(userId))).to.deep.equal([]);
  });

  it("show an entry that was altered in an old month", async () => {
    const [row] = await query<{ id: string }>(`SELECT id FROM ledger_entries WHERE ${owned} ORDER BY id LIMIT 1`, [
      userId,
    ]);
    const found = await tampered(
      ["ledger_entries"],
      [["UPDATE ledger_entries SET type = 'signup' WHERE id = $1", [row!.id]]],
      async () => (await checkLedgerChain()).difference,
    );
    expect(found).to.be.a("string");
  });

  it("are chained by a look at the partitions of that time", async () => {
    const looks = async () => {
      await flushStatistics();
      const row = await queryOne<{ at: number; before: number }>(
        `SELECT sum(idx_scan) FILTER (WHERE "until" > now())::int AS at,
           sum(idx_scan) FILTER (WHERE "until" < now() - interval '1 day')::int AS before
         FROM table_partitions JOIN pg_stat_user_indexes ON relname = name
         WHERE "table" = 'ledger_entries' AND indexrelname LIKE '%movement%'`,
      );
      return row!;
    };
    await buyCoins(userId, 10);
    const { at, before } = await looks();

    await signLedgerHead();

    const after = await looks();
    expect(after.at - at).to.be.above(0);
    expect(after.before - before).to.equal(0);
  });

  it("list a wallet's entries from all months, newest first", async () => {
    const list = await listEntries(userId, { page: 2, limit: 4 });
    expect([list.total, list.items.length]).to.deep.equal([7, 3]);
    const all = await listEntries(userId, { page: 1, limit: 10 });
    expect(all.items.map(({ id }) => id)).to.deep.equal(
      all.items
        .map(({ id }) => id)
        .toSorted()
        .reverse(),
    );
  });

  const partitionsOf = async (table: string) => {
    const rows = await query<{ name: string }>(`SELECT name FROM table_partitions WHERE "table" = $1`, [table]);
    return rows.map(({ name }) => name);
  };

  it("refuse changes in each partition", async () => {
    for (const table of tables)
      for (const name of [table, ...(await partitionsOf(table))])
        for (const statement of [`UPDATE ${name} SET id = id`, `DELETE FROM ${name}`, `TRUNCATE ${name}`])
          expect(await query(statement).catch(sqlState), statement).to.equal("23001");
  });

  it("refuse entries that don't add up, and a number that an entry of that month has", async () => {
    const [newest] = await query<{ id: string; movement_id: string; entry_no: number }>(
      `SELECT id, movement_id, entry_no FROM ledger_entries WHERE ${owned} ORDER BY id DESC LIMIT 1`,
      [userId],
    );
    const { movement_id, entry_no } = newest!;
    const add = (into: string, no: number, amount: number) =>
      query(
        `INSERT INTO ${into} (id, movement_id, type, user_id, house, amount, balance_after, entry_no)
         VALUES ($1, $3, 'coin_purchase', $4, NULL, 1, 1, $5), ($2, $3, 'coin_purchase', NULL, 'issue', $6, NULL, NULL)`,
        [newId(), newId(), movement_id, userId, no, amount],
      ).catch(sqlState);
    const month = isoNow().slice(0, 7).replace("-", "_");
    for (const into of ["ledger_entries", `ledger_entries_${month}`]) {
      expect(await add(into, entry_no, -1), into).to.equal("23505");
      expect(await add(into, entry_no + 1, -2), into).to.equal("23514");
    }
  });
});
