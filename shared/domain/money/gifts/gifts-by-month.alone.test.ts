import { expect } from "chai";
import { divideDatabase } from "#shared/db/partition-table.ts";
import { makePartitions } from "#shared/db/partitions.ts";
import { query } from "#shared/db/query.ts";
import { closeDatabase, openDatabase } from "#shared/db/sequelize.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { loadSettings, rememberSettings } from "#shared/domain/base/settings/settings.ts";
import { checkLedger } from "#shared/domain/money/ledger/check-ledger.ts";
import { refundPayment } from "#shared/domain/money/payments/refund-payment.ts";
import { clock, daysMs, startOfMonth } from "#shared/kernel/clock.ts";
import { firstIdAt } from "#shared/kernel/ids.ts";
import { createDatabase } from "#shared/testing/database.ts";
import { buildSplitPlan, buyCoins } from "#shared/testing/earnings.ts";
import { type BuiltUser, buildGift, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { callerOf } from "#shared/testing/people.ts";
import { listReceivedGifts, listSentGifts } from "./gifts.queries.ts";
import { giftTotals } from "./sent-gifts.queries.ts";
import { transferGift } from "./transfer-gift.ts";

/** The middle of a month, so many before this one. */
const middleOf = (months: number): number => startOfMonth(clock.now(), -months) + daysMs(15);

describe("gifts, divided by month", () => {
  let [sender, host]: BuiltUser[] = [];
  let roomId: string;
  let giftId: string;
  const past = [7, 6, 4, 3, 1].map((months) => ({ atMs: middleOf(months), id: firstIdAt(middleOf(months)) }));
  const old = past.map(({ id }) => id).reverse();
  const partitions = () =>
    query<{ name: string; gifts: number }>(
      `SELECT name, (SELECT count(*) FROM gift_transactions g WHERE g.tableoid = p.id) AS gifts
       FROM table_partitions p WHERE "table" = 'gift_transactions' ORDER BY "from" NULLS FIRST`,
    );

  before(async () => {
    const url = await createDatabase({ migrated: true });
    await divideDatabase(url, { gift_transactions: firstIdAt(startOfMonth(clock.now(), -4)) });
    await openDatabase(url);
    await makePartitions();
    await loadSettings();
    [sender, host] = [await buildUser(), await buildUser()];
    roomId = (await buildRoom({ host: host! })).id;
    giftId = (await buildGift({ price: 10 })).id;
    await query(
      `INSERT INTO gift_transactions (id, gift_id, room_id, sender_id, recipient_id, quantity, unit_price, total_coins,
         recipient_coins, created_at)
       SELECT id, $2, $3, $4, $5, 1, 10, 10, 5, time_of_id(id) FROM unnest($1::uuid[]) AS id`,
      [old, giftId, roomId, sender!.id, host!.id],
    );
  });
  after(closeDatabase);

  const page = (number: number, limit = 2) => ({ page: number, limit });
  const idsOf = (list: { items: readonly { id: string }[] }) => list.items.map(({ id }) => id);

  it("lie in the partition of their month, the oldest in that of all before", async () => {
    const used = (await partitions()).filter(({ gifts }) => gifts > 0);
    expect(used.map(({ gifts }) => gifts)).to.deep.equal([2, 1, 1, 1]);
    expect(used[0]!.name).to.equal("gift_transactions_past");
  });

  it("are given, earn, and are taken back as in one table", async () => {
    await buildSplitPlan(
      [
        { to: "receiver", basis_points: 5000, asset: "earnings" },
        { to: "house", basis_points: 5000 },
      ],
      {
        gift_ids: [giftId],
      },
    );
    rememberSettings({ refund_clawback: "shares" });
    const payment = await buyCoins(sender!.id, 50);
    const order = { room_id: roomId, gift_id: giftId, recipient_id: host!.id, quantity: 5 };
    const given = await transferGift(callerOf(sender!), order);
    expect((await partitions()).filter(({ gifts }) => gifts > 0)).to.have.length(5);
    expect(idsOf(await listSentGifts(sender!.id, page(1)))).to.deep.equal([given.id, old[0]]);

    const refund = { id: `refund ${payment.id}`, amount: 50 };
    await inTransaction((tx) => refundPayment(tx, "sandbox", payment, refund));
    const [undone] = await query("SELECT coins FROM refund_gifts WHERE gift_transaction_id = $1", [given.id]);
    expect(undone).to.deep.equal({ coins: 50 });
    const about = new RegExp([given.id, sender!.id, host!.id].join("|"));
    expect((await checkLedger()).filter((difference) => about.test(difference))).to.deep.equal([]);
  });

  it("are listed from all months, newest first", async () => {
    const list = await listReceivedGifts(host!.id, page(2));
    expect([idsOf(list), list.total]).to.deep.equal([old.slice(1, 3), 6]);
    expect(idsOf(await listSentGifts(sender!.id, page(3)))).to.deep.equal(old.slice(3));
  });

  it("are added up by the times when they were given", async () => {
    const [from, until] = [middleOf(6), middleOf(1) + 1].map((ms) => new Date(ms).toISOString()) as [string, string];
    expect((await giftTotals([roomId], from, until)).get(roomId)).to.include({ coins: 40, bought: 0 });
  });

  it("have shares of existing gifts alone", async () => {
    const strayed = query(
      `INSERT INTO gift_shares (gift_transaction_id, taker, asset, user_id, amount, bought)
       VALUES ($1, 'receiver', 'coins', $2, 5, 0)`,
      [firstIdAt(middleOf(2)), host!.id],
    );
    expect(await strayed.catch(String)).to.match(/gift_shares_gift_transaction_id_fkey/);
  });
});
