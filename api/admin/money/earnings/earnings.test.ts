import { expect } from "chai";
import type { EarningsLiability, GiftCircleEdge, GiftGraph } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { rememberSettings, settingDefault } from "#shared/domain/base/settings/settings.ts";
import { componentsOf } from "#shared/domain/money/earnings/circles.ts";
import { transferGift } from "#shared/domain/money/gifts/transfer-gift.ts";
import { loadSplitPlans } from "#shared/domain/money/splits/split-plans.ts";
import { daysMs } from "#shared/kernel/clock.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type BuiltAdmin, buildAdmin } from "#shared/testing/admins.ts";
import { buildSplitPlan, buyCoins } from "#shared/testing/earnings.ts";
import { type BuiltUser, buildGift, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { callerOf } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";

describe("components of a graph", () => {
  it("are those that reach each other", () => {
    const edges = ["ab", "bc", "ca", "cd", "de", "ed", "xa"].map((edge) => [edge[0]!, edge[1]!] as const);
    const found = Map.groupBy(componentsOf(edges), ([, number]) => number);
    const groups = [...found.values()].map((members) =>
      members
        .map(([account]) => account)
        .sort()
        .join(""),
    );
    expect(groups.sort()).to.deep.equal(["abc", "de", "x"]);
  });

  it("are found in a chain of 20,000 without recursion", () => {
    const edges = Array.from({ length: 20_000 }, (_, index) => [`${index}`, `${(index + 1) % 20_000}`] as const);
    expect(new Set(componentsOf(edges).values()).size).to.equal(1);
  });
});

describe("reports on earnings", () => {
  const service = useService();
  let admin: BuiltAdmin;
  let giftId: string;
  before(async () => {
    admin = await buildAdmin();
    giftId = (await buildGift({ price: 100 })).id;
    const shares = [
      { to: "receiver", basis_points: 5000, asset: "earnings" },
      { to: "house", basis_points: 5000 },
    ] as const;
    await buildSplitPlan(shares, { gift_ids: [giftId] });
  });
  after(async () => {
    await query("UPDATE split_plans SET retired_at = now()");
    await loadSplitPlans();
    rememberSettings({ earnings_maturing_days: settingDefault("earnings_maturing_days") });
  });

  const get = (path: string) => service.admin("get", `/earnings/${path}`, { token: admin.token });
  async function give(from: BuiltUser, to: BuiltUser, quantity = 20): Promise<void> {
    await buyCoins(from.id, quantity * 100);
    const { id: room_id } = await buildRoom({ host: to });
    await transferGift(callerOf(from), { room_id, gift_id: giftId, recipient_id: to.id, quantity });
  }
  const period = () => {
    const time = (ms: number) => new Date(Date.now() + ms).toISOString();
    return `from=${time(-daysMs(1))}&to=${time(daysMs(1))}`;
  };

  it("show who gives in circles, and on one device or network, as a graph without a verdict", async () => {
    const people = await Promise.all(Array.from({ length: 7 }, () => buildUser()));
    const [a, b, c, giver, taker, neighbour, stranger] = people as [BuiltUser, ...BuiltUser[]] & BuiltUser[];
    for (const [from, to] of [
      [a, b],
      [b, c],
      [c, a],
      [giver, taker],
      [giver, neighbour],
      [giver, stranger],
    ] as const)
      await give(from!, to!);
    await give(b!, a!, 1);
    const device = Buffer.from(newId());
    const ip = "192.0.2.77";
    await query("UPDATE sessions SET ip = NULL WHERE user_id = ANY ($1)", [people.map(({ id }) => id)]);
    await query("UPDATE sessions SET device_hash = $2 WHERE user_id = ANY ($1)", [[giver!.id, taker!.id], device]);
    const network = [giver!.id, neighbour!.id];
    await query(
      `INSERT INTO sessions (id, user_id, ip, expires_at) SELECT uuidv7(), unnest($1::uuid[]), $2, now() + interval '1 day'`,
      [network, ip],
    );

    const { body } = await get(`circles?${period()}&limit=100`);
    const names = new Map(
      [a, b, c, giver, taker, neighbour, stranger].map((one, index) => [one!.id, "abcgtns"[index]]),
    );
    const edges = (body.data.items as GiftCircleEdge[]).filter(({ from_id }) => names.has(from_id));
    const shown = edges.map(({ from_id, to_id, accounts, coins, gifts, same_device, same_network }) =>
      [names.get(from_id)! + names.get(to_id)!, accounts, coins, gifts, same_device, same_network].join(" "),
    );
    expect(shown.sort()).to.deep.equal([
      "ab 3 2000 1 false false",
      "bc 3 2000 1 false false",
      "ca 3 2000 1 false false",
      "gn 2 2000 1 false true",
      "gt 2 2000 1 true false",
    ]);
    expect(new Set(edges.map(({ circle }) => circle)).size).to.equal(2);
    const drawn = (await get(`circles/graph?${period()}&limit=100`)).body.data.items as GiftGraph[];
    const mine = drawn.filter(({ nodes }) => nodes.some(({ id }) => names.has(id)));
    expect(
      mine.map(({ coins, nodes, left_out }) => [
        coins,
        left_out,
        ...nodes.map(({ id, sent, received }) => `${names.get(id)} ${sent} ${received}`).sort(),
      ]),
    ).to.have.deep.members([
      [6000, 0, "a 2000 2000", "b 2000 2000", "c 2000 2000"],
      [4000, 0, "g 4000 0", "n 0 2000", "t 0 2000"],
    ]);
    expect(
      mine.flatMap(({ circle, edges: drawnEdges }) => drawnEdges.map((edge) => ({ circle, ...edge }))),
    ).to.have.deep.members(edges);
  });

  it("bound what is read of circles", async () => {
    const few = await get(`circles?${period()}&max_accounts=2&limit=1`);
    expect(few.body.data.items.length).to.be.at.most(1);
    expect((await get("circles?from=2026-01-01T00:00:00.000Z&to=2026-06-01T00:00:00.000Z")).body.error.code).to.equal(
      "VALIDATION_ERROR",
    );
  });

  it("say what is owed for earnings, and whether payments for coins cover it", async () => {
    const liability = async () =>
      ((await get("liabilities?limit=100")).body.data.items as EarningsLiability[]).find(
        ({ currency }) => currency === "INR",
      )!;
    rememberSettings({ earnings_maturing_days: 7 });
    const [fan, host] = await Promise.all([buildUser(), buildUser()]);
    await buyCoins(fan.id, 1);
    const before = await liability();
    await give(fan, host, 10);
    const after = await liability();
    expect([
      after.earnings - before.earnings,
      after.maturing - before.maturing,
      after.mature - before.mature,
      after.received - before.received,
      after.cover - before.cover,
    ]).to.deep.equal([500, 500, 0, 1000, 1000]);
    await query(
      `INSERT INTO payout_methods (id, name, kind, currency, rate, fields, provider)
       SELECT uuidv7(), $1, 'bank', 'INR', 900000000, '{account}', 'sandbox'`,
      [newId()],
    );
    const short = await liability();
    expect(short.owed).to.equal(Math.floor(((short.earnings + short.held) * 900_000_000) / 10_000));
    expect([short.covered, after.covered]).to.deep.equal([false, true]);
    await query("DELETE FROM payout_methods WHERE rate = 900000000");
  });
});
