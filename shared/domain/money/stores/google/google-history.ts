import { query, queryOne } from "#shared/db/query.ts";
import {
  type HistoryEntry,
  type ProviderHistory,
  secondsOf,
} from "#shared/domain/money/payments/providers/provider.ts";
import { clock } from "#shared/kernel/clock.ts";
import { googlePlay } from "./google.config.ts";
import type { GoogleOrder } from "./google-shapes.ts";
import { priceOf, refundsOf } from "./look-at-order.ts";
import { latestOwned } from "./look-at-subscription.ts";
import { listedMs, lookAtVoided, voidedPages } from "./look-at-voided.ts";

const pageSize = 100;

/**
 * Google's books. It lists what it has voided, for 30 days, but neither purchases nor renewals: of these, it knows only
 * those that are asked for. So this asks for the next period of each subscription whose period ended by then, and
 * `entryOf` for whatever is recorded here. A purchase whose token has never come here can't be found.
 */
export const googleHistory: ProviderHistory = {
  async *historyOf(day) {
    const { from, to } = secondsOf(day);
    yield* voidedBetween(from * 1000, to * 1000);
    yield* renewalsDueBy(new Date(to * 1000).toISOString());
  },
  async entryOf({ kind, id, paymentId }) {
    const order = await googlePlay().client.order(paymentId);
    if (!order) return givenFor(kind, paymentId);
    return kind === "payment" ? paymentIn(order) : refundsIn(order).find((refund) => refund.id === id);
  },
};

async function* voidedBetween(fromMs: number, toMs: number): AsyncIterable<HistoryEntry[]> {
  const { client } = googlePlay();
  const since = Math.max(fromMs, clock.now() - listedMs);
  if (since >= toMs) return;
  for await (const page of voidedPages(since)) {
    const entries: HistoryEntry[] = [];
    for (const { orderId, purchaseToken, voidedTimeMillis = "0" } of page) {
      const order = orderId && Number(voidedTimeMillis) < toMs ? await client.order(orderId) : undefined;
      if (order) entries.push(...refundsIn({ ...order, purchaseToken }));
    }
    yield entries;
  }
}

/** A subscription that was renewed has a paid order after the one that we know. */
async function* renewalsDueBy(until: string): AsyncIterable<HistoryEntry[]> {
  const { client } = googlePlay();
  for (let after = "", full = true; full; ) {
    const due = await query<{ id: string; token: string }>(
      `SELECT id, provider_subscription_id AS token FROM subscriptions
       WHERE provider = 'google' AND status NOT IN ('expired', 'revoked') AND current_period_ends_at < $1
         AND current_period_ends_at > $1::timestamptz - interval '60 days' AND ($2 = '' OR id > nullif($2, '')::uuid)
       ORDER BY id LIMIT ${pageSize}`,
      [until, after],
    );
    const entries: HistoryEntry[] = [];
    for (const { token } of due) {
      const shown = await client.subscription(token);
      const orderId = shown && latestOwned(shown)?.latestSuccessfulOrderId;
      const order = orderId ? await client.order(orderId) : undefined;
      if (order) entries.push(paymentIn({ ...order, purchaseToken: token }));
    }
    yield entries;
    after = due.at(-1)?.id ?? after;
    full = due.length === pageSize;
  }
}

function paymentIn(order: GoogleOrder): HistoryEntry {
  const { orderId: id, purchaseToken, state } = order;
  const price = priceOf(order);
  return {
    kind: "payment",
    id,
    paymentId: id,
    providerOrderId: id,
    orderId: null,
    amount: price?.amount ?? null,
    currency: price?.currency ?? null,
    stands: state !== "PENDING",
    ...(purchaseToken && { settle: () => lookAtVoided(purchaseToken, id) }),
  };
}

const refundsIn = (order: GoogleOrder): HistoryEntry[] => {
  const payment = paymentIn(order);
  const refunds = refundsOf(order.orderId, order, { at: "" });
  let left = payment.amount;
  return refunds.map(({ refundId, share = 1 }) => {
    const amount = payment.amount === null ? null : Math.min(left!, Math.round(payment.amount * share));
    if (amount !== null) left! -= amount;
    return { ...payment, kind: "refund", id: refundId, amount, stands: true };
  });
};

/** What was bought with a code for a promotion has no order: its token says whether it is there. */
async function givenFor(kind: HistoryEntry["kind"], paymentId: string): Promise<HistoryEntry | undefined> {
  const known = await queryOne<{ token: string }>(
    `SELECT original_transaction_id AS token FROM store_purchases
     WHERE provider = 'google' AND transaction_id = $1 AND transaction_id LIKE 'token\\_%'`,
    [paymentId],
  );
  const given = known && (await googlePlay().client.product(known.token));
  if (!given) return undefined;
  const isCanceled = given.purchaseStateContext.purchaseState === "CANCELLED";
  const id = kind === "payment" ? paymentId : `${paymentId}.refund`;
  const stands = kind === "payment" || isCanceled;
  return { kind, id, paymentId, providerOrderId: paymentId, orderId: null, amount: null, currency: null, stands };
}
