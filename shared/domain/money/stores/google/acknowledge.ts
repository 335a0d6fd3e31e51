import { defineJob } from "#shared/db/jobs.ts";
import { observeCount } from "#shared/db/observe-count.ts";
import { queryOne } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { markAcknowledged } from "#shared/domain/money/purchases/record-purchase.ts";
import { daysMs } from "#shared/kernel/clock.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { googlePlay } from "./google.config.ts";

/** Google takes back what isn't acknowledged within three days. */
export const acknowledgeWithinMs = daysMs(3);

/**
 * Tells Google that a purchase was delivered. Retried each hour for almost three days: then Google returns the money,
 * and a notice takes back the coins.
 */
export const acknowledgeJob = defineJob<{ transaction_id: string }>("purchases.acknowledge", {
  retries: 80,
  retryMaxSeconds: 3600,
  timeoutSeconds: 60,
});

/**
 * Acknowledges a purchase at Google: a product is consumed, so that it can be bought again. Idempotent.
 * @throws Error when Google refuses, ENGINE_UNAVAILABLE when it is unknown what Google has done
 */
export async function acknowledgePurchase(transactionId: string): Promise<void> {
  const row = await queryOne<{ token: string; product_id: string; renews: boolean }>(
    `SELECT p.original_transaction_id AS token, s.product_id, p.period_ends_at IS NOT NULL AS renews
     FROM store_purchases p JOIN store_products s ON s.id = p.product_id
     WHERE p.provider = 'google' AND p.transaction_id = $1 AND p.state = 'paid' AND p.acknowledged_at IS NULL`,
    [transactionId],
  );
  if (!row) return;
  const isDone = row.renews ? await acknowledge(row) : await consume(row);
  if (!isDone) throw new Error("Google Play doesn't let a purchase be acknowledged");
  await inTransaction((tx) => markAcknowledged(tx, "google", transactionId));
}

interface Delivered {
  readonly token: string;
  readonly product_id: string;
}

/** Consumes a product, unless an earlier call has, whose response was lost. */
async function consume({ token, product_id }: Delivered): Promise<boolean> {
  const { client } = googlePlay();
  const isConsumed = async () =>
    (await client.product(token))?.productLineItem.some(
      ({ productId, productOfferDetails: { consumptionState } }) =>
        productId === product_id && consumptionState === "CONSUMPTION_STATE_CONSUMED",
    ) ?? false;
  return (await client.consume(product_id, token)) || isConsumed();
}

async function acknowledge({ token, product_id }: Delivered): Promise<boolean> {
  const { client } = googlePlay();
  const isAcknowledged = async () =>
    (await client.subscription(token))?.acknowledgementState === "ACKNOWLEDGEMENT_STATE_ACKNOWLEDGED";
  return (await client.acknowledge(product_id, token)) || isAcknowledged();
}

/** Counts the purchases that weren't acknowledged within a day, for the metrics. */
export const observeAcknowledgements = (): Promise<void> =>
  observeCount(
    metrics.unacknowledgedPurchases,
    `SELECT count(*) AS n FROM (
       SELECT 1 FROM store_purchases WHERE acknowledged_at IS NULL AND acknowledge_due_at IS NOT NULL
         AND acknowledge_due_at < now() + interval '2 days' AND state = 'paid' LIMIT 1000) AS late`,
  );
