import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { changeSettings } from "#shared/domain/base/settings/change-settings.ts";
import { cancelOrder } from "#shared/domain/catalogue/orders/order-steps.ts";
import { placeOrder } from "#shared/domain/catalogue/orders/place-order.ts";
import { eraseUser } from "#shared/domain/operations/deletion/erase-user.ts";
import { requestDeletion } from "#shared/domain/operations/deletion/request-deletion.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type BuiltAdmin, buildAdmin } from "#shared/testing/admins.ts";
import { depositMoney, moneyOf, whilePrepaid } from "#shared/testing/balances.ts";
import { buildReseller, buildTopUp, orderOf } from "#shared/testing/catalogue.ts";
import { differencesOf } from "#shared/testing/fakes/razorpay-scene.ts";
import { adminCaller, callerOf } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";

const allowed = ["catalogue_balances.read", "catalogue_balances.write"] as const;

describe("prepaid balances for administrators", () => {
  const service = useService();
  let admin: BuiltAdmin;
  let reseller: Awaited<ReturnType<typeof buildReseller>>;
  beforeEach(async () => {
    [admin, reseller] = await Promise.all([buildAdmin(allowed), buildReseller()]);
  });

  const get = async (path: string) => (await service.admin("get", path, { token: admin.token })).body;
  const adjust = (amount: string, more: object = {}, { by = admin, key = "" } = {}) =>
    service.admin("post", "/catalogue/balances/adjust", {
      token: by.token,
      body: { user_id: reseller.owner.id, currency: "USD", amount, reason: "A failed order", ...more },
      ...(key && { headers: { "Idempotency-Key": key } }),
    });
  const decide = (id: string, verb: "approve" | "decline", { token }: BuiltAdmin) =>
    service.admin("post", `/catalogue/balance-adjustments/${id}/${verb}`, { token });
  const codeOf = ({ body }: { body: { error?: { code: string } } }) => body.error?.code ?? "ok";
  const money = () => moneyOf(reseller.owner.id);

  it("are listed by owner and currency, shown with their debt, and downloaded", async () => {
    const { id } = reseller.owner;
    const deposit = await depositMoney(id, "12.5");
    await depositMoney(id, "900", "JPY");
    await adjust("-12.5");
    await deposit.refund(250);

    const { data } = await get(`/catalogue/balances?user_id=${id}&sort=created_at`);
    const [usd] = data.items;

    expect(data.items.map(({ currency, balance }: Record<string, string>) => `${balance} ${currency}`)).to.deep.equal([
      "0 USD",
      "900 JPY",
    ]);
    expect((await get(`/catalogue/balances?user_id=${id}&currency=JPY`)).data.total).to.equal(1);
    expect((await get(`/catalogue/balances/${usd.id}`)).data).to.include({ user_id: id, movements: 2, debt: "2.5" });
    expect(String(await get(`/catalogue/balances?user_id=${id}&format=csv`))).to.include(`${id},JPY,900,1,`);
    const movements = (await get(`/catalogue/balances/${usd.id}/movements`)).data.items;
    expect(movements[0]).to.include({
      type: "admin_adjustment",
      direction: "debit",
      amount: "12.5",
      balance_after: "0",
    });
    expect(movements[0]).to.include({ principal_kind: "admin", principal_id: admin.id });
    expect((await service.admin("get", `/catalogue/balances/${newId()}`, { token: admin.token })).status).to.equal(404);
  });

  it("are adjusted once for a key, with the reason in the movements and in the audit log", async () => {
    const answers = await Promise.all([1, 2, 3].map(() => adjust("25.00", {}, { key: "sorry-1" })));

    expect(answers.map(codeOf)).to.deep.equal(["ok", "ok", "ok"]);
    expect(await money()).to.equal("25");
    expect(answers[0]!.body.data).to.include({ status: "approved", amount: "25", currency: "USD", decided_by: null });
    const entries = await query("SELECT action, reason, before, after FROM audit_log WHERE target_id = $1", [
      reseller.owner.id,
    ]);
    expect(entries).to.deep.equal([
      {
        action: "catalogue_balance.adjust",
        reason: "A failed order",
        before: { balance: "0" },
        after: {
          adjustment_id: answers[0]!.body.data.id,
          currency: "USD",
          amount: "25",
          status: "approved",
          balance: "25",
        },
      },
    ]);
    expect(await differencesOf(reseller.owner.id)).to.deep.equal([]);
  });

  it("reject bad input, unknown users and currencies, and a balance below zero", async () => {
    await adjust("5");
    for (const [amount, more, code] of [
      ["0", {}, "VALIDATION_ERROR"],
      ["-0.0000", {}, "VALIDATION_ERROR"],
      ["1.23456", {}, "VALIDATION_ERROR"],
      ["1000000000", {}, "VALIDATION_ERROR"],
      [5 as unknown as string, {}, "VALIDATION_ERROR"],
      ["5", { currency: "XQX" }, "VALIDATION_ERROR"],
      ["5", { currency: "coins" }, "VALIDATION_ERROR"],
      ["5", { reason: "" }, "VALIDATION_ERROR"],
      ["5", { user_id: newId() }, "NOT_FOUND"],
      ["-5.0001", {}, "INSUFFICIENT_BALANCE"],
      ["-1", { currency: "EUR" }, "INSUFFICIENT_BALANCE"],
    ] as const)
      expect(codeOf(await adjust(amount, more)), `${amount} ${JSON.stringify(more)}`).to.equal(code);
    expect(await money()).to.equal("5");
  });

  it("wait for another administrator above the setting, which counts each currency by itself", async () => {
    const second = await buildAdmin(allowed);
    await adjust("6000");
    const otherCurrency = await adjust("6000", { currency: "EUR" });
    const pending = await adjust("4000.01");
    const { id } = pending.body.data;

    expect(otherCurrency.body.data.status).to.equal("approved");
    expect(pending.body.data).to.include({ status: "pending", decided_at: null });
    expect(await money()).to.equal("6000");
    expect(codeOf(await decide(id, "approve", admin))).to.equal("FORBIDDEN");
    const decided = await Promise.all([1, 2, 3].map(() => decide(id, "approve", second)));
    expect(decided.map(codeOf).sort()).to.deep.equal(["CONFLICT", "CONFLICT", "ok"]);
    expect(await money()).to.equal("10000.01");
    const { items } = (await get(`/catalogue/balance-adjustments?user_id=${reseller.owner.id}&status=approved`)).data;
    expect(items[0]).to.include({ id, amount: "4000.01", decided_by: second.id });
    expect(await differencesOf(reseller.owner.id, id)).to.deep.equal([]);
  });

  it("keep adjustments of coins and of money apart", async () => {
    const both = await buildAdmin([...allowed, "users.adjust_balance"]);
    await changeSettings(adminCaller(), { catalogue_adjustment_approval_above: 0, adjustment_approval_above: 0 });
    try {
      const ofMoney = (await adjust("5", {}, { by: both })).body.data.id;
      const ofCoins = (
        await service.admin("post", `/users/${reseller.owner.id}/adjust-balance`, {
          token: both.token,
          body: { amount: 5, reason: "Sorry" },
        })
      ).body.data.id;
      const adjustments = (
        await service.admin("get", `/adjustments?user_id=${reseller.owner.id}`, { token: both.token })
      ).body.data.items;

      expect(adjustments.map(({ id }: { id: string }) => id)).to.deep.equal([ofCoins]);
      expect(codeOf(await decide(ofCoins, "decline", both))).to.equal("NOT_FOUND");
      const wrong = await service.admin("post", `/adjustments/${ofMoney}/decline`, { token: both.token });
      expect(codeOf(wrong)).to.equal("NOT_FOUND");
      expect(codeOf(await decide(ofMoney, "decline", both))).to.equal("ok");
    } finally {
      await changeSettings(adminCaller(), {
        catalogue_adjustment_approval_above: 10_000,
        adjustment_approval_above: 1_000_000,
      });
    }
  });

  it("outlive a deleted account: money stays, can be refunded and paid out, and is never added", async () => {
    const { owner, caller } = reseller;
    const topUp = await buildTopUp();
    const deposit = await depositMoney(owner.id, "50");
    const order = await whilePrepaid(() => placeOrder(caller, orderOf(topUp)));
    await requestDeletion(callerOf(owner));
    await query("UPDATE users SET deletion_due_at = now() - interval '1 minute' WHERE id = $1", [owner.id]);
    await eraseUser(owner.id, service.actors);

    const left = await money();
    await inTransaction((tx) => cancelOrder(tx, adminCaller(), order, "No such player"));
    await deposit.refund(3_000);
    const added = await adjust("1");
    const paidOut = await adjust("-20", { reason: "Paid out by bank transfer" });

    expect([left, await money()]).to.deep.equal(["41.01", "0"]);
    expect([codeOf(added), codeOf(paidOut)]).to.deep.equal(["NOT_FOUND", "ok"]);
    expect((await get(`/catalogue/balances?user_id=${owner.id}`)).data.items[0]).to.include({ balance: "0" });
    expect(await differencesOf(owner.id)).to.deep.equal([]);
  });
});
