import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { query, queryOne } from "#shared/db/query.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { flushStatistics } from "#shared/testing/flush-statistics.ts";
import { chainLedger, checkLedgerChain } from "./ledger-chain.ts";
import { configureAuditSigning } from "./signed-heads.ts";

/** Writes ledger transactions whose IDs say that they are as old, such as `3 hours`. */
const write = (count: number, age: string) =>
  query(
    `INSERT INTO ledger_movements (id, reference_type, reference_id, description)
     SELECT uuidv7(-$2::interval), 'balance_adjustment', gen_random_uuid(), 'A test' FROM generate_series(1, $1::int)`,
    [count, age],
  );

const chainedCount = async () => (await queryOne<{ n: number }>("SELECT count(*) AS n FROM ledger_chain"))!.n;

/** How many ledger transactions were looked at by their ID, by all that has ended. */
async function looked(): Promise<number> {
  await flushStatistics();
  const sql = "SELECT idx_tup_read AS n FROM pg_stat_user_indexes WHERE indexrelname = 'ledger_movements_pkey'";
  return (await queryOne<{ n: number }>(sql))!.n;
}

describe("the hourly run that chains the ledger", function () {
  this.timeout(60_000);
  useDatabase();
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "hubbub-chain-"));
    configureAuditSigning({ secrets: ["a secret of the tests that signs the log"], folder });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it("looks only at what is new, however many the day had", async () => {
    await write(20_000, "2 hours");
    await write(1, "40 minutes");
    await chainLedger();
    await query("ANALYZE ledger_movements, ledger_chain");
    await write(8000, "1 minute");
    const before = await looked();

    await chainLedger();

    expect(await chainedCount()).to.equal(28_001);
    expect((await looked()) - before).to.be.within(8000, 20_000);
  });

  it("continues one that was cut off", async () => {
    await write(5000, "30 seconds");
    const chained = await chainedCount();
    await query(`ALTER TABLE ledger_chain ADD CONSTRAINT cut_off CHECK (seq <= ${chained + 3000})`);
    expect(await chainLedger().catch((error: Error) => error.message)).to.match(/cut_off/);
    await query("ALTER TABLE ledger_chain DROP CONSTRAINT cut_off");
    expect(await chainedCount()).to.equal(chained + 2000);

    await chainLedger();

    expect((await chainedCount()) - chained).to.equal(5000);
    expect((await checkLedgerChain()).difference).to.equal(undefined);
  });

  it("adds one that was committed hours late, before it would count as put in", async () => {
    await write(1, "3 hours");
    const chained = await chainedCount();
    await chainLedger();
    expect(await chainedCount()).to.equal(chained);
    expect((await checkLedgerChain()).difference).to.equal(undefined);

    await write(1, "-22 hours");
    await chainLedger();

    expect(await chainedCount()).to.equal(chained + 2);
    expect((await checkLedgerChain()).difference).to.equal(undefined);
  });
});
