import { assert, expect } from "chai";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { runOnServer, useDatabase } from "#shared/testing/database.ts";
import { until } from "#shared/testing/until.ts";
import { databaseUrl } from "./database-address.ts";
import { query, queryOne } from "./query.ts";
import { currentTransaction, sequelize } from "./sequelize.ts";
import { inTransaction, sqlState, type Tx, violatedConstraint } from "./transaction.ts";

const setting = (key: string) => queryOne<{ value: unknown }>("SELECT value FROM settings WHERE key = $1", [key]);
const insert = "INSERT INTO settings (key, value) VALUES ($1, $2)";
const set = "UPDATE settings SET value = $2 WHERE key = $1";

describe("inTransaction", () => {
  useDatabase();

  it("commits what the work wrote and returns its result", async () => {
    const key = newId();
    const answer = await inTransaction(async (tx) => {
      await tx.query(insert, [key, 1]);
      return "done";
    });
    expect(answer).to.equal("done");
    expect(await setting(key)).to.deep.equal({ value: 1 });
  });

  const changes = [
    insert,
    set,
    "DELETE FROM settings WHERE key = $1",
    "SELECT 1 FROM settings WHERE key = $1 FOR KEY SHARE",
    "WITH changed AS (UPDATE settings s SET value = '1' WHERE key = $1 RETURNING 1) SELECT count(*) FROM changed",
  ];
  for (const statement of changes)
    it(`leaves to its Tx: ${statement}`, async () => {
      const refused = await inTransaction(() => query(statement, [newId(), 1])).catch((error: Error) => error.message);
      expect(refused).to.include("its Tx writes and locks");
    });

  it("reads what is committed", async () => {
    const level = await inTransaction((tx) => tx.query("SELECT current_setting('transaction_isolation') AS level"));
    expect(level).to.deep.equal([{ level: "read committed" }]);
  });

  it("runs every query inside in the transaction, also after awaits and in parallel", async () => {
    const key = newId();
    await inTransaction(async (tx) => {
      await tx.query(insert, [key, 1]);
      await Promise.all([tx.query(set, [key, 2]), Promise.resolve().then(() => tx.query(set, [key, 3]))]);
      expect(currentTransaction()).to.not.equal(undefined);
      const outside = await sequelize.query("SELECT 1", { transaction: null });
      expect(outside).to.have.length(2);
    });
    expect(currentTransaction()).to.not.be.an("object");
    expect(await setting(key)).to.deep.equal({ value: 3 });
  });

  it("rolls everything back when the work throws, and runs no hook", async () => {
    const key = newId();
    let hooks = 0;
    const refused = inTransaction(async (tx) => {
      tx.afterCommit(() => {
        hooks += 1;
      });
      await tx.query(insert, [key, 1]);
      throw new DomainError("CONFLICT");
    });
    expect(await refused.catch((error: unknown) => error)).to.be.instanceOf(DomainError);
    expect(await setting(key)).to.equal(undefined);
    expect(hooks).to.equal(0);
  });

  it("shows a statement what was sent before it, and fails with the first error of what was sent", async () => {
    const [key, other] = [newId(), newId()];
    const seen = await inTransaction(async (tx) => {
      tx.send(insert, [key, 1]);
      return setting(key);
    });
    expect(seen).to.deep.equal({ value: 1 });

    const failing = (last: (tx: Tx) => Promise<unknown>) =>
      inTransaction(async (tx) => {
        tx.send(insert, [other, 1]);
        tx.send(insert, [key, 2]);
        await last(tx);
      }).catch(violatedConstraint);
    expect(await failing(async () => undefined)).to.equal("settings_pkey");
    expect(await failing((tx) => tx.query("SELECT 1"))).to.equal("settings_pkey");
    expect(await setting(other)).to.equal(undefined);
  });

  it("keeps nothing when a statement could not even be sent", async () => {
    const key = newId();
    const unreadable = { toPostgres: () => assert.fail("unreadable") };
    const outcome = inTransaction(async (tx) => {
      tx.send(insert, [key, 1]);
      tx.send(set, [key, unreadable]);
    });
    expect(String(await outcome.catch((error: unknown) => error))).to.include("unreadable");
    expect(await setting(key)).to.equal(undefined);
  });

  it("runs hooks once, after the commit", async () => {
    const key = newId();
    const seen: unknown[] = [];
    await inTransaction(async (tx) => {
      tx.afterCommit(() => {
        seen.push(currentTransaction() ?? "no transaction");
      });
      await tx.query(insert, [key, 1]);
    });
    expect(seen).to.deep.equal(["no transaction"]);
  });

  it("runs two transactions that lock in opposite order to their end", async () => {
    const [a, b] = [newId(), newId()];
    await query(insert, [a, 0]);
    await query(insert, [b, 0]);
    let [runs, locks] = [0, 0];
    const both = [
      [a, b],
      [b, a],
    ].map((keys) =>
      inTransaction(async (tx) => {
        runs += 1;
        await tx.query("UPDATE settings SET value = to_jsonb(value::int + 1) WHERE key = $1", [keys[0]]);
        locks += 1;
        await until("both hold one lock", () => locks >= 2);
        await tx.query("UPDATE settings SET value = to_jsonb(value::int + 1) WHERE key = $1", [keys[1]]);
      }),
    );
    await Promise.all(both);
    expect(runs).to.be.greaterThan(2);
    expect([await setting(a), await setting(b)]).to.deep.equal([{ value: 2 }, { value: 2 }]);
  });

  it("gives up after four runs, and immediately on another error", async () => {
    let runs = 0;
    const fail = (state: string) =>
      inTransaction(async (tx) => {
        runs += 1;
        await tx.query("SELECT set_config('test.state', $1, true)", [state]);
        await tx.query(raiseStatement);
      }).catch(sqlState);
    await query(raiseFunction);
    expect(await fail("40001")).to.equal("40001");
    expect(runs).to.equal(4);
    runs = 0;
    expect(await fail("23505")).to.equal("23505");
    expect(runs).to.equal(1);
  });

  it("refuses to nest", async () => {
    const nested = inTransaction(() => inTransaction(async () => undefined));
    expect(String(await nested.catch((error: unknown) => error))).to.include("transactions do not nest");
  });

  it("names the constraint that was violated", async () => {
    const key = newId();
    await query(insert, [key, 1]);
    const error = await query(insert, [key, 1]).catch((thrown: unknown) => thrown);
    expect(violatedConstraint(error)).to.equal("settings_pkey");
    expect(sqlState(error)).to.equal("23505");
  });

  it("recovers after the database cut every connection", async () => {
    const busy = query("SELECT pg_sleep(4)").catch((error: unknown) => sqlState(error) ?? String(error));
    const inWork = inTransaction((tx) => tx.query("SELECT pg_sleep(4)")).catch((error: unknown) => sqlState(error));
    const sleeping = async () =>
      (
        await queryOne<{ n: number }>(
          "SELECT count(*) AS n FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%' AND datname = current_database()",
        )
      )?.n;
    await until("both sleep", async () => (await sleeping()) === 2);
    await runOnServer(
      databaseUrl(),
      "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
    );
    expect(await busy).to.equal("57P01");
    expect(await inWork).to.equal("57P01");
    // A broken connection stays in the pool until its end is noticed. Queries that get it before fail.
    const answersAgain = () => queryOne("SELECT 1").then(Boolean, () => false);
    await until("the pool has read the ends", answersAgain);
    const answers = await Promise.all(Array.from({ length: 20 }, () => queryOne("SELECT 1 AS one")));
    expect(answers).to.deep.equal(Array.from({ length: 20 }, () => ({ one: 1 })));
  });
});

describe("query", () => {
  useDatabase();

  it("returns plain rows: bigint as a number, times as ISO 8601 UTC, dates and JSON as they are", async () => {
    const row = await queryOne(
      `SELECT 9000000000000000::bigint AS coins, '2026-11-20 23:30:00.123456+05:30'::timestamptz AS moment,
         '2026-02-28'::date AS day, '{"a": [1]}'::jsonb AS document, NULL AS nothing, ARRAY['x', 'y'] AS texts`,
    );
    expect(row).to.deep.equal({
      coins: 9_000_000_000_000_000,
      moment: "2026-11-20T18:00:00.123Z",
      day: "2026-02-28",
      document: { a: [1] },
      nothing: null,
      texts: ["x", "y"],
    });
  });

  it("refuses a bigint that a number cannot hold exactly", async () => {
    const error = await query("SELECT 9007199254740993::bigint").catch((thrown: unknown) => thrown);
    expect(String(error)).to.include("is exact");
    expect(await queryOne("SELECT 1 AS one")).to.deep.equal({ one: 1 });
  });

  it("queues more calls than the pool has connections", async () => {
    const rows = await Promise.all(Array.from({ length: 60 }, (_, n) => queryOne("SELECT $1::int AS n", [n])));
    expect(rows).to.deep.equal(Array.from({ length: 60 }, (_, n) => ({ n })));
  });
});

/** Raises what the transaction's setting `test.state` says. */
const raiseFunction = `CREATE OR REPLACE FUNCTION raise_state() RETURNS void LANGUAGE plpgsql AS $$
  BEGIN RAISE EXCEPTION USING ERRCODE = current_setting('test.state'), MESSAGE = 'raised'; END $$`;
const raiseStatement = "SELECT raise_state()";
