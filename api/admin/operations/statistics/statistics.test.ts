import { expect } from "chai";
import { v7 } from "uuid";
import type { ChartType } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { backfillStatistics, countStatistics } from "#shared/domain/operations/statistics/count-statistics.ts";
import { clock } from "#shared/kernel/clock.ts";
import { type BuiltAdmin, buildAdmin } from "#shared/testing/admins.ts";
import { buildGift, buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";

const idAt = (time: string) => v7({ msecs: Date.parse(time) });

describe("the figures of the service", () => {
  const service = useService();
  const realNow = clock.now;
  let reader: BuiltAdmin;
  let author: string;

  async function buildPostAt(time: string): Promise<string> {
    const id = idAt(time);
    await query("INSERT INTO posts (id, author_id, status) VALUES ($1, $2, 'removed')", [id, author]);
    return id;
  }
  const chart = (fields: Record<string, string>) =>
    service.admin("get", `/charts?${new URLSearchParams(fields)}`, { token: reader.token });
  const valuesOf = async (time_zone: string, type: ChartType = "engagement") => {
    const { body } = await chart({ type, time_zone, from: "2024-11-02", to: "2024-11-04" });
    return body.data.map(({ value }: { value: number }) => value);
  };

  before(async () => {
    reader = await buildAdmin(["charts.read", "dashboard.read"]);
    author = (await buildUser()).id;
    await query("DELETE FROM stat_quarters");
    await query("DELETE FROM stat_totals");
    await query("UPDATE stat_progress SET counted_until = NULL");
    clock.now = () => Date.parse("2024-11-20T12:07:00Z");
    await query(
      `INSERT INTO users (id, username, email, full_name, password_hash, settings)
       VALUES ($1, 'first_of_all', 'first_of_all@example.com', 'First', '-', '{}')`,
      [idAt("2024-10-30T00:00:00Z")],
    );
    for (const time of ["2024-11-02T18:20:00Z", "2024-11-03T04:30:00Z", "2024-11-04T04:45:00Z"])
      await buildPostAt(time);
    await countStatistics();
  });
  after(async () => {
    clock.now = realNow;
    await query("UPDATE stat_progress SET counted_until = NULL");
  });

  it("are counted by the days of a time zone, also with a quarter of an hour, and with 25 hours", async () => {
    expect(await valuesOf("UTC")).to.deep.equal([1, 1, 1]);
    expect(await valuesOf("Asia/Kolkata")).to.deep.equal([1, 1, 1]);
    expect(await valuesOf("Asia/Kathmandu")).to.deep.equal([0, 2, 1]);
    expect(await valuesOf("America/New_York")).to.deep.equal([1, 2, 0]);
  });

  it("have one point for each day, with today's counted at once", async () => {
    const before = (await chart({ type: "engagement", days: "30" })).body.data;
    await buildPostAt("2024-11-20T12:05:00Z");
    const { data } = (await chart({ type: "engagement", days: "30" })).body;

    expect(data.map(({ date }: { date: string }) => date)).to.deep.equal(
      Array.from({ length: 30 }, (_, day) => new Date(Date.UTC(2024, 9, 22 + day)).toISOString().slice(0, 10)),
    );
    expect(data[29].value - before[29].value).to.equal(1);
  });

  it("don't change when they are counted again, whatever was deleted since", async () => {
    const id = await buildPostAt("2024-11-03T05:00:00Z");
    await backfillStatistics(() => undefined);
    const counted = await valuesOf("UTC");
    await query("DELETE FROM posts WHERE id = $1", [id]);
    const days: string[] = [];
    await backfillStatistics((date) => days.push(date));

    expect([counted, await valuesOf("UTC")]).to.deep.equal([
      [1, 2, 1],
      [1, 2, 1],
    ]);
    expect([days[0], days.at(-1), days.length]).to.deep.equal(["2024-10-30", "2024-11-20", 22]);
  });

  it("count accounts, messages, gifts, and coins that were sold", async () => {
    const gift = await buildGift();
    const [other, room] = [(await buildUser()).id, idAt("2024-11-01T00:00:00Z")];
    const at = () => idAt("2024-11-03T10:00:00Z");
    await query(
      `INSERT INTO rooms (id, host_id, name, category, language, seat_count, status)
       VALUES ($1, $2, 'Old', 'chat', 'en', 2, 'closed')`,
      [room, author],
    );
    await query("INSERT INTO room_messages (id, room_id, user_id, body) VALUES ($1, $2, $3, 'Hi')", [
      at(),
      room,
      author,
    ]);
    await query(
      `INSERT INTO gift_transactions (id, gift_id, room_id, sender_id, recipient_id, quantity, unit_price, total_coins, recipient_coins)
       VALUES ($1, $2, $3, $4, $5, 7, 10, 70, 35)`,
      [at(), gift.id, room, author, other],
    );
    const [packageId, orderId] = [idAt("2024-11-01T00:00:00Z"), at()];
    await query(
      "INSERT INTO coin_packages (id, name, coins, price, currency, retired_at) VALUES ($1, 'Of old', 500, 100, 'INR', now())",
      [packageId],
    );
    await query(
      `INSERT INTO payment_orders (id, user_id, kind, status, amount, currency, title, credit, package_id, provider, expires_at, paid_at)
       VALUES ($1, $2, 'coins', 'paid', 100, 'INR', '500 coins', 500, $3, 'sandbox', now(), now())`,
      [orderId, author, packageId],
    );
    await query(
      `INSERT INTO payments (id, order_id, provider, provider_payment_id, amount, settles)
       VALUES ($1, $2, 'sandbox', $3, 100, true)`,
      [at(), orderId, orderId],
    );
    await backfillStatistics(() => undefined);

    const types = ["room_activity", "gifts", "coin_sales"] as const;
    expect(await Promise.all(types.map((type) => valuesOf("UTC", type)))).to.deep.equal([
      [0, 1, 0],
      [0, 7, 0],
      [0, 500, 0],
    ]);
    const { body } = await chart({ type: "user_growth", from: "2024-10-30", to: "2024-10-30" });
    expect(body.data).to.deep.equal([{ date: "2024-10-30", value: 1 }]);
  });

  it("are summed on the dashboard", async () => {
    const dashboard = async () =>
      (await service.admin("get", "/dashboard?time_zone=Asia/Kolkata", { token: reader.token })).body.data;
    const before = await dashboard();
    await buildPostAt("2024-11-20T12:06:00Z");
    const after = await dashboard();

    expect(after.totals.engagement - before.totals.engagement).to.equal(1);
    expect(after.today.engagement - before.today.engagement).to.equal(1);
    expect(after.totals.coin_sales).to.equal(500);
    expect(after.counted_until).to.equal("2024-11-20T12:00:00.000Z");
    expect(after.now).to.have.all.keys(Object.keys(before.now));
  });

  for (const [why, fields] of [
    ["an unknown time zone", { time_zone: "Mars/Olympus" }],
    ["an offset for a time zone", { time_zone: "+05:30" }],
    ["a date that doesn't exist", { from: "2024-02-30" }],
    ["an end before the start", { from: "2024-11-05", to: "2024-11-04" }],
    ["more than 366 days", { from: "2023-11-01", to: "2024-11-01" }],
    ["an unknown type", { type: "profit" }],
  ] as const)
    it(`are not shown for ${why}`, async () => {
      const { status, body } = await chart({ type: "gifts", ...fields });
      expect([status, body.error.code]).to.deep.equal([400, "VALIDATION_ERROR"]);
    });
});
