import { APIException, DeliveryStatus } from "@apple/app-store-server-library";
import { defineJob } from "#shared/db/jobs.ts";
import { queryOne } from "#shared/db/query.ts";
import { logger } from "#shared/kernel/logger.ts";
import { appleStore } from "../stores.config.ts";

/** Answers Apple's question whether a purchase that its buyer wants refunded was used, within its 12 hours. */
export const consumptionJob = defineJob<{ transaction_id: string }>("apple.consumption", {
  retries: 18,
  retryMaxSeconds: 3600,
  timeoutSeconds: 60,
});

/**
 * Tells Apple how much of a purchase was used: of coins, the share that the wallet no longer holds; of VIP, the share
 * of its time. Without the key of its API, Apple decides without us.
 * @throws Error when Apple doesn't respond; the job runs again
 */
export async function sendConsumption(transactionId: string): Promise<void> {
  const { client } = appleStore();
  if (!client) return logger.warn({ transactionId }, "Apple asks about a purchase, but its API has no key");
  const used = await queryOne<{ share: number }>(
    `SELECT CASE WHEN o.kind = 'coins' THEN (o.credit::bigint - least(o.credit::bigint, w.balance::bigint))::float / o.credit::bigint
       ELSE coalesce(least(1, greatest(0, extract(epoch FROM now() - v.starts_at) / extract(epoch FROM v.ends_at - v.starts_at))), 0)::float
       END AS share
     FROM store_purchases p JOIN payment_orders o ON o.id = p.order_id
       JOIN wallets w ON w.user_id = o.user_id AND w.asset = 'coins' LEFT JOIN vip_periods v ON v.order_id = o.id
     WHERE p.provider = 'apple' AND p.transaction_id = $1`,
    [transactionId],
  );
  try {
    await client.sendConsumptionInformation(transactionId, {
      customerConsented: true,
      consumptionPercentage: Math.round((used?.share ?? 0) * 100_000),
      deliveryStatus: used ? DeliveryStatus.DELIVERED : DeliveryStatus.UNDELIVERED_OTHER,
      sampleContentProvided: false,
    });
  } catch (error) {
    const isFinal = error instanceof APIException && error.httpStatusCode < 500 && error.httpStatusCode !== 429;
    if (!isFinal) throw error;
    logger.error({ err: error, transactionId }, "Apple has rejected what we say about a purchase");
  }
}
