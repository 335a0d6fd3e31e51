import { expect } from "chai";
import pLimit from "p-limit";
import { service } from "#shared/contracts/principal.ts";
import type { Gift, SplitShare } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { inSnapshot } from "#shared/db/snapshot.ts";
import { inTransaction, sqlState } from "#shared/db/transaction.ts";
import { isUnreachable } from "#shared/db/unavailable.ts";
import { rememberSettings, settingDefault } from "#shared/domain/base/settings/settings.ts";
import { transferGift } from "#shared/domain/money/gifts/transfer-gift.ts";
import { checkLedger } from "#shared/domain/money/ledger/check-ledger.ts";
import { grantCoins } from "#shared/domain/money/ledger/grant-coins.ts";
import { refundPayment } from "#shared/domain/money/payments/refund-payment.ts";
import { reverseRefund } from "#shared/domain/money/payments/reverse-refund.ts";
import { loadSplitPlans } from "#shared/domain/money/splits/split-plans.ts";
import { checkRun } from "#shared/domain/operations/runs/check-run.ts";
import { computeRun } from "#shared/domain/operations/runs/compute-run.ts";
import { daysMs } from "#shared/kernel/clock.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { buildAdmin } from "#shared/testing/admins.ts";
import { type BuiltAgency, buildAgency, buildContract } from "#shared/testing/agencies.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { buildSplitPlan, buyCoins } from "#shared/testing/earnings.ts";
import { type BuiltRoom, type BuiltUser, buildGift, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { callerOf, outcomeOf } from "#shared/testing/people.ts";
import { exchangeEarnings } from "./exchange-earnings.ts";
import { payShareDebts } from "./pay-share-debts.ts";

/** How many random calls: `RANDOM_EARNINGS=1570000` for a million gifts. */
const calls = Number(process.env.RANDOM_EARNINGS ?? 400);
/** After so many, others go on: a refund reads all that its payer's coins became. */
const callsEach = 5000;
const concurrent = 32;
const random = (below: number): number => Math.floor(Math.random() * below);
const pick = <Item>(items: readonly Item[]): Item => items[random(items.length)]!;

/** Shares with random takers and basis points that add up to 10,000. */
function randomShares(): SplitShare[] {
  const kinds = (["receiver", "owner", "agency"] as const).flatMap((to) =>
    (["coins", "earnings"] as const).map((asset) => ({ to, asset })),
  );
  const chosen = kinds.filter(() => Math.random() < 0.5);
  const cuts = [...chosen.map(() => random(10_001)), 10_000].sort((one, other) => one - other);
  const points = cuts.map((cut, index) => cut - (cuts[index - 1] ?? 0));
  const house = { to: "house" as const, basis_points: points.at(-1)! };
  return [...chosen.map((kind, index) => ({ ...kind, basis_points: points[index]! })), house];
}

/**
 * Recounts in SQL what each share of each gift must be, from the gift, its plan, and its room, and returns those that
 * are otherwise. Written without a look at the code that splits gifts. The house may keep an agency's share of a gift
 * that was on its way when the contract began.
 */
const wrongShares = (people: readonly BuiltUser[]) =>
  query(
    `
    WITH own AS (
      SELECT * FROM gift_transactions WHERE sender_id = ANY($1)
    ), shared AS (
      SELECT g.id, s.place, s.share ->> 'to' AS taker, coalesce(s.share ->> 'asset', 'coins') AS asset, part.of, part.amount,
        div(part.amount * (s.share ->> 'basis_points')::numeric, 10000) AS whole,
        mod(part.amount * (s.share ->> 'basis_points')::numeric, 10000) AS lost
      FROM own g JOIN split_plans p ON p.id = g.plan_id
        CROSS JOIN LATERAL jsonb_array_elements(p.shares) WITH ORDINALITY AS s (share, place)
        CROSS JOIN LATERAL (VALUES ('bought', g.bought_coins::numeric), ('granted', g.total_coins - g.bought_coins::numeric))
          AS part (of, amount)
    ), rounded AS (
      SELECT id, taker, asset, of, whole + CASE WHEN row_number() OVER (PARTITION BY id, of ORDER BY lost DESC, place)
        <= amount - sum(whole) OVER (PARTITION BY id, of) THEN 1 ELSE 0 END AS amount
      FROM shared
    ), taken AS (
      SELECT r.id, r.taker, CASE r.of WHEN 'bought' THEN r.asset ELSE 'coins' END AS asset, r.of, r.amount,
        CASE r.taker WHEN 'receiver' THEN g.recipient_id WHEN 'owner' THEN nullif(o.host_id, g.sender_id)
          WHEN 'agency' THEN (SELECT nullif(a.owner_id, g.sender_id) FROM contracts c JOIN agencies a ON a.id = c.agency_id
            WHERE c.host_id = g.recipient_id AND g.created_at >= c.starts_at AND g.created_at < coalesce(c.ends_at, 'infinity')
              AND (g.created_at > c.starts_at + interval '10 s'
                OR EXISTS (SELECT FROM gift_shares x WHERE x.gift_transaction_id = g.id AND x.taker = 'agency'))
          ) END AS user_id
      FROM rounded r JOIN own g ON g.id = r.id JOIN rooms o ON o.id = g.room_id
    ), stored AS (
      SELECT s.gift_transaction_id, s.taker, s.asset, s.user_id, s.amount, s.bought
      FROM gift_shares s JOIN own ON own.id = s.gift_transaction_id
    ), due AS (
      SELECT id, taker, asset, user_id, sum(amount)::bigint AS amount,
        coalesce(sum(amount) FILTER (WHERE of = 'bought' AND asset = 'coins'), 0)::bigint AS bought
      FROM taken WHERE user_id IS NOT NULL GROUP BY 1, 2, 3, 4 HAVING sum(amount) > 0
    )
    (TABLE due EXCEPT TABLE stored) UNION ALL (TABLE stored EXCEPT TABLE due) LIMIT 5`,
    [people.map(({ id }) => id)],
  );

/** Counts gifts without an agency's share, of all that were sent under a contract: they were on their way before. */
const missedContracts = (people: readonly BuiltUser[]) =>
  query<{ missed: number; all: number }>(
    `SELECT count(*) FILTER (WHERE NOT EXISTS (SELECT FROM gift_shares x WHERE x.gift_transaction_id = g.id AND x.taker = 'agency'))::int
         AS missed, count(*)::int AS all
     FROM gift_transactions g JOIN split_plans p ON p.id = g.plan_id
       JOIN contracts c ON c.host_id = g.recipient_id AND g.created_at >= c.starts_at AND g.created_at < coalesce(c.ends_at, 'infinity')
       JOIN agencies a ON a.id = c.agency_id AND a.owner_id <> g.sender_id
     WHERE g.sender_id = ANY($1) AND EXISTS (SELECT FROM jsonb_array_elements(p.shares) AS s
       WHERE s ->> 'to' = 'agency' AND (s ->> 'basis_points')::numeric * g.total_coins >= 20000)`,
    [people.map(({ id }) => id)],
  );

/** Gifts whose entries don't add up to their price: what users and the house got of it, in coins and in earnings. */
const wrongPrices = () =>
  query(`
    SELECT g.id FROM gift_transactions g JOIN ledger_movements m ON m.reference_id = g.id JOIN ledger_entries e ON e.movement_id = m.id
    GROUP BY g.id, g.total_coins
    HAVING sum(e.amount) FILTER (WHERE e.amount > 0 AND e.user_id IS NOT NULL) > g.total_coins
      OR sum(e.amount) FILTER (WHERE e.asset = 'coins' AND e.amount > 0) <> g.total_coins
      OR coalesce(sum(e.amount) FILTER (WHERE e.asset = 'earnings' AND e.amount > 0), 0) > g.bought_coins`);

/** Recounts at one moment, with memory for a million gifts. */
const recounted = <Row>(count: () => Promise<Row>): Promise<Row> =>
  inSnapshot(
    async () => {
      await query("SELECT set_config('work_mem', '64MB', true)");
      return count();
    },
    { isLong: true },
  );

/** A zone whose agencies are those of this test. */
const zone = "Antarctica/Troll";

/** Returns the ID of a run between two times, computed and checked. */
async function settleBetween(starts_at: number, ends_at: number, starts_on: string): Promise<string> {
  const id = newId();
  await query(
    `INSERT INTO runs (id, period, starts_on, time_zone, starts_at, ends_at, created_by)
     VALUES ($1, 'month', $2, $3, to_timestamp($4::float8 / 1000), to_timestamp($5::float8 / 1000), $6)`,
    [id, starts_on, zone, starts_at, ends_at, (await buildAdmin()).id],
  );
  await computeRun({ run_id: id });
  await checkRun({ run_id: id });
  return id;
}

/**
 * Recounts the lines of a run from gifts, refunds, reversals, and debts, without the ledger, and returns those that are
 * otherwise. Written without a look at the code that computes runs.
 */
const wrongLines = (runId: string) =>
  query(
    `
    WITH moved AS (
      SELECT s.user_id, s.amount, g.created_at FROM gift_shares s JOIN gift_transactions g ON g.id = s.gift_transaction_id
      WHERE s.asset = 'earnings'
      UNION ALL SELECT s.user_id, s.debt - s.amount, f.created_at FROM refund_shares s JOIN payment_refunds f ON f.id = s.refund_id
      WHERE s.asset = 'earnings'
      UNION ALL SELECT s.user_id, s.returned - s.cancelled, v.created_at
      FROM refund_shares s JOIN payment_refund_reversals v ON v.id = s.reversal_id WHERE s.asset = 'earnings'
      UNION ALL SELECT user_id, -amount, created_at FROM share_debt_payments WHERE asset = 'earnings' AND exchange_id IS NULL
    ), earned AS (
      SELECT c.id, c.commission_basis_points, coalesce(sum(m.amount), 0)::bigint AS earnings
      FROM runs r JOIN agencies a ON a.time_zone = r.time_zone JOIN contracts c ON c.agency_id = a.id
        LEFT JOIN moved m ON m.user_id = c.host_id AND m.created_at BETWEEN r.starts_at AND r.ends_at - interval '1 microsecond'
          AND m.created_at >= c.starts_at AND m.created_at < coalesce(c.ends_at, 'infinity')
      WHERE r.id = $1 AND tstzrange(c.starts_at, c.ends_at) && tstzrange(r.starts_at, r.ends_at) GROUP BY c.id
    ), due AS (
      SELECT id, earnings, floor(greatest(earnings, 0) * commission_basis_points / 10000.0)::bigint AS commission FROM earned
    ), lines AS (
      SELECT contract_id, earnings, commission FROM run_lines WHERE run_id = $1
    )
    (TABLE due EXCEPT TABLE lines) UNION ALL (TABLE lines EXCEPT TABLE due) LIMIT 5`,
    [runId],
  );

/** One at a time, because a host has one contract at a time. */
const contractChanges = pLimit(1);

/** Ends a host's contract with notice, and mostly begins another then, with any agency and commission. */
const changeContract = ({ people, agencies }: World) =>
  contractChanges(() =>
    inTransaction(async (tx) => {
      const host = pick(people).id;
      // Not at once: a gift on its way would be dated after it.
      const notice = `${1000 + random(3000)} milliseconds`;
      await tx.query(
        "UPDATE contracts SET ends_at = least(ends_at, greatest(starts_at, now() + $2::interval)) WHERE host_id = $1",
        [host, notice],
      );
      if (Math.random() < 0.7)
        await tx.query(
          `INSERT INTO contracts (id, agency_id, host_id, commission_basis_points, starts_at)
           SELECT $1, $2, $3, $4, greatest(now() + $5::interval, max(ends_at)) FROM contracts WHERE host_id = $3`,
          [newId(), pick(agencies).id, host, random(10_001), notice],
        );
    }),
  );

/** Ends all other connections to the database: what they were doing is undone, or committed without an answer. */
const killConnections = () =>
  query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
  );

/** `57P01`: its connection was killed; `55P03`: a lock was held for seconds, as on a busy machine. */
const isKilled = (error: unknown) => isUnreachable(error) || ["57P01", "55P03"].includes(sqlState(error) ?? "");
/** Tells a killed call from one that fails, such as by a deadlock. */
const orInterrupted = async (act: () => unknown) => {
  try {
    await act();
  } catch (error) {
    throw isKilled(error) ? new DomainError("ENGINE_UNAVAILABLE", "Killed, or too late.") : error;
  }
};

interface World {
  readonly agencies: readonly BuiltAgency[];
  readonly people: readonly BuiltUser[];
  readonly rooms: readonly BuiltRoom[];
  readonly gifts: readonly Gift[];
  /** How many gifts were sent. */
  sent: number;
}

/** What happens at random, each as often as its weight says. */
async function wheelOf(world: World): Promise<(() => Promise<unknown>)[]> {
  const { people, rooms, gifts } = world;
  const payments: Awaited<ReturnType<typeof buyCoins>>[] = [];
  const refunds: string[] = [];
  const actions: readonly (readonly [weight: number, act: () => Promise<unknown>])[] = [
    [
      80,
      async () => {
        const [from, to] = [pick(people), pick(people)];
        const order = {
          room_id: pick(rooms).id,
          gift_id: pick(gifts).id,
          recipient_id: to.id,
          quantity: 1 + random(20),
        };
        await transferGift(callerOf(from), order);
        world.sent += 1;
      },
    ],
    [8, async () => payments.push(await buyCoins(pick(people).id, 500 + random(20_000), random(200)))],
    [
      4,
      () =>
        inTransaction((tx) => {
          const coins = 1 + random(2000);
          return grantCoins(tx, { by: service, kind: "adjustment", userId: pick(people).id, coins, reason: "Here" });
        }),
    ],
    [
      3,
      async () => {
        const payment = pick(payments);
        if (!payment) return;
        const refund = { id: newId(), amount: 1 + random(payment.amount) };
        await inTransaction((tx) => refundPayment(tx, "sandbox", payment, refund));
        refunds.push(refund.id);
      },
    ],
    [1, async () => refunds.length > 0 && inTransaction((tx) => reverseRefund(tx, "sandbox", pick(refunds)))],
    [
      3,
      () => {
        rememberSettings({ earnings_exchange_rate: 1 + random(20_000) });
        return exchangeEarnings(callerOf(pick(people)), 1 + random(500));
      },
    ],
    [
      1,
      async () =>
        rememberSettings({
          granted_coins_first: Math.random() < 0.5,
          refund_clawback: pick(["house", "shares", "shares"]),
        }),
    ],
    [1, payShareDebts],
    [2, () => changeContract(world)],
  ];
  for (const { id } of people) payments.push(await buyCoins(id, 20_000, 500));
  return actions.flatMap(([weight, act]) => Array.from({ length: weight }, () => act));
}

/** People, rooms, gifts, and agencies of their own, with contracts. */
async function buildWorld(): Promise<World> {
  const people = await Promise.all(Array.from({ length: 12 }, () => buildUser()));
  const [rooms, gifts] = await Promise.all([
    Promise.all(people.slice(0, 3).map((host) => buildRoom({ host }))),
    Promise.all([1, 3, 7, 10, 99, 1234].map((price) => buildGift({ price }))),
  ]);
  const agencies: BuiltAgency[] = [];
  for (const owner of people.slice(0, 3)) agencies.push(await buildAgency({ time_zone: zone }, owner));
  for (const host of people) await buildContract(pick(agencies), host, { commission: random(10_001) });
  return { agencies, people, rooms, gifts, sent: 0 };
}

/** Makes so many random calls, under changing plans, of which some are for some gifts, and amid killed connections. */
async function play(world: World, count: number, outcomes: Map<string, number>): Promise<void> {
  const wheel = await wheelOf(world);
  const limit = pLimit(concurrent);
  for (let done = 0; done < count; done += 100) {
    if (done > 0 && done % 200 === 0) await query("UPDATE split_plans SET retired_at = now() WHERE random() < 0.5");
    await buildSplitPlan(randomShares(), Math.random() < 0.5 ? { gift_ids: [pick(world.gifts).id] } : {});
    const called = Promise.all(Array.from({ length: 100 }, () => limit(() => outcomeOf(orInterrupted(pick(wheel))))));
    if (done === 200) await killConnections();
    for (const one of await called) outcomes.set(one, (outcomes.get(one) ?? 0) + 1);
  }
}

describe("earnings under random gifts, plans, contracts, purchases, refunds, and exchanges", () => {
  useDatabase();
  const touched = [
    "granted_coins_first",
    "earnings_maturing_days",
    "earnings_exchange_rate",
    "refund_clawback",
  ] as const;
  after(async () => {
    rememberSettings(Object.fromEntries(touched.map((key) => [key, settingDefault(key)])));
    await query("UPDATE split_plans SET retired_at = now()");
    await loadSplitPlans();
  });

  it("are what an independent recount says, and the ledger stays whole", async function () {
    this.timeout(60_000 + calls * 20);
    rememberSettings({ earnings_maturing_days: 0 });
    const before = await checkLedger();
    const people: BuiltUser[] = [];
    const outcomes = new Map<string, number>();
    let sent = 0;
    const beganMs = Date.now();
    for (let done = 0; done < calls; done += callsEach) {
      const world = await buildWorld();
      people.push(...world.people);
      await play(world, Math.min(callsEach, calls - done), outcomes);
      sent += world.sent;
    }
    const halfMs = Math.floor((beganMs + Date.now()) / 2);
    if (process.env.RANDOM_EARNINGS) console.log(`${sent} gifts; calls: ${[...outcomes].join("; ")}`);

    expect(await recounted(() => wrongShares(people))).to.deep.equal([]);
    expect(await recounted(wrongPrices)).to.deep.equal([]);
    const [late] = await recounted(() => missedContracts(people));
    expect(late!.missed, `of ${late!.all}`).to.be.at.most(concurrent + late!.all / 50);
    for (const run of [
      await settleBetween(beganMs - daysMs(1), halfMs, "2026-01-01"),
      await settleBetween(halfMs, Date.now() + daysMs(1), "2026-02-01"),
    ]) {
      const ended = await query("SELECT status, line_count > 0 AS some FROM runs WHERE id = $1", [run]);
      expect(ended).to.deep.equal([{ status: "checked", some: true }]);
      expect(await recounted(() => wrongLines(run))).to.deep.equal([]);
    }
    expect(await query("SELECT FROM wallets WHERE bought > balance")).to.deep.equal([]);
    const sums = await query<{ sum: number }>("SELECT sum(amount)::bigint AS sum FROM ledger_entries GROUP BY asset");
    expect(sums.filter(({ sum }) => sum !== 0)).to.deep.equal([]);
    const found = await checkLedger();
    expect(found.filter((text) => !before.includes(text))).to.deep.equal([]);

    const usual = ["ENGINE_UNAVAILABLE", "ok", "INSUFFICIENT_BALANCE", "FORBIDDEN", "VALIDATION_ERROR"];
    expect([...outcomes.keys()].filter((outcome) => !usual.includes(outcome))).to.deep.equal([]);
    expect(sent).to.be.greaterThan(calls / 4);
    const [stored] = await query<{ gifts: number }>(
      "SELECT count(*)::int AS gifts FROM gift_transactions WHERE sender_id = ANY($1)",
      [people.map(({ id }) => id)],
    );
    const killed = outcomes.get("ENGINE_UNAVAILABLE") ?? 0;
    expect(stored!.gifts, `${sent} acknowledged, ${killed} killed`).to.be.within(sent, sent + killed);
  });
});
