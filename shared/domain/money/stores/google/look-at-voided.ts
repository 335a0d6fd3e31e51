import { defineJob } from "#shared/db/jobs.ts";
import { queryOne } from "#shared/db/query.ts";
import { alone, inTransaction } from "#shared/db/transaction.ts";
import { clock, daysMs } from "#shared/kernel/clock.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { logger } from "#shared/kernel/logger.ts";
import { googlePlay, hasGooglePlay } from "./google.config.ts";
import type { VoidedPurchases } from "./google-shapes.ts";
import { found, type Looked, takeBackRefunded } from "./look-at-order.ts";
import { lookAtProduct } from "./look-at-product.ts";
import { lookAtSubscription } from "./look-at-subscription.ts";

/** Asks Google what was refunded or charged back, for notices that were lost. Run every day. */
export const voidedJob = defineJob("purchases.voided", {
  retries: 12,
  retryMaxSeconds: 3600,
  timeoutSeconds: 900,
  exclusive: true,
});

/** How far back the list goes; Google refuses a start before. */
export const listedMs = daysMs(30) - 3_600_000;
/** A list may show an entry late. */
const overlapMs = daysMs(1);
/** More pages than this in a day is Google's list going round in a circle. */
const pagesMax = 500;

/**
 * Takes back what a voided order bought: one of a product, or of any period of a subscription. Safe to repeat.
 * @throws ENGINE_UNAVAILABLE, NOT_FOUND (Google Play isn't configured)
 */
export async function lookAtVoided(token: string, orderId: string): Promise<Looked> {
  const product = await lookAtProduct(token);
  if (product.outcome !== "unknown_purchase") return product;
  const { client } = googlePlay();
  const at = new Date(clock.now()).toISOString();
  const subscription = await lookAtSubscription(token);
  const order = await client.order(orderId);
  if (!order || (order.purchaseToken ?? token) !== token) return found("unknown_purchase");
  const taken = await inTransaction((tx) => takeBackRefunded(tx, orderId, order, { at }));
  return { ...subscription, transactionId: orderId, outcome: taken ?? subscription.outcome };
}

/**
 * Goes through Google's list of voided purchases from where the last run ended.
 * @throws ENGINE_UNAVAILABLE: the next run begins at the same place
 */
export async function pollVoided(): Promise<void> {
  if (!hasGooglePlay()) return;
  const startedMs = clock.now();
  const reached = await queryOne<{ at: string }>(
    "SELECT voided_until AS at FROM store_positions WHERE store = 'google'",
  );
  const since = Math.max(startedMs - listedMs, reached ? Date.parse(reached.at) - overlapMs : 0);
  for await (const page of voidedPages(since))
    for (const { purchaseToken, orderId } of page) if (orderId) await takeBack(purchaseToken, orderId);
  await alone(
    `INSERT INTO store_positions AS p (store, voided_until) VALUES ('google', $1)
     ON CONFLICT (store) DO UPDATE SET voided_until = greatest(p.voided_until, EXCLUDED.voided_until)`,
    [new Date(startedMs).toISOString()],
  );
}

/** Returns what Google has voided since a time, page by page. */
export async function* voidedPages(sinceMs: number): AsyncIterable<VoidedPurchases["voidedPurchases"]> {
  const { client } = googlePlay();
  let page: string | undefined;
  let pages = 0;
  do {
    const { voidedPurchases, tokenPagination } = await client.voided(sinceMs, page);
    yield voidedPurchases;
    page = tokenPagination?.nextPageToken;
    pages += 1;
    if (pages > pagesMax) throw new Error("Google Play's list of voided purchases doesn't end");
  } while (page);
}

/** One purchase that can't be taken back doesn't keep the others. */
async function takeBack(token: string, orderId: string): Promise<void> {
  const done = await queryOne(
    `SELECT 1 AS done FROM store_purchases
     WHERE provider = 'google' AND transaction_id = $1 AND state IN ('refunded', 'revoked', 'disputed')`,
    [orderId],
  );
  if (done) return;
  try {
    await lookAtVoided(token, orderId);
  } catch (error) {
    if (error instanceof DomainError && error.code === "ENGINE_UNAVAILABLE") throw error;
    logger.error({ err: error, orderId }, "a voided purchase couldn't be taken back");
  }
}
