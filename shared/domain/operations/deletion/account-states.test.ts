import { expect } from "chai";
import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { login } from "#shared/domain/identity/accounts/login.ts";
import { endSuspensions, reactivateUser, suspendUser } from "#shared/domain/identity/accounts/suspend-user.ts";
import { clock, minutesMs } from "#shared/kernel/clock.ts";
import { buildAdmin } from "#shared/testing/admins.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { adminCaller, callerOf, outcomeOf } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";
import { useClock } from "#shared/testing/use-clock.ts";
import { eraseUser } from "./erase-user.ts";
import { requestDeletion } from "./request-deletion.ts";

/**
 * The state that each change leads to from each state, or the code of the error, which leaves it as it is. The columns
 * of "deletion is due" and "time is over" are what jobs do.
 */
const table = `
  state                       suspend    reactivate        log in               request deletion   deletion is due   time is over
  active                      suspended  CONFLICT          active               deletion_pending   active            active
  leaving                     suspended  CONFLICT          active               deletion_pending   deleted           deletion_pending
  suspended                   CONFLICT   active            ACCOUNT_SUSPENDED    ACCOUNT_SUSPENDED  suspended         suspended
  suspended for a minute      CONFLICT   active            ACCOUNT_SUSPENDED    ACCOUNT_SUSPENDED  suspended         active
  leaving, suspended          CONFLICT   deletion_pending  ACCOUNT_SUSPENDED    ACCOUNT_SUSPENDED  suspended         suspended
  leaving, suspended briefly  CONFLICT   deletion_pending  ACCOUNT_SUSPENDED    ACCOUNT_SUSPENDED  suspended         deletion_pending
  deleted                     NOT_FOUND  NOT_FOUND         INVALID_CREDENTIALS  UNAUTHENTICATED    deleted           deleted`;

const [[, ...changeNames], ...rows] = table
  .trim()
  .split("\n")
  .map((row) => row.trim().split(/ {2,}/)) as [string[], ...string[][]];

describe("the states of an account", () => {
  const service = useService();
  const time = useClock();
  let admin: AdminPrincipal;
  before(async () => {
    admin = { ...adminCaller(), adminId: (await buildAdmin()).id };
  });

  const suspend = ({ id }: BuiltUser, until?: string) => suspendUser(admin, id, { reason: "spam", until });
  const suspendBriefly = (user: BuiltUser) => suspend(user, new Date(clock.now() + minutesMs(1)).toISOString());
  const leave = (user: BuiltUser) => requestDeletion(callerOf(user));
  const whenDue = async ({ id }: BuiltUser) => {
    await query(
      "UPDATE users SET deletion_due_at = now() - interval '1 minute' WHERE id = $1 AND deletion_due_at IS NOT NULL",
      [id],
    );
    await eraseUser(id, service.actors);
  };
  const whenOver = async () => {
    time.forward(minutesMs(2));
    while ((await endSuspensions()) > 0);
  };

  const ways: Record<string, readonly ((user: BuiltUser) => Promise<unknown>)[]> = {
    active: [],
    leaving: [leave],
    suspended: [(user) => suspend(user)],
    "suspended for a minute": [suspendBriefly],
    "leaving, suspended": [leave, (user) => suspend(user)],
    "leaving, suspended briefly": [leave, suspendBriefly],
    deleted: [leave, whenDue],
  };
  const changes: Record<string, (user: BuiltUser) => Promise<unknown>> = {
    suspend: (user) => suspend(user),
    reactivate: ({ id }) => reactivateUser(admin, id),
    "log in": ({ username: identifier, password }) =>
      login({ identifier, password }, { ip: "127.0.0.1", userAgent: "tests" }),
    "request deletion": leave,
    "deletion is due": whenDue,
    "time is over": whenOver,
  };

  const statusOf = async ({ id }: BuiltUser) =>
    (await queryOne<{ status: string }>("SELECT status FROM users WHERE id = $1", [id]))!.status;

  async function accountThatIs(state: string): Promise<BuiltUser> {
    const user = await buildUser();
    for (const step of ways[state]!) await step(user);
    return user;
  }

  for (const [state, ...expected] of rows)
    it(`${state}: every change leads where the table says`, async () => {
      const found: string[] = [];
      for (const name of changeNames) {
        const user = await accountThatIs(state!);
        const before = await statusOf(user);
        const outcome = await outcomeOf(changes[name]!(user));
        const after = await statusOf(user);
        if (outcome !== "ok") expect(after, name).to.equal(before);
        found.push(outcome === "ok" ? after : outcome);
      }
      expect(found).to.deep.equal(expected);
    });

  it("keep the day of a deletion through a suspension", async () => {
    const user = await accountThatIs("leaving");
    const dueAt = () => queryOne("SELECT deletion_due_at FROM users WHERE id = $1", [user.id]);
    const before = await dueAt();

    await suspendBriefly(user);
    await whenOver();

    expect(await dueAt()).to.deep.equal(before);
  });

  it("leave the audit log as it is when an account is erased", async () => {
    const user = await accountThatIs("suspended");
    await reactivateUser(admin, user.id);
    await leave(user);
    const entries = () => query("SELECT * FROM audit_log WHERE target_id = $1 ORDER BY seq", [user.id]);
    const before = await entries();

    await whenDue(user);

    expect([await statusOf(user), before.length]).to.deep.equal(["deleted", 2]);
    expect(await entries()).to.deep.equal(before);
  });

  it("leave a suspension that was imposed again for longer", async () => {
    const user = await accountThatIs("suspended for a minute");
    await reactivateUser(admin, user.id);
    await suspend(user);
    await whenOver();
    expect(await statusOf(user)).to.equal("suspended");
  });

  it("admit no suspension that is over before it begins", async () => {
    const user = await buildUser();
    expect(await outcomeOf(suspend(user, new Date(clock.now()).toISOString()))).to.equal("VALIDATION_ERROR");
    expect(await statusOf(user)).to.equal("active");
  });
});
