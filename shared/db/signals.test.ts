import { expect } from "chai";
import { newId } from "#shared/kernel/ids.ts";
import { runOnServer, useDatabase } from "#shared/testing/database.ts";
import { until } from "#shared/testing/until.ts";
import { databaseUrl } from "./database-address.ts";
import { query } from "./query.ts";
import { onSignal, onSignalsConnected, startSignals, stopSignals } from "./signals.ts";
import { inTransaction } from "./transaction.ts";

describe("signals", () => {
  useDatabase();
  const suspended: string[] = [];
  let loads = 0;
  before(async () => {
    onSignal("user.suspended", ({ user_id }) => suspended.push(user_id));
    onSignalsConnected(async () => {
      loads += 1;
    });
    // A service in this process may be listening, and does again afterwards.
    await stopSignals();
    loads = 0;
    await startSignals();
  });

  it("load the current state before they are started", () => {
    expect(loads).to.equal(1);
  });

  it("arrive with the commit, and not when it is rolled back", async () => {
    const [undone, done] = [newId(), newId()];
    const failing = inTransaction(async (tx) => {
      await tx.signal("user.suspended", { user_id: undone });
      throw new Error("undo");
    });
    await failing.catch(() => undefined); // The failure is the point.
    await inTransaction(async (tx) => {
      await tx.signal("user.suspended", { user_id: done });
      expect(suspended).to.not.include(done);
    });
    await until("the signal arrives", () => suspended.includes(done));
    expect(suspended).to.not.include(undone);
  });

  it("reach every listener even if one throws", async () => {
    const userId = newId();
    onSignal("user.reactivated", () => {
      throw new Error("a bad listener");
    });
    const reached: string[] = [];
    onSignal("user.reactivated", ({ user_id }) => reached.push(user_id));
    await inTransaction((tx) => tx.signal("user.reactivated", { user_id: userId }));
    await until("the second listener is reached", () => reached.includes(userId));
  });

  const listening = () =>
    query(
      "SELECT FROM pg_stat_activity WHERE application_name = 'hubbub signals' AND datname = current_database() AND query LIKE 'LISTEN%'",
    );

  it("load the newest state last, also if an earlier load hangs while another one fails", async () => {
    const order: string[] = [];
    const hanging = Promise.withResolvers<void>();
    let times = 0;
    onSignalsConnected(async () => {
      times += 1;
      if (times > 1) return void order.push("newer");
      await hanging.promise;
      order.push("older");
    });
    let failures = 1;
    onSignalsConnected(async () => {
      if (failures > 0) {
        failures -= 1;
        throw new Error("the database is away");
      }
    });
    await stopSignals();
    expect(await startSignals().catch(({ message }: Error) => message)).to.equal("the database is away");
    const restarted = startSignals();
    // It connects, listens, and waits for the earlier load.
    await until("it listens", async () => (await listening()).length === 1);
    expect(times).to.equal(1);
    hanging.resolve();
    await restarted;
    expect(order).to.deep.equal(["older", "newer"]);
  });

  it("reload and continue after their connection was cut, each time with one connection", async () => {
    for (let times = 0; times < 3; times += 1) {
      const before = loads;
      await runOnServer(
        databaseUrl(),
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'hubbub signals' AND datname = current_database()",
      );
      await until("reloaded", () => loads > before);
      expect(loads).to.equal(before + 1);
    }
    const userId = newId();
    await inTransaction((tx) => tx.signal("user.suspended", { user_id: userId }));
    await until("the signal arrives", () => suspended.includes(userId));
    expect(suspended.filter((id) => id === userId)).to.deep.equal([userId]);
  });
});
