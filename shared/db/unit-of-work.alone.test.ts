import { expect } from "chai";
import { service } from "#shared/contracts/principal.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { adminCaller, callerOf } from "#shared/testing/people.ts";
import { until } from "#shared/testing/until.ts";
import { hashRequest } from "./idempotency.ts";
import { defineJob, jobs } from "./jobs.ts";
import { query, queryOne } from "./query.ts";
import { onSignal, startSignals, stopSignals } from "./signals.ts";
import { inTransaction, sqlState, type Tx } from "./transaction.ts";

const probe = defineJob<{ id: string }>("test.unit", { retries: 0, retryMaxSeconds: 1, timeoutSeconds: 5 });

/** How often each effect of `workOn` has come true for an id. */
interface Effects {
  rows: number;
  events: number;
  jobs: number;
  entries: number;
  keys: number;
  signals: number;
  hooks: number;
}
const none: Effects = { rows: 0, events: 0, jobs: 0, entries: 0, keys: 0, signals: 0, hooks: 0 };
const once: Effects = { rows: 1, events: 1, jobs: 1, entries: 1, keys: 1, signals: 1, hooks: 1 };

describe("a unit of work", () => {
  useDatabase();
  const admin = adminCaller();
  const signalled: string[] = [];
  const hooked: string[] = [];

  before(async () => {
    onSignal("user.reactivated", ({ user_id }) => signalled.push(user_id));
    await stopSignals();
    await startSignals();
    await jobs.start({ work: false });
  });
  after(() => jobs.stop());

  /** Does one of each thing that a transaction carries. */
  async function workOn(tx: Tx, id: string): Promise<string> {
    await tx.query("INSERT INTO settings (key, value) VALUES ($1, 'true')", [id]);
    await tx.publish("user.card_changed", { user_id: id });
    await tx.signal("user.reactivated", { user_id: id });
    await tx.enqueue(probe, { id });
    await tx.audit(admin, { action: "test.change", target: { type: "test", id } });
    tx.afterCommit(() => hooked.push(id));
    return id;
  }

  const callOf = (id: string) => ({ scope: id, key: "k", requestHash: hashRequest({ id }) });

  async function effectsOf(id: string): Promise<Effects> {
    const stored = await queryOne<Omit<Effects, "signals" | "hooks">>(
      `SELECT (SELECT count(*) FROM settings WHERE key = $1) AS rows,
         (SELECT count(*) FROM outbox WHERE payload ->> 'user_id' = $1) AS events,
         (SELECT count(*) FROM pgboss.job WHERE data ->> 'id' = $1) AS jobs,
         (SELECT count(*) FROM audit_log WHERE target_id = $1) AS entries,
         (SELECT count(*) FROM idempotency_keys WHERE scope = $1) AS keys`,
      [id],
    );
    const countIn = (ids: string[]) => ids.filter((one) => one === id).length;
    return { ...stored!, signals: countIn(signalled), hooks: countIn(hooked) };
  }

  /** Signals keep their order: once this one has come, so have those before it. */
  async function signalsArrived(): Promise<void> {
    const last = newId();
    await inTransaction((tx) => tx.signal("user.reactivated", { user_id: last }));
    await until("the signals have arrived", () => signalled.includes(last));
  }

  it("carries all of its effects with the commit", async () => {
    const id = newId();

    await inTransaction((tx) => workOn(tx, id), callOf(id));

    await signalsArrived();
    expect(await effectsOf(id)).to.deep.equal(once);
  });

  it("rolls all of its effects back together", async () => {
    const id = newId();

    const failed = inTransaction(async (tx) => {
      await workOn(tx, id);
      throw new Error("undo");
    }, callOf(id));

    expect(String(await failed.catch((error: unknown) => error))).to.include("undo");
    await signalsArrived();
    expect(await effectsOf(id)).to.deep.equal(none);
  });

  it("has each effect once however often an idempotent call is repeated", async () => {
    const id = newId();
    const call = () => inTransaction((tx) => workOn(tx, id), callOf(id));

    const answers = [...(await Promise.all([call(), call()])), await call()];

    expect(answers).to.deep.equal([id, id, id]);
    await signalsArrived();
    expect(await effectsOf(id)).to.deep.equal(once);
  });

  it("refuses effects once its transaction has ended", async () => {
    const id = newId();
    const ended = await inTransaction(async (tx) => tx);

    const late = await workOn(ended, id).catch((error: unknown) => error);
    const inAnother = await inTransaction(() => workOn(ended, id)).catch((error: unknown) => error);

    for (const error of [late, inAnother]) expect(String(error)).to.include("the Tx's own transaction is open");
    expect(await effectsOf(id)).to.deep.equal(none);
  });
});

describe("the audit log", () => {
  useDatabase();
  const admin = adminCaller();
  const entriesOn = (id: string) => query("SELECT * FROM audit_log WHERE target_id = $1", [id]);
  const entry = (id: string) => ({ action: "test.change", target: { type: "test", id } });

  it("names the administrator, the call and the change", async () => {
    const id = newId();
    const change = { before: { open: true }, after: { open: false }, reason: "Spam" };

    await inTransaction((tx) => tx.audit(admin, { ...entry(id), ...change }));

    const [written] = await entriesOn(id);
    expect(written).to.include({ principal_kind: "admin", principal_id: admin.adminId, role: admin.role });
    expect(written).to.include({ session_id: admin.sessionId, ip: admin.ip, user_agent: admin.userAgent });
    expect(written).to.deep.include({
      action: "test.change",
      target_type: "test",
      request_id: admin.requestId,
      ...change,
    });
  });

  it("has no entries for users and the service", async () => {
    const id = newId();
    const user = callerOf({ id: newId() });

    await inTransaction(async (tx) => {
      for (const principal of [user, service]) await tx.audit(principal, entry(id));
    });

    expect(await entriesOn(id)).to.deep.equal([]);
  });

  it("refuses to change or delete an entry", async () => {
    const id = newId();
    await inTransaction((tx) => tx.audit(admin, entry(id)));

    for (const statement of ["UPDATE audit_log SET action = 'x'", "DELETE FROM audit_log", "TRUNCATE audit_log"])
      expect(await query(statement).catch(sqlState), statement).to.equal("23001");
    expect(await entriesOn(id)).to.have.length(1);
  });
});
