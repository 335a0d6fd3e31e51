import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { startSignals, stopSignals } from "#shared/db/signals.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { until } from "#shared/testing/until.ts";
import { useClock } from "#shared/testing/use-clock.ts";
import { openSession } from "./open-session.ts";
import { isSessionRevoked, isUserSuspended, noteRevokedSessions, onRevoked, type Revoked } from "./revocations.ts";
import { revokeSessionsOf } from "./revoke-sessions.ts";

/** Listeners cannot be taken away, so there is one for this file. */
const told: Revoked[] = [];
onRevoked((revoked) => told.push(revoked));

describe("revocations", () => {
  useDatabase();
  const clock = useClock();
  // Listening again also happens after a lost connection: missed revocations are read.
  const listenAgain = async () => {
    await stopSignals();
    await startSignals();
  };
  before(listenAgain);

  it("arrive by signal from any process, and notify listeners", async () => {
    const [sessionId, userId] = [newId(), newId()];
    await inTransaction((tx) => tx.signal("session.revoked", { session_ids: [sessionId] }));
    await inTransaction((tx) => tx.signal("user.suspended", { user_id: userId }));
    await until("both are known", () => isSessionRevoked(sessionId) && isUserSuspended(userId));
    expect(told).to.deep.include({ sessionIds: [sessionId], code: "UNAUTHENTICATED" });
    expect(told).to.deep.include({ userId, code: "ACCOUNT_SUSPENDED" });
    await inTransaction((tx) => tx.signal("user.reactivated", { user_id: userId }));
    await until("the suspension is forgotten", () => !isUserSuspended(userId));
  });

  it("are reloaded when signals were missed: those of the last 16 minutes", async () => {
    const [recent, old, suspended, longAgo, reactivated] = await Promise.all([
      buildUser(),
      buildUser(),
      buildUser(),
      buildUser(),
      buildUser(),
    ]);
    await inTransaction((tx) => tx.signal("user.suspended", { user_id: reactivated.id }));
    await until("the suspension is known", () => isUserSuspended(reactivated.id));
    const revoke = "UPDATE sessions SET revoked_at = now() - $2::interval WHERE id = $1";
    await query(revoke, [recent.sessionId, "14 minutes"]);
    await query(revoke, [old.sessionId, "17 minutes"]);
    const suspend = "UPDATE users SET status = 'suspended', suspended_at = now() - $2::interval WHERE id = $1";
    await query(suspend, [suspended.id, "1 minute"]);
    await query(suspend, [longAgo.id, "1 day"]);
    await listenAgain();
    expect([recent, old].map(({ sessionId }) => isSessionRevoked(sessionId))).to.deep.equal([true, false]);
    expect([suspended, longAgo, reactivated].map(({ id }) => isUserSuspended(id))).to.deep.equal([true, false, false]);
    expect(told).to.deep.include({ userId: suspended.id, code: "ACCOUNT_SUSPENDED" });
    expect(told.some(({ sessionIds }) => sessionIds?.includes(recent.sessionId))).to.equal(true);
  });

  it("are forgotten when all of their tokens have expired", () => {
    const sessionId = newId();
    noteRevokedSessions([sessionId]);
    clock.forward(15 * 60_000);
    expect(isSessionRevoked(sessionId)).to.equal(true);
    clock.forward(16 * 60_000 + 1);
    expect(isSessionRevoked(sessionId)).to.equal(false);
  });

  it("reach every process for any number of sessions", async () => {
    const { id } = await buildUser();
    const sessions = await inTransaction(async (tx) => {
      const opened: string[] = [];
      for (let count = 0; count < 320; count += 1)
        opened.push((await openSession(tx, id, { ip: "127.0.0.1", userAgent: "tests" })).sessionId);
      return opened;
    });
    told.length = 0;
    await inTransaction((tx) => revokeSessionsOf(tx, id, "suspended"));
    const all = new Set(sessions);
    const bySignal = () => told.slice(1).flatMap(({ sessionIds = [] }) => sessionIds.filter((one) => all.has(one)));
    expect(sessions.every(isSessionRevoked)).to.equal(true);
    await until("signals brought them all", () => new Set(bySignal()).size === all.size);
  });
});
