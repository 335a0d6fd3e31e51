import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { rememberSettings, settingDefault } from "#shared/domain/base/settings/settings.ts";
import { transferGift } from "#shared/domain/money/gifts/transfer-gift.ts";
import { findDifferences } from "#shared/domain/money/ledger/check-ledger.ts";
import { loadSplitPlans } from "#shared/domain/money/splits/split-plans.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type BuiltAdmin, buildAdmin } from "#shared/testing/admins.ts";
import { buildSplitPlan, buyCoins } from "#shared/testing/earnings.ts";
import { type BuiltUser, buildGift, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { callerOf } from "#shared/testing/people.ts";
import { walletBalance } from "#shared/testing/sales.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";

describe("earnings", () => {
  const service = useService();
  let giftId: string;
  let planId: string;
  let host: BuiltUser;

  before(async () => {
    giftId = (await buildGift({ price: 10 })).id;
    const shares = [
      { to: "receiver", basis_points: 6000, asset: "earnings" },
      { to: "house", basis_points: 4000 },
    ] as const;
    planId = await buildSplitPlan(shares, { gift_ids: [giftId] });
  });
  after(async () => {
    await query("UPDATE split_plans SET retired_at = now()");
    await loadSplitPlans();
  });
  beforeEach(async () => {
    host = await buildUser();
    rememberSettings({ earnings_maturing_days: 0 });
  });
  afterEach(() =>
    rememberSettings({
      earnings_maturing_days: settingDefault("earnings_maturing_days"),
      earnings_exchange_rate: settingDefault("earnings_exchange_rate"),
      earnings_exchange_daily_max: settingDefault("earnings_exchange_daily_max"),
    }),
  );

  /** Lets the host earn by gifts of 6 each. */
  async function earn(quantity: number): Promise<void> {
    const [fan, room] = [await buildUser(), await buildRoom({ host })];
    await buyCoins(fan.id, quantity * 10);
    await transferGift(callerOf(fan), { room_id: room.id, gift_id: giftId, recipient_id: host.id, quantity });
  }
  const call = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
    service.call(method, path, { token: host.token, headers, ...(body && { body }) });
  const earnings = async () => (await call("get", "/earnings")).body.data;
  const exchange = (amount: number, key?: string) =>
    call("post", "/earnings/exchange", { amount }, key ? { "Idempotency-Key": key } : {});

  it("mature for as long as the settings say, and are listed with their causes", async () => {
    expect(await earnings()).to.include({ name: "Diamonds", balance: 0, available: 0, maturing: 0 });
    await earn(10);
    rememberSettings({ earnings_maturing_days: 7 });
    expect(await earnings()).to.include({ balance: 60, available: 0, maturing: 60, maturing_days: 7 });
    expect((await exchange(1)).body.error.code).to.equal("INSUFFICIENT_BALANCE");

    await query("ALTER TABLE ledger_entries DISABLE TRIGGER ledger_entries_append_only");
    await query(
      "UPDATE ledger_entries SET created_at = created_at - interval '7 days' WHERE user_id = $1 AND asset = 'earnings'",
      [host.id],
    );
    await query("ALTER TABLE ledger_entries ENABLE TRIGGER ledger_entries_append_only");
    await earn(5);
    expect(await earnings()).to.include({ balance: 90, available: 60, maturing: 30 });
    expect((await exchange(61)).body.error.code).to.equal("INSUFFICIENT_BALANCE");
    expect((await exchange(60)).status).to.equal(201);
    expect(await earnings()).to.include({ balance: 30, available: 0, maturing: 30 });

    const { body } = await call("get", "/earnings/movements");
    const shown = body.data.items.map(
      ({
        type,
        direction,
        amount,
        balance_after,
        reference,
      }: Record<string, never> & { reference: { type: string } }) =>
        `${type} ${direction} ${amount} → ${balance_after}, for ${reference.type}`,
    );
    expect(shown).to.deep.equal([
      "earnings_exchange debit 60 → 30, for earnings_exchange",
      "gift_received credit 30 → 90, for gift_transaction",
      "gift_received credit 60 → 60, for gift_transaction",
    ]);
    expect((await call("get", "/earnings/movements?direction=debit")).body.data.total).to.equal(1);
  });

  it("are exchanged to granted coins at the rate, rounded down, once for each key", async () => {
    await earn(10);
    rememberSettings({ earnings_exchange_rate: 3_333 });
    const key = newId();
    const [first, again] = [await exchange(20, key), await exchange(20, key)];
    expect(first.body.data).to.include({ amount: 20, coins: 6, exchange_rate: 3_333 });
    expect(again.body).to.deep.equal(first.body);
    expect([await walletBalance(host.id), (await earnings()).balance]).to.deep.equal([6, 40]);
    expect((await exchange(3)).body.error.details).to.deep.equal([
      { field: "amount", message: "amount must be at least 4" },
    ]);
    const [wallet] = await query("SELECT bought FROM wallets WHERE user_id = $1 AND asset = 'coins'", [host.id]);
    expect(wallet).to.deep.equal({ bought: 0 });
    const found = await findDifferences();
    expect(found.filter((text) => text.includes(host.id) || text.includes(first.body.data.id))).to.deep.equal([]);
  });

  it("are exchanged no further than the balance and the daily limit by twenty calls at once", async () => {
    await earn(10);
    rememberSettings({ earnings_exchange_daily_max: 35 });
    const tries = async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => exchange(10)));
      return answers.filter(({ status }) => status === 201).length;
    };
    expect(await tries()).to.equal(3);
    expect((await exchange(10)).body.error.code).to.equal("RATE_LIMITED");
    rememberSettings({ earnings_exchange_daily_max: 0 });
    expect(await tries()).to.equal(3);
    expect([await walletBalance(host.id), (await earnings()).balance]).to.deep.equal([60, 0]);
    rememberSettings({ earnings_exchange_rate: 0 });
    expect((await exchange(10)).body.error.code).to.equal("FORBIDDEN");
  });

  it("are those of the caller, and money of theirs nowhere", async () => {
    const other = await buildUser();
    await earn(1);
    const { body } = await service.call("get", "/earnings", { token: other.token });
    expect(body.data.balance).to.equal(0);
    expect((await service.call("get", "/earnings")).body.error.code).to.equal("UNAUTHENTICATED");
    expect(await query("SELECT FROM catalogue_balances WHERE user_id = $1", [host.id])).to.deep.equal([]);
  });

  describe("under plans", () => {
    let admin: BuiltAdmin;
    before(async () => {
      admin = await buildAdmin();
    });
    const manage = (method: string, path: string, body?: object) =>
      service.admin(method, `/split-plans${path}`, { token: admin.token, ...(body && { body }) });
    const config = async () => (await service.call("get", "/config/public")).body.data;
    const shares = [
      { to: "receiver", basis_points: 3000, asset: "earnings" },
      { to: "agency", basis_points: 500, asset: "earnings" },
      { to: "house", basis_points: 6500 },
    ];

    it("are refused that don't add up, pay the house earnings, or name no gift", async () => {
      const plan = { name: newId(), starts_at: "2026-01-01T00:00:00.000Z" };
      const refusals = [
        { ...plan, shares: [{ to: "receiver", basis_points: 9999 }] },
        { ...plan, shares: [{ to: "house", basis_points: 10_000, asset: "earnings" }] },
        { ...plan, shares: [...shares, { to: "house", basis_points: 0, asset: "coins" }] },
        { ...plan, shares, gift_ids: [newId()] },
        { ...plan, shares, ends_at: plan.starts_at },
      ];
      const answers = await Promise.all(refusals.map((body) => manage("post", "", body)));
      expect(answers.map(({ body }) => body.error?.details?.[0]?.field.split(".")[0])).to.deep.equal([
        "shares",
        "shares",
        "shares",
        "gift_ids",
        "ends_at",
      ]);
    });

    it("hold within a second of their creation, and are public until they are retired", async () => {
      const before = await config();
      expect(before.split_plan).to.deep.include({ id: null, name: "Default" });
      expect(before.split_plan.shares).to.deep.equal([
        { to: "receiver", basis_points: 5000, asset: "coins" },
        { to: "house", basis_points: 5000, asset: "coins" },
      ]);
      expect(before.special_split_plans.map(({ id }: { id: string }) => id)).to.deep.equal([planId]);

      const created = await manage("post", "", { name: newId(), shares, starts_at: "2026-01-01T00:00:00.000Z" });
      expect(created.status, JSON.stringify(created.body)).to.equal(201);
      const { id } = created.body.data;
      await until("the plan is public", async () => (await config()).split_plan.id === id);

      await manage("patch", `/${id}`, { retired: true });
      await until("the plan is gone", async () => (await config()).split_plan.id === null);
    });

    it("are fixed once they have begun, but for their end", async () => {
      const later = { name: newId(), shares, starts_at: "2099-01-01T00:00:00.000Z" };
      const { id } = (await manage("post", "", later)).body.data;
      const change = async (body: object) => (await manage("patch", `/${id}`, body)).body.error?.details?.[0].field;
      expect(await change({ shares: [{ to: "house", basis_points: 10_000 }] })).to.equal(undefined);
      expect(await change({ starts_at: "2026-01-01T00:00:00.000Z" })).to.equal(undefined);
      expect(await change({ shares })).to.equal("shares");
      expect(await change({ countries: ["IN"] })).to.equal("countries");
      expect(await change({ starts_at: "2099-01-01T00:00:00.000Z" })).to.equal("starts_at");
      expect(await change({ ends_at: "2026-02-01T00:00:00.000Z" })).to.equal("ends_at");
      expect(await change({ ends_at: "2099-02-01T00:00:00.000Z" })).to.equal(undefined);
      await manage("patch", `/${id}`, { retired: true });
    });
  });
});
