import { expect } from "chai";
import { service } from "#shared/contracts/principal.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { rememberSettings, settingDefault } from "#shared/domain/base/settings/settings.ts";
import { findDifferences } from "#shared/domain/money/ledger/check-ledger.ts";
import { grantCoins } from "#shared/domain/money/ledger/grant-coins.ts";
import { refundPayment } from "#shared/domain/money/payments/refund-payment.ts";
import { reverseRefund } from "#shared/domain/money/payments/reverse-refund.ts";
import { loadSplitPlans } from "#shared/domain/money/splits/split-plans.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { buildSplitPlan, buyCoins } from "#shared/testing/earnings.ts";
import { type BuiltUser, buildGift, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { callerOf } from "#shared/testing/people.ts";
import { transferGift } from "./transfer-gift.ts";

const plan = [
  { to: "receiver", basis_points: 5000, asset: "earnings" },
  { to: "owner", basis_points: 1000, asset: "earnings" },
  { to: "agency", basis_points: 500, asset: "earnings" },
  { to: "house", basis_points: 3500 },
] as const;

/** What a user has: coins, how many of them were bought, and earnings. */
async function heldBy({ id }: { readonly id: string }) {
  const rows = await query<{ asset: string; balance: number; bought: number }>(
    "SELECT asset, balance, bought FROM wallets WHERE user_id = $1",
    [id],
  );
  const of = (asset: string) => rows.find((row) => row.asset === asset);
  return { coins: of("coins")!.balance, bought: of("coins")!.bought, earnings: of("earnings")?.balance ?? 0 };
}

const entriesFor = (giftId: string) =>
  query<{ text: string }>(
    `SELECT concat_ws(' ', coalesce(e.house, 'user'), e.amount, e.asset, CASE WHEN e.bought <> 0 THEN 'of ' || e.bought END) AS text
     FROM ledger_movements m JOIN ledger_entries e ON e.movement_id = m.id WHERE m.reference_id = $1
     ORDER BY e.asset, e.amount, e.house`,
    [giftId],
  ).then((rows) => rows.map(({ text }) => text));

describe("gifts under a split plan", () => {
  useDatabase();
  let people: BuiltUser[];
  let [sender, host, guest]: BuiltUser[] = [];
  let roomId: string;
  let giftId: string;
  let planId: string;

  before(async () => {
    giftId = (await buildGift({ price: 10 })).id;
    planId = await buildSplitPlan(plan, { gift_ids: [giftId] });
  });
  after(async () => {
    await query("UPDATE split_plans SET retired_at = now()");
    await loadSplitPlans();
  });
  beforeEach(async () => {
    people = await Promise.all([buildUser(), buildUser(), buildUser()]);
    [sender, host, guest] = people;
    roomId = (await buildRoom({ host: host! })).id;
  });
  afterEach(() => {
    rememberSettings({
      granted_coins_first: settingDefault("granted_coins_first"),
      offer_bonus_granted: settingDefault("offer_bonus_granted"),
    });
  });

  const give = (quantity: number, { from = sender!, to = guest! } = {}) =>
    transferGift(callerOf(from), { room_id: roomId, gift_id: giftId, recipient_id: to.id, quantity });
  const grant = (user: BuiltUser, coins: number) =>
    inTransaction((tx) => grantCoins(tx, { by: service, kind: "adjustment", userId: user.id, coins, reason: "Here" }));
  /** Recounts the ledger, as far as it concerns these people. */
  async function differences(): Promise<string[]> {
    const found = await findDifferences();
    return found.filter((text) => people.some(({ id }) => text.includes(id)));
  }

  it("aren't given to IDs of no user", async () => {
    const error = await give(1, { to: { ...guest!, id: newId() } }).catch((thrown: unknown) => thrown);
    expect(error).to.have.property("code", "NOT_FOUND");
  });

  it("pay earnings to the recipient and the room's host, in one ledger transaction", async () => {
    await buyCoins(sender!.id, 1000);
    const { id } = await give(10);

    expect(await heldBy(guest!)).to.deep.equal({ coins: 0, bought: 0, earnings: 50 });
    expect(await heldBy(host!)).to.deep.equal({ coins: 0, bought: 0, earnings: 10 });
    expect(await entriesFor(id)).to.deep.equal([
      "user -100 coins of -100",
      "gift_revenue 100 coins of 100",
      "issue -60 earnings",
      "user 10 earnings",
      "user 50 earnings",
    ]);
    expect(await queryOne("SELECT plan_id, bought_coins FROM gift_transactions WHERE id = $1", [id])).to.deep.equal({
      plan_id: planId,
      bought_coins: 100,
    });
    expect(await differences()).to.deep.equal([]);
  });

  it("pay the host's share to a host who receives, and leave it with the house if the host gives", async () => {
    await Promise.all([sender!, host!].map(({ id }) => buyCoins(id, 100)));
    const received = await give(10, { to: host! });
    const given = await give(10, { from: host! });

    expect((await heldBy(host!)).earnings).to.equal(60);
    expect(await entriesFor(received.id)).to.include("user 60 earnings");
    expect((await heldBy(guest!)).earnings).to.equal(50);
    expect(await entriesFor(given.id)).to.include("issue -50 earnings");
    expect(await differences()).to.deep.equal([]);
  });

  it("earn nothing of fifty signup bonuses, however often they are passed on", async () => {
    const bonuses = await Promise.all(Array.from({ length: 50 }, () => buildUser()));
    await Promise.all(
      bonuses.map(({ id: userId }) =>
        inTransaction((tx) => grantCoins(tx, { by: service, kind: "signup", userId, coins: 100, reason: "Bonus" })),
      ),
    );
    await Promise.all(bonuses.map((from) => give(10, { from, to: host! })));
    await give(100, { from: host!, to: guest! });

    const earned = await Promise.all([...bonuses, host!, guest!].map(heldBy));
    expect(earned.reduce((sum, { earnings }) => sum + earnings, 0)).to.equal(0);
    expect((await heldBy(guest!)).coins).to.equal(500);
  });

  it("spend granted coins first, or bought ones if the settings say so", async () => {
    await buyCoins(sender!.id, 100);
    await grant(sender!, 30);
    await give(5);
    expect(await heldBy(sender!)).to.deep.equal({ coins: 80, bought: 80, earnings: 0 });
    expect(await heldBy(guest!)).to.deep.equal({ coins: 15, bought: 0, earnings: 10 });

    await grant(sender!, 30);
    rememberSettings({ granted_coins_first: false });
    await give(5);
    expect(await heldBy(sender!)).to.deep.equal({ coins: 60, bought: 30, earnings: 0 });
    expect(await heldBy(guest!)).to.deep.equal({ coins: 15, bought: 0, earnings: 35 });
    expect(await differences()).to.deep.equal([]);
  });

  it("count the bonus coins of offers as granted, or as bought if the settings say so", async () => {
    await buyCoins(sender!.id, 100, 20);
    expect(await heldBy(sender!)).to.include({ coins: 100, bought: 80 });
    rememberSettings({ offer_bonus_granted: false });
    await buyCoins(sender!.id, 100, 20);
    expect(await heldBy(sender!)).to.include({ coins: 200, bought: 180 });
  });

  it("take refunds from bought coins first, and give back only those when refunds are reversed", async () => {
    const payment = await buyCoins(sender!.id, 100);
    await give(6);
    await grant(sender!, 70);
    const refund = { id: `refund ${payment.id}`, amount: 100 };
    await inTransaction((tx) => refundPayment(tx, "sandbox", payment, refund));
    expect(await heldBy(sender!)).to.include({ coins: 10, bought: 0 });

    await inTransaction((tx) => reverseRefund(tx, "sandbox", refund.id));
    expect(await heldBy(sender!)).to.include({ coins: 110, bought: 40 });
    expect(await differences()).to.deep.equal([]);
  });

  it("never leave more bought coins than coins, also when the previous release spends them", async () => {
    await buyCoins(sender!.id, 100);
    await inTransaction(async (tx) => {
      // As the previous release does, which knows no bought coins.
      await tx.query("UPDATE wallets SET balance = 40, entry_count = entry_count + 1 WHERE user_id = $1", [sender!.id]);
      const id = sender!.id;
      await tx.query(
        "INSERT INTO coin_grants (kind, id, user_id, coins, reason) VALUES ('adjustment', $1, $1, -60, 'Back')",
        [id],
      );
      await tx.query(
        `INSERT INTO ledger_movements (id, reference_type, reference_id, description) VALUES ($1, 'adjustment', $1, 'Back')`,
        [id],
      );
      await tx.query(
        `INSERT INTO ledger_entries (id, movement_id, type, user_id, house, amount, balance_after, entry_no)
         VALUES (uuidv7(), $1, 'admin_adjustment', $1, NULL, -60, 40, 2),
           (uuidv7(), $1, 'admin_adjustment', NULL, 'issue', 60, NULL, NULL)`,
        [id],
      );
    });
    expect(await heldBy(sender!)).to.include({ coins: 40, bought: 40 });
    await grant(sender!, 10);
    await give(2);
    expect(await heldBy(sender!)).to.include({ coins: 30, bought: 30 });
    expect(await differences()).to.deep.equal([]);
  });
});

describe("the plan of a gift", () => {
  useDatabase();
  const receives = (points: number) => [
    { to: "receiver" as const, basis_points: points, asset: "earnings" as const },
    { to: "house" as const, basis_points: 10_000 - points },
  ];
  after(async () => {
    await query("UPDATE split_plans SET retired_at = now()");
    await loadSplitPlans();
  });

  it("is the narrowest that holds: for gifts before countries, these before ends, then the latest", async () => {
    const [sender, guest, indian, gift, special] = await Promise.all([
      buildUser(),
      buildUser(),
      buildUser(),
      buildGift({ price: 100 }),
      buildGift({ price: 100 }),
    ]);
    await query("UPDATE users SET country = 'IN' WHERE id = $1", [indian.id]);
    const { id: room_id } = await buildRoom({ host: guest });
    await buyCoins(sender.id, 10_000);
    const earned = async (gift_id: string, recipient: BuiltUser) => {
      const { id } = await transferGift(callerOf(sender), {
        room_id,
        gift_id,
        recipient_id: recipient.id,
        quantity: 1,
      });
      const [share] = await query<{ amount: number }>("SELECT amount FROM gift_shares WHERE gift_transaction_id = $1", [
        id,
      ]);
      return share?.amount;
    };

    expect(await earned(gift.id, guest)).to.equal(undefined);
    const ended = await buildSplitPlan(receives(1000), { ends_at: "2099-01-01T00:00:00.000Z" });
    await buildSplitPlan(receives(2000), { starts_at: "2026-02-01T00:00:00.000Z" });
    await buildSplitPlan(receives(9000), { starts_at: "2099-01-01T00:00:00.000Z" });
    expect(await earned(gift.id, guest)).to.equal(10);
    await query("UPDATE split_plans SET ends_at = '2026-01-02' WHERE id = $1", [ended]);
    await loadSplitPlans();
    expect(await earned(gift.id, guest)).to.equal(20);
    await buildSplitPlan(receives(3000), { countries: ["IN"] });
    await buildSplitPlan(receives(4000), { category_ids: [special.category_id] });
    expect([await earned(gift.id, guest), await earned(gift.id, indian)]).to.deep.equal([20, 30]);
    expect(await earned(special.id, indian)).to.equal(40);
    await query("UPDATE split_plans SET retired_at = now() WHERE countries = '{}'");
    await loadSplitPlans();
    // Gifts that come together are read together.
    const some = Array.from({ length: 12 }, (_, nth) => (nth % 3 === 0 ? indian : guest));
    expect(await Promise.all(some.map((one) => earned(gift.id, one)))).to.deep.equal(
      some.map((one) => (one === indian ? 30 : undefined)),
    );
  });
});
