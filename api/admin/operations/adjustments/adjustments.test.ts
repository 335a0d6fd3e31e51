import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { changeSettings } from "#shared/domain/base/settings/change-settings.ts";
import { checkLedger } from "#shared/domain/money/ledger/check-ledger.ts";
import { expireAdjustments } from "#shared/domain/operations/adjustments/adjust-balance.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type BuiltAdmin, buildAdmin, buildAdminSession } from "#shared/testing/admins.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { adminCaller, setStatus } from "#shared/testing/people.ts";
import { walletBalance } from "#shared/testing/sales.ts";
import { useService } from "#shared/testing/service.ts";

const large = 1_000_001;
const allowed = ["users.adjust_balance"] as const;

describe("adjustments of balances", () => {
  const service = useService();
  let first: BuiltAdmin;
  let second: BuiltAdmin;
  let user: BuiltUser;
  beforeEach(async () => {
    [first, second] = [await buildAdmin(allowed), await buildAdmin(allowed)];
    user = await buildUser();
  });

  const adjust = (amount: number, { admin = first, key = "", reason = "A failed event", userId = user.id } = {}) =>
    service.admin("post", `/users/${userId}/adjust-balance`, {
      token: admin.token,
      body: { amount, reason },
      ...(key && { headers: { "Idempotency-Key": key } }),
    });
  const ask = async (amount = large, admin = first): Promise<string> => (await adjust(amount, { admin })).body.data.id;
  const decide = (id: string, verb: "approve" | "decline", { token } = second) =>
    service.admin("post", `/adjustments/${id}/${verb}`, { token });
  const codeOf = ({ body }: { body: { error?: { code: string } } }) => body.error?.code ?? "ok";
  const differences = async () => (await checkLedger()).filter((sentence) => /djustment|administrator/.test(sentence));

  it("give coins and take them back, with the reason in the user's transactions and in the audit log", async () => {
    const given = await adjust(500);
    const taken = await adjust(-200);

    expect(given.body.data).to.deep.include({ status: "approved", amount: 500, decided_by: null, expires_at: null });
    expect(given.body.data.requested_by).to.equal(first.id);
    const { body } = await service.call("get", "/wallet/transactions", { token: user.token });
    expect(body.data.items[0]).to.deep.include({
      type: "admin_adjustment",
      direction: "debit",
      amount: 200,
      balance_after: 300,
      description: "A failed event",
      reference: { type: "adjustment", id: taken.body.data.id },
    });
    const [, entry] = await query(
      "SELECT action, reason, before, after FROM audit_log WHERE target_id = $1 ORDER BY id",
      [user.id],
    );
    expect(entry).to.deep.equal({
      action: "user.adjust_balance",
      reason: "A failed event",
      before: { balance: 500 },
      after: { adjustment_id: taken.body.data.id, amount: -200, status: "approved", balance: 300 },
    });
  });

  it("reject bad input, unknown and deleted users, and a balance below zero", async () => {
    const erased = await buildUser();
    await setStatus(erased, "deleted");

    for (const [amount, more, code] of [
      [0, {}, "VALIDATION_ERROR"],
      [1.5, {}, "VALIDATION_ERROR"],
      [1_000_000_001, {}, "VALIDATION_ERROR"],
      [5, { reason: "" }, "VALIDATION_ERROR"],
      [5, { userId: newId() }, "NOT_FOUND"],
      [5, { userId: erased.id }, "NOT_FOUND"],
      [-1, {}, "INSUFFICIENT_BALANCE"],
    ] as const)
      expect(codeOf(await adjust(amount, more)), `${amount} ${JSON.stringify(more)}`).to.equal(code);
    expect(await walletBalance(user.id)).to.equal(0);
  });

  it("happen once for each Idempotency-Key", async () => {
    const key = newId();

    const answers = await Promise.all([1, 2, 3].map(() => adjust(70, { key })));
    const other = await adjust(71, { key });

    expect(new Set(answers.map(({ body }) => body.data.id)).size).to.equal(1);
    expect(codeOf(other)).to.equal("IDEMPOTENCY_CONFLICT");
    expect(await walletBalance(user.id)).to.equal(70);
  });

  it("wait for a second administrator above the limit, also in parts", async () => {
    const atOnce = await adjust(large);
    const parts = [await adjust(900_000), await adjust(100_000), await adjust(1)];
    const byAnother = await adjust(1, { admin: second });

    expect(atOnce.body.data).to.include({ status: "pending", decided_at: null });
    expect(parts.map(({ body }) => body.data.status)).to.deep.equal(["approved", "approved", "pending"]);
    expect(byAnother.body.data.status).to.equal("approved");
    expect(await walletBalance(user.id)).to.equal(1_000_001);
  });

  it("wait for a second administrator when they are split over many users, given or taken back", async () => {
    const users = await Promise.all([1, 2, 3].map(() => buildUser()));

    const given = [
      await adjust(600_000, { userId: users[0]!.id }),
      await adjust(-400_000, { userId: users[0]!.id }),
      await adjust(1, { userId: users[1]!.id }),
      await adjust(600_000, { userId: users[2]!.id, admin: second }),
    ];

    expect(given.map(({ body }) => body.data.status)).to.deep.equal(["approved", "approved", "pending", "approved"]);
  });

  it("never pass the limit without an approval, however many are made at once", async () => {
    const users = await Promise.all(Array.from({ length: 20 }, () => buildUser()));

    const answers = await Promise.all(users.map(({ id }) => adjust(150_000, { userId: id })));

    const statuses = answers.map(({ body }) => body.data.status);
    expect(statuses.filter((status) => status === "approved")).to.have.length(6);
    expect(statuses.filter((status) => status === "pending")).to.have.length(14);
    const balances = await Promise.all(users.map(({ id }) => walletBalance(id)));
    expect(balances.reduce((sum, balance) => sum + balance)).to.equal(900_000);
  });

  describe("are not approved by an administrator who depends on the one who asked:", () => {
    const changeAdmin = (by: BuiltAdmin, id: string, body: object) =>
      service.admin("patch", `/admins/${id}`, { token: by.token, body });
    const boss = () => buildAdmin([...allowed, "admins.write"]);
    /** Creates an administrator by another one, with a session. */
    async function created(by: BuiltAdmin): Promise<BuiltAdmin> {
      const body = { email: `${newId()}@example.com`, full_name: "Second", password: "hers alone, a long one" };
      const { id } = (
        await service.admin("post", "/admins", { token: by.token, body: { ...body, role_id: by.roleId } })
      ).body.data;
      return { ...by, id, ...(await buildAdminSession(id)) };
    }

    type Pair = readonly [requester: BuiltAdmin, approver: BuiltAdmin];
    const pairs: Record<string, () => Promise<Pair>> = {
      "whose account they created": async () => {
        const by = await boss();
        return [by, await created(by)];
      },
      "who created their account": async () => {
        const by = await boss();
        return [await created(by), by];
      },
      "whose account they created through another one": async () => {
        const by = await boss();
        return [by, await created(await created(by))];
      },
      "whose password they set": async () => {
        const by = await boss();
        await changeAdmin(by, second.id, { password: "known to the other, long" });
        return [by, { ...second, ...(await buildAdminSession(second.id)) }];
      },
      "whose role they set": async () => {
        const by = await boss();
        await changeAdmin(by, second.id, { role_id: by.roleId });
        return [by, second];
      },
    };
    for (const [name, build] of Object.entries(pairs))
      it(name, async () => {
        const [requester, approver] = await build();
        const id = await ask(large, requester);

        const answer = await decide(id, "approve", approver);

        expect(codeOf(answer)).to.equal("FORBIDDEN");
        expect(answer.body.error.message).to.match(/You and the requester aren't independent/);
        expect(codeOf(await decide(id, "approve", first))).to.equal("ok");
      });

    it("unlike two of whom neither set anything but the name of the other", async () => {
      const by = await boss();
      await changeAdmin(by, second.id, { full_name: "Renamed" });

      expect(codeOf(await decide(await ask(large, by), "approve", second))).to.equal("ok");
    });
  });

  it("follow the setting", async () => {
    await changeSettings(adminCaller(), { adjustment_approval_above: 10 });
    try {
      expect((await adjust(11)).body.data.status).to.equal("pending");
    } finally {
      await changeSettings(adminCaller(), { adjustment_approval_above: 1_000_000 });
    }
  });

  it("are approved by another administrator only, once", async () => {
    const id = await ask();

    const own = await decide(id, "approve", first);
    const [one, two] = await Promise.all([decide(id, "approve"), decide(id, "approve")]);
    const late = await decide(id, "decline");

    expect(codeOf(own)).to.equal("FORBIDDEN");
    expect([codeOf(one), codeOf(two)].sort()).to.deep.equal(["CONFLICT", "ok"]);
    expect(codeOf(late)).to.equal("CONFLICT");
    expect(await walletBalance(user.id)).to.equal(large);
    const { body } = await service.admin("get", `/adjustments/${id}`, { token: first.token });
    expect(body.data).to.include({ status: "approved", requested_by: first.id, decided_by: second.id });
    const entries = await query("SELECT action, principal_id, before, after FROM audit_log WHERE target_id = $1", [id]);
    expect(entries).to.deep.equal([
      {
        action: "adjustment.approve",
        principal_id: second.id,
        before: { status: "pending", balance: 0 },
        after: { status: "approved", user_id: user.id, amount: large, balance: large },
      },
    ]);
  });

  it("stay pending when the wallet doesn't hold enough", async () => {
    const id = await ask(-large);

    expect(codeOf(await decide(id, "approve"))).to.equal("INSUFFICIENT_BALANCE");
    expect((await service.admin("get", `/adjustments/${id}`, { token: first.token })).body.data.status).to.equal(
      "pending",
    );
  });

  it("are declined by another administrator, or taken back", async () => {
    const [declined, takenBack] = [await ask(), await ask()];

    await decide(declined, "decline");
    await decide(takenBack, "decline", first);

    expect(codeOf(await decide(declined, "approve"))).to.equal("CONFLICT");
    expect(codeOf(await decide(takenBack, "approve"))).to.equal("CONFLICT");
    expect(await walletBalance(user.id)).to.equal(0);
  });

  it("expire after 72 hours, also before the job has run", async () => {
    const [id, fresh] = [await ask(), await ask()];
    const [lives] = await query(
      "SELECT expires_at - created_at = interval '72 hours' AS right FROM balance_adjustments WHERE id = $1",
      [id],
    );
    await query("UPDATE balance_adjustments SET expires_at = now() WHERE id = $1", [id]);

    const overdue = await decide(id, "approve");
    await expireAdjustments();

    expect(lives).to.deep.equal({ right: true });
    expect(codeOf(overdue)).to.equal("CONFLICT");
    const { body } = await service.admin("get", `/adjustments?user_id=${user.id}`, { token: second.token });
    expect(body.data.items.map((item: { id: string; status: string }) => [item.id, item.status])).to.deep.equal([
      [fresh, "pending"],
      [id, "expired"],
    ]);
  });

  it("are listed by status and time, and downloaded", async () => {
    const id = await ask();
    await adjust(5);
    const get = async (more: string) =>
      (await service.admin("get", `/adjustments?user_id=${user.id}&${more}`, { token: second.token })).body;

    const [pending, future, csv] = [
      await get("status=pending"),
      await get("from=2090-01-01T00:00:00.000Z"),
      await get("format=csv"),
    ];

    expect(pending.data.items.map((item: { id: string }) => item.id)).to.deep.equal([id]);
    expect(future.data.total).to.equal(0);
    expect(String(csv).trimEnd().split("\n")).to.have.length(3);
  });

  it("are found by the ledger's check when they differ from the coins that moved", async () => {
    const id = (await adjust(40)).body.data.id;
    const set = (amount: number) => query("UPDATE balance_adjustments SET amount = $2 WHERE id = $1", [id, amount]);
    const pending = await ask();
    const sound = await differences();

    await set(41);
    await query(
      "UPDATE balance_adjustments SET status = 'approved', decided_by = $2, decided_at = now() WHERE id = $1",
      [pending, second.id],
    );
    const broken = await differences();
    await set(40);
    await query("DELETE FROM balance_adjustments WHERE id = $1", [pending]);

    expect(sound).to.deep.equal([]);
    expect(broken.sort()).to.deep.equal(
      [
        `Adjustment ${id} is approved, but its coins were granted otherwise.`,
        `Adjustment ${pending} is approved, but its coins were not granted.`,
      ].sort(),
    );
  });
});
