import { setTimeout as pause } from "node:timers/promises";
import autocannon from "autocannon";
import pg from "pg";
import { poolSizes } from "#shared/db/pools.ts";
import { serverOptions } from "#shared/db/server-settings.ts";
import { type GiftRates, type GiftScene, joinAll, raiseSignupBonus, setScene, untilDelivered } from "./gift-scene.ts";
import { naiveGifts } from "./peers/naive-gift.ts";
import { judge, median, printTable } from "./report.ts";
import { type Service, startService } from "./service.ts";

interface Options {
  connections: number;
  recipients?: number;
  seconds: number;
  rounds: number;
  /** Also measures gifts under a split plan that pays earnings. */
  earnings?: boolean;
}

/**
 * Measures gifts per second with one sender per connection (closed loop): over REST, until everything that follows from
 * them is recorded and pushed; and by a naive transaction of the same rows, without consequences, while the service is
 * idle. With `earnings`, also under a plan by which their recipients and the room's host earn.
 */
export async function gift({ connections, recipients, seconds, rounds, earnings = false }: Options): Promise<void> {
  const service = await startService();
  const pool = new pg.Pool({ connectionString: service.databaseUrl, max: poolSizes.calls, options: serverOptions });
  pool.on("error", () => {}); // The database may end before its idle connections do.
  try {
    await raiseSignupBonus(pool);
    const scene = await setScene(service, connections, recipients);
    const rest: GiftRates[] = [];
    const naive: GiftRates[] = [];
    const earning: GiftRates[] = [];
    const measure = () => measureGifts(service, pool, scene, seconds);
    for (let round = 0; round < rounds; round += 1) {
      rest.push(await measure());
      if (earnings) {
        await splitGifts(pool, true);
        earning.push(await measure());
        await splitGifts(pool, false);
      }
      await recycleLog(pool);
      naive.push(await naiveGifts(pool, scene, seconds));
    }
    compare(rest, naive, connections >= 128 ? 1.5 : 1.3);
    if (earnings) compareEarning(rest, earning);
    const { gifts, wallets, sum } = await drift(pool);
    judge(
      `after ${gifts} gifts, ${wallets} wallets differ from their entries, whose sum is ${sum}`,
      wallets === "0" && sum === "0",
    );
  } finally {
    await pool.end();
    await service.stop();
  }
}

/** Lets a plan pay earnings for gifts, or no longer. All coins count as bought: only these earn. */
export async function splitGifts(pool: pg.Pool, holds: boolean): Promise<void> {
  await pool.query(
    `INSERT INTO split_plans (id, name, shares, starts_at) VALUES (gen_random_uuid(), 'Measured', $1, '2026-01-01')
     ON CONFLICT (name) DO UPDATE SET retired_at = CASE WHEN $2 THEN NULL ELSE now() END`,
    [
      JSON.stringify([
        { to: "receiver", basis_points: 4500, asset: "earnings" },
        { to: "owner", basis_points: 500, asset: "earnings" },
        { to: "house", basis_points: 5000, asset: "coins" },
      ]),
      holds,
    ],
  );
  await pool.query("UPDATE wallets SET bought = balance WHERE asset = 'coins'");
  await pool.query('SELECT pg_notify(\'hubbub_signals\', \'{"name":"split_plans.changed","payload":{}}\')');
  await pause(500);
}

/** Compares gifts that pay earnings with those that pay coins, of the same run. */
function compareEarning(rest: readonly GiftRates[], earning: readonly GiftRates[]): void {
  const rateOf = (rates: readonly GiftRates[]) => median(rates.map(({ perSecond }) => perSecond));
  const ratio = rateOf(earning) / rateOf(rest);
  judge(
    `gifts that pay earnings: ${rateOf(earning).toFixed(0)} per second, ${ratio.toFixed(2)} × those that pay coins (target: at least 0.9)`,
    ratio >= 0.9,
  );
}

/**
 * Makes PostgreSQL write over old files of its log, as one does that has run for a while. A new one fills a file of 16
 * MB about each second of a storm, and all wait 60 ms for it: that would be both contenders' p99.
 */
const recycleLog = (pool: pg.Pool): Promise<unknown> => pool.query("CHECKPOINT");

/** Prints the rounds and the medians of both. `least`: how many times as many gifts over REST there must be. */
function compare(rest: readonly GiftRates[], naive: readonly GiftRates[], least: number): void {
  const rowOf = (by: string, { perSecond, p99 }: GiftRates) => ({
    by,
    "gifts per second": perSecond.toFixed(0),
    "p99 ms": p99.toFixed(0),
  });
  printTable(rest.flatMap((one, round) => [rowOf("REST", one), rowOf("naive", naive[round]!)]));
  const medians = (rates: readonly GiftRates[]): GiftRates => ({
    perSecond: median(rates.map(({ perSecond }) => perSecond)),
    p99: median(rates.map(({ p99 }) => p99)),
  });
  const [ours, theirs] = [medians(rest), medians(naive)];
  const ratio = ours.perSecond / theirs.perSecond;
  judge(`gifts over REST: ${ratio.toFixed(2)} × the naive transaction (target: at least ${least})`, ratio >= least);
  judge(
    `their p99: ${ours.p99.toFixed(0)} ms; the naive transaction's: ${theirs.p99.toFixed(0)} ms (target: not above it)`,
    ours.p99 <= theirs.p99,
  );
}

/** Measures gifts by `giftsByRest`, until all that follows from them is delivered. */
export async function measureGifts(
  service: Service,
  pool: pg.Pool,
  scene: GiftScene,
  seconds: number,
): Promise<GiftRates> {
  await joinAll(service, scene);
  await untilDelivered(pool);
  await recycleLog(pool);
  const { gifts, p99 } = await giftsByRest(service, scene, seconds);
  return { perSecond: gifts / (seconds + (await untilDelivered(pool))), p99 };
}

/** Has each sender give gifts over a connection of their own. */
export async function giftsByRest(
  service: Service,
  { roomId, giftId, pairs }: GiftScene,
  seconds: number,
): Promise<{ gifts: number; p99: number }> {
  let next = 0;
  const result = await autocannon({
    url: `${service.url}/api/v1/rooms/${roomId}/gifts`,
    method: "POST",
    connections: pairs.length,
    duration: seconds,
    setupClient: (client) => {
      const { sender, recipient } = pairs[next % pairs.length]!;
      next += 1;
      client.setHeadersAndBody(
        { "content-type": "application/json", authorization: `Bearer ${sender.token}` },
        JSON.stringify({ gift_id: giftId, recipient_id: recipient.id, quantity: 1 }),
      );
    },
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} failed requests, ${result.errors} connection errors`);
  return { gifts: result["2xx"], p99: result.latency.p99 };
}

/** Compares each wallet with the sum of its entries, and the sum of all entries with zero. */
async function drift(pool: pg.Pool): Promise<{ wallets: string; sum: string; gifts: string }> {
  const { rows } = await pool.query<{ wallets: string; sum: string; gifts: string }>(`
    SELECT (SELECT count(*) FROM wallets w WHERE asset = 'coins' AND balance <>
        (SELECT coalesce(sum(amount), 0) FROM ledger_entries e WHERE e.user_id = w.user_id AND e.asset = 'coins')) AS wallets,
      (SELECT coalesce(sum(amount), 0) FROM ledger_entries WHERE asset = 'coins') AS sum,
      (SELECT count(*) FROM gift_transactions) AS gifts`);
  return rows[0]!;
}
