import { expect } from "chai";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { outcomeOf } from "#shared/testing/people.ts";
import { hashRequest, type IdempotentCall } from "./idempotency.ts";
import { query } from "./query.ts";
import { ofAccepted, SharedTransactions } from "./shared-transactions.ts";
import { inTransaction, type Tx } from "./transaction.ts";

/** Adds points to a setting; refused above ten. */
interface Call {
  readonly key: string;
  readonly points: number;
}

const insert = "INSERT INTO settings (key, value) SELECT key, to_jsonb(0) FROM unnest($1::text[]) AS key";

/** Shared transactions of `Call`, with the number of calls of each transaction that was tried. */
function counters() {
  const sizes: number[] = [];
  const shared = new SharedTransactions<Call, { key: string; id: string }>(
    async (tx: Tx, calls) => {
      sizes.push(calls.length);
      const judged = calls.map((call) => (call.points > 10 ? new DomainError("INSUFFICIENT_BALANCE") : call));
      return ofAccepted(judged, async (accepted) => {
        for (const { key, points } of accepted)
          await tx.query("UPDATE settings SET value = to_jsonb(value::int + 60 / $2::int) WHERE key = $1", [
            key,
            points,
          ]);
        return accepted.map(({ key }) => ({ key, id: newId() }));
      });
    },
    ({ key }) => [key],
  );
  return { shared, sizes };
}

async function newSettings(count: number): Promise<string[]> {
  const keys = Array.from({ length: count }, newId);
  await query(insert, [keys]);
  return keys;
}

const valuesOf = async (keys: string[]) =>
  (
    await query<{ value: number }>("SELECT value FROM settings WHERE key = ANY($1) ORDER BY array_position($1, key)", [
      keys,
    ])
  ).map(({ value }) => value);

const idempotent = (request: unknown, key: string = newId()): IdempotentCall => ({
  scope: "tester POST /things",
  key,
  requestHash: hashRequest(request),
});

describe("shared transactions", () => {
  useDatabase();

  it("execute calls that arrive at the same time together", async () => {
    const { shared, sizes } = counters();
    const keys = await newSettings(5);

    await Promise.all(keys.map((key) => shared.run({ key, points: 1 })));

    expect(sizes).to.deep.equal([5]);
    expect(await valuesOf(keys)).to.deep.equal([60, 60, 60, 60, 60]);
  });

  it("execute several calls for one row", async () => {
    const { shared } = counters();
    const [key] = await newSettings(1);

    await Promise.all(Array.from({ length: 20 }, () => shared.run({ key: key!, points: 2 })));

    expect(await valuesOf([key!])).to.deep.equal([600]);
  });

  it("refuse a call, and keep the others", async () => {
    const { shared, sizes } = counters();
    const keys = await newSettings(6);

    const outcomes = await Promise.all(
      keys.map((key, index) => outcomeOf(shared.run({ key, points: index === 4 ? 11 : 1 }))),
    );

    expect(outcomes).to.deep.equal(["ok", "ok", "ok", "ok", "INSUFFICIENT_BALANCE", "ok"]);
    expect(sizes).to.deep.equal([6]);
    expect(await valuesOf(keys)).to.deep.equal([60, 60, 60, 60, 0, 60]);
  });

  it("fail only the call that breaks its transaction, and execute each of the others once", async () => {
    const { shared, sizes } = counters();
    const keys = await newSettings(10);

    // A division by zero.
    const outcomes = await Promise.all(
      keys.map((key, index) => outcomeOf(shared.run({ key, points: index === 5 ? 0 : 1 }))),
    );

    expect(outcomes.filter((outcome) => outcome === "ok")).to.have.length(9);
    expect(outcomes[5]).to.match(/division by zero/);
    expect(sizes.slice(0, 3)).to.deep.equal([10, 5, 5]);
    expect(await valuesOf(keys)).to.deep.equal([60, 60, 60, 60, 60, 0, 60, 60, 60, 60]);
  });

  it("have one effect and one result for calls with one key, wherever they go", async () => {
    const { shared } = counters();
    const [key, other] = await newSettings(2);
    const first = idempotent({ key });
    const call = { key: key!, points: 1 };

    const results = await Promise.all([
      ...Array.from({ length: 8 }, () => shared.run(call, first)),
      shared.run({ key: other!, points: 1 }, idempotent({ other })),
      shared.run({ key: other!, points: 1 }),
    ]);

    expect(new Set(results.slice(0, 8).map(({ id }) => id)).size).to.equal(1);
    expect(await shared.run(call, first)).to.deep.equal(results[0]);
    expect(await outcomeOf(shared.run(call, idempotent({ changed: true }, first.key)))).to.equal(
      "IDEMPOTENCY_CONFLICT",
    );
    expect(await valuesOf([key!, other!])).to.deep.equal([60, 120]);
  });

  it("forget the key of a refused call beside a call that is done", async () => {
    const { shared } = counters();
    const keys = await newSettings(4);
    const [refused, done] = [idempotent({ refused: true }), idempotent({ done: true })];
    const ask = (points: number) =>
      Promise.all([
        shared.run({ key: keys[0]!, points: 1 }),
        shared.run({ key: keys[1]!, points: 1 }),
        outcomeOf(shared.run({ key: keys[2]!, points }, refused)),
        outcomeOf(shared.run({ key: keys[3]!, points: 1 }, done)),
      ]);

    expect((await ask(11)).slice(2)).to.deep.equal(["INSUFFICIENT_BALANCE", "ok"]);
    expect((await ask(5)).slice(2)).to.deep.equal(["ok", "ok"]);

    expect(await valuesOf(keys)).to.deep.equal([120, 120, 12, 60]);
  });

  it("do nothing twice when the answer to a commit is lost", async () => {
    const { shared, sizes } = counters();
    const keys = await newSettings(4);
    // The commit ends the connection, as if the database had gone away during it.
    await query(`CREATE OR REPLACE FUNCTION end_connection() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(1); RETURN NULL; END $$`);
    await query(`CREATE CONSTRAINT TRIGGER lose_answers AFTER UPDATE ON settings
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (new.value = '30') EXECUTE FUNCTION end_connection()`);
    try {
      const outcomes = await Promise.all(
        keys.map((key, index) => outcomeOf(shared.run({ key, points: index < 3 ? 1 : 2 }))),
      );
      for (const outcome of outcomes) expect(outcome).to.match(/terminating connection/);
      expect(sizes).to.deep.equal([4]);
    } finally {
      await query("DROP TRIGGER lose_answers ON settings");
    }
  });

  it("let a lock that is held delay only the calls that need it", async () => {
    const { shared } = counters();
    const keys = await newSettings(6);
    const held = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const holding = inTransaction(async (tx) => {
      await tx.query("SELECT 1 FROM settings WHERE key = $1 FOR UPDATE", [keys[3]]);
      locked.resolve();
      await held.promise;
    });
    await locked.promise;

    const calls = keys.map((key) => shared.run({ key, points: 1 }));
    await Promise.all(calls.filter((_, index) => index !== 3));
    expect(await valuesOf(keys)).to.deep.equal([60, 60, 60, 0, 60, 60]);
    held.resolve();

    await Promise.all([...calls, holding]);
    expect(await valuesOf(keys)).to.deep.equal([60, 60, 60, 60, 60, 60]);
  });
});
