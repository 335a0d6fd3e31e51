import pLimit from "p-limit";
import { defineJob } from "#shared/db/jobs.ts";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { type Endpoints, sendDelivery } from "#shared/domain/base/webhooks/sender.ts";
import { logger } from "#shared/kernel/logger.ts";
import { webhookContext } from "./webhooks.ts";

/** Sends one delivery, right after the commit. */
export const webhookJob = defineJob<{ delivery_id: string }>("webhooks.send", {
  retries: 0,
  retryMaxSeconds: 60,
  timeoutSeconds: 30,
});

/** Sends the deliveries that are due again. Run every minute. */
export const webhooksDueJob = defineJob("webhooks.send_due", {
  retries: 0,
  retryMaxSeconds: 60,
  timeoutSeconds: 300,
  exclusive: true,
});

/** The webhooks of resellers. */
const resellers: Endpoints = {
  table: "webhook_endpoints",
  column: "endpoint_id",
  reach: "internet",
  secrets: "ARRAY[e.secret_sealed]",
  sealedFor: webhookContext,
  disabled: (tx, id) =>
    tx.send(
      `UPDATE webhook_deliveries SET status = 'failed', next_try_at = NULL, error = 'The webhook is disabled.'
       WHERE endpoint_id = $1 AND status = 'pending'`,
      [id],
    ),
};

/** How many deliveries a run of the minute sends, how many of them to one server, and how many at the same time. */
const [batchSize, eachMax, atOnce] = [200, 5, 20];
/** The job of the minute sends what waits longer, seconds. */
const ownJobMax = 60;

/** Sends a delivery; if it fails and is repeated within the minute, by another job. */
export async function sendWebhook(id: string): Promise<void> {
  const tried = await sendDelivery(resellers, id);
  const pause = tried?.pause;
  if (pause !== undefined && pause < ownJobMax)
    await inTransaction((tx) => tx.enqueue(webhookJob, { delivery_id: id }, { afterSeconds: pause }));
}

/** Sends what is due, a few to each server, so that a slow one doesn't hold up others. */
export async function sendDueWebhooks(): Promise<void> {
  const due = await query<{ id: string }>(
    `SELECT id FROM (
       SELECT id, next_try_at, row_number() OVER (PARTITION BY endpoint_id ORDER BY next_try_at, id) AS place
       FROM webhook_deliveries WHERE status = 'pending' AND next_try_at <= now() AND endpoint_id IS NOT NULL
     ) waiting WHERE place <= ${eachMax} ORDER BY place, next_try_at LIMIT ${batchSize}`,
  );
  const limited = pLimit(atOnce);
  await limited.map(due, ({ id }) =>
    sendWebhook(id).catch((error: unknown) => {
      logger.warn({ err: error, deliveryId: id }, "a webhook could not be sent; it is tried again");
    }),
  );
}
