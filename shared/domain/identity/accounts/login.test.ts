import { expect } from "chai";
import { service as serviceItself } from "#shared/contracts/principal.ts";
import { query } from "#shared/db/query.ts";
import { outsideTransaction } from "#shared/db/sequelize.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { verifyAccessToken } from "#shared/domain/identity/sessions/access-token.ts";
import { newId } from "#shared/kernel/ids.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";
import { login } from "./login.ts";
import { configureLoginLimits } from "./login-limits.ts";
import { verifyDummy } from "./password.ts";
import { reactivateUser, suspendUser } from "./suspend-user.ts";

const device = { ip: "127.0.0.1", userAgent: "tests" };
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "done",
    (error: { code?: string; message: string }) => `${error.code}: ${error.message}`,
  );

describe("login", () => {
  useService();
  before(() => configureLoginLimits({ enabled: false }));

  it("accepts a username or an email address", async () => {
    const { id, username, email, password } = await buildUser();
    for (const identifier of [username, email]) {
      const { user, accessToken } = await login({ identifier, password }, device);
      expect(user.id).to.equal(id);
      expect((await verifyAccessToken(accessToken)).userId).to.equal(id);
    }
  });

  it("fails alike for an unknown account, a wrong password, a deleted account and a suspended one", async () => {
    const [ada, gone, suspended] = await Promise.all([buildUser(), buildUser(), buildUser()]);
    await query("UPDATE users SET status = 'deleted' WHERE id = $1", [gone.id]);
    await suspendUser(serviceItself, suspended.id, { reason: "spam" });
    const answers = [
      await failureOf(login({ identifier: ada.username, password: "wrong" }, device)),
      await failureOf(login({ identifier: "nobody.at.all", password: "wrong" }, device)),
      await failureOf(login({ identifier: "nobody@example.com", password: "wrong" }, device)),
      await failureOf(login({ identifier: gone.username, password: gone.password }, device)),
      await failureOf(login({ identifier: suspended.username, password: "wrong" }, device)),
    ];
    expect(new Set(answers)).to.have.property("size", 1);
    expect(answers[0]).to.match(/^INVALID_CREDENTIALS/);
  });

  it("hashes for an unknown account as for a wrong password", async () => {
    const { username } = await buildUser();
    for (const identifier of [username, "nobody.at.all"]) {
      const many = Array.from({ length: 120 }, () => failureOf(login({ identifier, password: "wrong" }, device)));
      const codes = (await Promise.all(many)).map((failure) => failure.split(":")[0]);
      expect(new Set(codes)).to.deep.equal(new Set(["INVALID_CREDENTIALS", "RATE_LIMITED"]));
    }
  });

  it("reports a suspension after the right password only, and accepts a reactivated user", async () => {
    const { id, username: identifier, password } = await buildUser();
    await suspendUser(serviceItself, id, { reason: "spam" });
    expect(await failureOf(login({ identifier, password }, device))).to.match(/^ACCOUNT_SUSPENDED/);
    await reactivateUser(serviceItself, id);
    expect(await failureOf(login({ identifier, password }, device))).to.equal("done");
  });

  it("leaves no session after a concurrent suspension", async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id, username: identifier, password } = await buildUser();
      await Promise.allSettled([
        ...Array.from({ length: 3 }, () => login({ identifier, password }, device)),
        suspendUser(serviceItself, id, { reason: "spam" }),
      ]);
      const open = await query("SELECT 1 FROM sessions WHERE user_id = $1 AND revoked_at IS NULL", [id]);
      expect(open).to.deep.equal([]);
    }
  });

  it("cancels a concurrent request for deletion", async () => {
    const { id, username: identifier, password } = await buildUser();
    let entering: ReturnType<typeof login> | undefined;
    await inTransaction(async (tx) => {
      await tx.query("UPDATE users SET status = 'deletion_pending', deletion_due_at = now() WHERE id = $1", [id]);
      entering = outsideTransaction(() => login({ identifier, password }, device));
      await until("the login waits", async () => {
        const waits = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        return (await outsideTransaction(() => query(waits))).length > 0;
      });
    });
    expect((await entering)?.user.status).to.equal("active");
  });

  describe("with limits", () => {
    beforeEach(() => configureLoginLimits({ enabled: true }));
    after(() => configureLoginLimits({ enabled: false }));

    for (const known of [true, false])
      it(`refuses the 11th guess at ${known ? "an account" : "nobody"} before any hash, even with the right password`, async () => {
        const { username, password } = await buildUser();
        const identifier = known ? username : `nobody${newId().slice(-8)}`;
        for (let guess = 0; guess < 10; guess += 1)
          expect(await failureOf(login({ identifier, password: "wrong" }, device))).to.match(/^INVALID_CREDENTIALS/);
        expect(await failureOf(login({ identifier, password }, device))).to.match(/^RATE_LIMITED: Too many incorrect/);
        if (known)
          expect(await failureOf(login({ identifier, password }, { ...device, ip: "10.1.2.3" }))).to.equal("done");
      });

    it("does not count a try that the hash gate turned away", async () => {
      const { username: identifier, password } = await buildUser();
      // Each takes the next place at once, so the gate stays full.
      let crowded = true;
      const stay = async () => {
        while (crowded) await verifyDummy("login", "wrong");
      };
      const crowd = Promise.all(Array.from({ length: 2 + 32 }, stay));
      const tries = Array.from({ length: 10 }, () => failureOf(login({ identifier, password }, device)));
      for (const failure of await Promise.all(tries)) expect(failure).to.match(/^RATE_LIMITED: The server is checking/);
      crowded = false;
      await crowd;
      expect(await failureOf(login({ identifier, password }, device))).to.equal("done");
    });
  });
});
