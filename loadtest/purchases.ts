import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import autocannon from "autocannon";
import pg from "pg";
import { queryOne } from "#shared/db/query.ts";
import { openDatabase } from "#shared/db/sequelize.ts";
import { checkLedger } from "#shared/domain/money/ledger/check-ledger.ts";
import type { FakeStores, StoreNotice, StorePurchase } from "#shared/testing/fakes/purchases-at-stores.ts";
import { buildPackage, buildProduct } from "#shared/testing/sales.ts";
import { until } from "#shared/testing/until.ts";
import { giftsByRest } from "./gift.ts";
import { joinAll, raiseSignupBonus, setScene, untilDelivered } from "./gift-scene.ts";
import { judge, median, printTable } from "./report.ts";
import { type Person, type Service, startService } from "./service.ts";
import { startStores, storeEnvironment } from "./store-environment.ts";

interface Options {
  connections: number;
  purchases: number;
  seconds: number;
  rounds: number;
}

/** A call of the service, without its address. */
interface Call {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

interface Rate {
  readonly perSecond: number;
  readonly p99: number;
}

/** A refund's notice must be in the ledger within this time, milliseconds. */
const refundWithinMs = 5000;
const refundEveryMs = 50;
/** The orders that a user may have open. */
const openOrders = 10;

const ways = ["Apple, presented", "Apple, notices", "Google, presented", "Google, notices", "Stripe, notices"] as const;

/**
 * Measures purchases per second, presented by the app or reported by the store, beside gifts in the same run (closed
 * loop); and how long the notice of a refund takes to be in the ledger meanwhile. The fakes of the stores share the
 * load generator's process.
 */
export async function purchases({ connections, purchases, seconds, rounds }: Options): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "hubbub-stores-"));
  const stores = await startStores();
  const service = await startService({ more: await storeEnvironment(stores, folder) });
  const pool = new pg.Pool({ connectionString: service.databaseUrl });
  pool.on("error", () => {}); // The database may end before its idle connections do.
  try {
    await raiseSignupBonus(pool);
    const scene = await setScene(service, connections);
    await openDatabase(service.databaseUrl);
    const shop = await openShop(
      service,
      stores,
      scene.pairs.flatMap(({ sender, recipient }) => [sender, recipient]),
    );
    const measured = new Map<string, Rate[]>();
    const note = (name: string, rate: Rate) => measured.set(name, [...(measured.get(name) ?? []), rate]);
    const refunds: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await joinAll(service, scene);
      const { gifts, p99 } = await giftsByRest(service, scene, seconds);
      note("gifts", { perSecond: gifts / (seconds + (await untilDelivered(pool))), p99 });
      for (const way of ways) {
        const [calls, bought] = await shop.callsOf(way, purchases);
        const over = new AbortController();
        const refunding = shop.refund(over.signal);
        note(way, await send(service, calls, connections));
        over.abort();
        refunds.push(...(await refunding));
        shop.sold.push(...bought);
        await untilDelivered(pool);
      }
    }
    report(measured);
    const slowest = Math.max(...refunds);
    judge(
      `${refunds.length} notices of refunds meanwhile were in the ledger after ${median(refunds).toFixed(0)} ms, the slowest after ${slowest.toFixed(0)} (target: ${refundWithinMs})`,
      refunds.length > 0 && slowest <= refundWithinMs,
    );
    const differences = await checkLedger();
    judge(`the ledger has ${differences.length} differences`, differences.length === 0);
  } finally {
    await pool.end();
    await service.stop();
    await stores.stop();
    await rm(folder, { recursive: true });
  }
}

function report(measured: ReadonlyMap<string, readonly Rate[]>): void {
  const medians = [...measured].map(([name, rates]) => ({
    name,
    perSecond: median(rates.map(({ perSecond }) => perSecond)),
    p99: median(rates.map(({ p99 }) => p99)),
  }));
  const { perSecond: gifts } = medians.find(({ name }) => name === "gifts")!;
  printTable(
    medians.map(({ name, perSecond, p99 }) => ({
      what: name,
      "per second": perSecond.toFixed(0),
      "p99 ms": p99.toFixed(0),
      "of the gifts": `${((perSecond / gifts) * 100).toFixed(0)} %`,
    })),
  );
  for (const { name, perSecond } of medians.filter((one) => one.name !== "gifts"))
    judge(`${name}: ${perSecond.toFixed(0)} purchases per second, beside ${gifts.toFixed(0)} gifts`, perSecond > 0);
}

/** Makes the calls, as fast as they are answered. */
async function send({ url }: Service, calls: readonly Call[], connections: number): Promise<Rate> {
  let next = 0;
  const startedMs = performance.now();
  const result = await autocannon({
    url,
    connections,
    amount: calls.length,
    requests: [
      {
        method: "POST",
        setupRequest: (request) => {
          const call = calls[next % calls.length]!;
          next += 1;
          // It adds the length of the body to the headers.
          return { ...request, ...call, headers: { ...call.headers } };
        },
      },
    ],
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} failed requests, ${result.errors} connection errors`);
  return { perSecond: result["2xx"] / ((performance.now() - startedMs) / 1000), p99: result.latency.p99 };
}

/** Sells coins to these people at all stores. */
async function openShop(service: Service, stores: FakeStores, people: readonly Person[]) {
  const { id: packageId } = await buildPackage({ coins: 100 });
  const apple = await buildProduct({ coin_package_id: packageId });
  const google = await buildProduct({ coin_package_id: packageId }, { store: "google" });
  const root = "/api/v1/payments";
  const sold: StorePurchase[] = [];
  let turn = 0;

  const present = ({ token }: Person, { proof: { path, body } }: StorePurchase): Call => ({
    path: `${root}/${path}`,
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  const tell = ({ store, body, headers }: StoreNotice): Call => ({ path: `${root}/webhook/${store}`, headers, body });

  const order = async ({ token }: Person): Promise<StorePurchase> => {
    const options = { token, body: { package_id: packageId } };
    const ordered = await service.call<{ providerPayload: { order_id: string } }>("POST", "/payments/orders", options);
    return stores.payAtStripe(ordered.providerPayload.order_id);
  };
  const buy = (way: (typeof ways)[number], person: Person): StorePurchase | Promise<StorePurchase> => {
    if (way.startsWith("Apple")) return stores.buyAtApple(apple, person.id);
    return way.startsWith("Google") ? stores.buyAtGoogle(google, person.id, true) : order(person);
  };

  return {
    /** What was delivered and can be refunded. */
    sold,
    /** Buys so often, and returns the calls that deliver that. */
    callsOf: async (way: (typeof ways)[number], count: number): Promise<[Call[], StorePurchase[]]> => {
      const most = way.startsWith("Stripe") ? Math.min(count, people.length * openOrders) : count;
      const calls: Call[] = [];
      const bought: StorePurchase[] = [];
      for (; calls.length < most; turn += 1) {
        const person = people[turn % people.length]!;
        const purchase = await buy(way, person);
        calls.push(way.endsWith("presented") ? present(person, purchase) : tell(await purchase.bought()));
        bought.push(purchase);
      }
      return [calls, bought];
    },
    refund: (end: AbortSignal) => refund(service, sold, tell, end),
  };
}

/** Refunds what was sold, one after the other. Returns how long each notice took to be in the ledger. */
async function refund(
  { url }: Service,
  sold: StorePurchase[],
  tell: (notice: StoreNotice) => Call,
  end: AbortSignal,
): Promise<number[]> {
  const tookMs: number[] = [];
  for (; !end.aborted; await pause(refundEveryMs)) {
    const purchase = sold.shift();
    const notice = await purchase?.refund(false);
    if (!purchase || !notice) continue;
    const { path, headers, body } = tell(notice);
    const startedMs = performance.now();
    // The service may have closed an idle connection: a store sends a notice until it was received.
    const isReceived = () =>
      fetch(url + path, { method: "POST", headers, body }).then(
        ({ ok }) => ok,
        () => false,
      );
    await until("a notice is received", isReceived, 4 * refundWithinMs);
    await until("a refund is in the ledger", () => isRefunded(purchase), 4 * refundWithinMs);
    tookMs.push(performance.now() - startedMs);
  }
  return tookMs;
}

/** Whether the ledger has what a refund took. */
const isRefunded = async ({ store, id }: StorePurchase): Promise<boolean> =>
  (await queryOne(
    `SELECT 1 AS found FROM ledger_movements m JOIN payment_refunds r ON r.id = m.reference_id
       JOIN payments p ON p.id = r.payment_id JOIN payment_orders o ON o.id = p.order_id
     WHERE m.reference_type = 'payment_refund' AND o.provider = $1 AND o.provider_order_id = $2`,
    [store, id],
  )) !== undefined;
