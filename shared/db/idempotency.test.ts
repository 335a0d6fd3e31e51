import { expect } from "chai";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { canonicalJson, hashRequest, type IdempotentCall, pruneKeys } from "./idempotency.ts";
import { query, queryOne } from "./query.ts";
import { inTransaction, type Tx } from "./transaction.ts";

const callOf = (key: string, request: unknown = {}): IdempotentCall => ({
  scope: "tester POST /things",
  key,
  requestHash: hashRequest(request),
});

/** The effect of a call: one more in the setting of this name. */
const increase = (tx: Tx, key: string) =>
  tx.query(
    `INSERT INTO settings (key, value) VALUES ($1, '1')
     ON CONFLICT (key) DO UPDATE SET value = to_jsonb(settings.value::int + 1)`,
    [key],
  );
const effects = async (key: string) =>
  (await queryOne<{ value: number }>("SELECT value FROM settings WHERE key = $1", [key]))?.value ?? 0;

const run = (key: string, request: unknown = {}) =>
  inTransaction(
    async (tx) => {
      await increase(tx, key);
      return { id: newId() };
    },
    callOf(key, request),
  );

describe("idempotency", () => {
  useDatabase();

  it("repeats the first answer and has no second effect", async () => {
    const key = newId();
    const first = await run(key);
    expect(await run(key)).to.deep.equal(first);
    expect(await effects(key)).to.equal(1);
  });

  it("has one effect and one answer for concurrent calls", async () => {
    const key = newId();
    const answers = await Promise.all(Array.from({ length: 30 }, () => run(key)));
    expect(new Set(answers.map(({ id }) => id)).size).to.equal(1);
    expect(await effects(key)).to.equal(1);
  });

  it("rejects another request with the same key, also concurrently", async () => {
    const key = newId();
    const outcomes = await Promise.allSettled([run(key, { coins: 1 }), run(key, { coins: 2 })]);
    const refused = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as unknown] : []));
    expect(refused).to.have.length(1);
    expect(refused[0]).to.be.instanceOf(DomainError).with.property("code", "IDEMPOTENCY_CONFLICT");
    expect(await effects(key)).to.equal(1);
  });

  it("forgets a rejected call, so that it can be retried", async () => {
    const key = newId();
    const refuse = inTransaction(async (tx) => {
      await increase(tx, key);
      throw new DomainError("INSUFFICIENT_BALANCE");
    }, callOf(key));
    expect(await refuse.catch((error: unknown) => error)).to.have.property("code", "INSUFFICIENT_BALANCE");
    await run(key);
    expect(await effects(key)).to.equal(1);
  });

  it("keeps the same key of two callers apart", async () => {
    const key = newId();
    await run(key);
    await inTransaction((tx) => increase(tx, key), { ...callOf(key), scope: "another POST /things" });
    expect(await effects(key)).to.equal(2);
  });

  it("treats a key as new after 24 hours, and prunes it", async () => {
    const [reused, pruned] = [newId(), newId()];
    const first = await run(reused);
    await run(pruned);
    await query("UPDATE idempotency_keys SET created_at = now() - interval '25 hours' WHERE key = ANY($1)", [
      [reused, pruned],
    ]);
    expect(await run(reused, { other: true })).to.not.deep.equal(first);
    expect(await effects(reused)).to.equal(2);
    expect(await pruneKeys()).to.be.at.least(1);
    const left = await query<{ key: string }>("SELECT key FROM idempotency_keys WHERE key = ANY($1)", [
      [reused, pruned],
    ]);
    expect(left).to.deep.equal([{ key: reused }]);
  });

  it("treats two spellings of a request as one", () => {
    expect(canonicalJson({ b: [{ d: 1, c: null }], a: "x" })).to.equal('{"a":"x","b":[{"c":null,"d":1}]}');
    expect(hashRequest({ a: 1, b: 2 }).equals(hashRequest({ b: 2, a: 1 }))).to.equal(true);
    expect(hashRequest({ a: [1, 2] }).equals(hashRequest({ a: [2, 1] }))).to.equal(false);
  });
});
