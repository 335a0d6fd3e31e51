import pLimit from "p-limit";
import { defineJob } from "#shared/db/jobs.ts";
import { query } from "#shared/db/query.ts";
import { alone, inTransaction } from "#shared/db/transaction.ts";
import { assert } from "#shared/kernel/assert.ts";
import { clock } from "#shared/kernel/clock.ts";
import { logger } from "#shared/kernel/logger.ts";
import { unseal } from "#shared/kernel/seal.ts";
import { signedHeaders } from "#shared/kernel/standard-webhooks.ts";
import { postWebhook, UndeliverableError } from "./post-webhook.ts";
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

const [minute, hour] = [60, 3600];
/**
 * Seconds until each further try, the schedule of the Standard Webhooks specification: a bit more than a day in all.
 */
export const pauses = [5, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour] as const;
/** How long a webhook may fail until it is disabled, days. */
export const failingDaysMax = 5;
/** How long a process has a delivery for itself, seconds. Another one takes over then. */
const claimSeconds = 60;
/** How many deliveries a run of the minute sends, how many of them to one server, and how many at the same time. */
const [batchSize, eachMax, atOnce] = [200, 5, 20];

interface Claimed {
  readonly body: string;
  readonly tries: number;
  readonly endpoint_id: string;
  readonly url: string;
  readonly secret_sealed: string;
}

/** Lets this process send a delivery that is due, for a time. Returns undefined if another one does, or none must. */
const claimDelivery = (id: string): Promise<Claimed | undefined> =>
  alone<Claimed>(
    `UPDATE webhook_deliveries d SET tries = tries + 1, next_try_at = now() + $2 * interval '1 second'
     FROM webhook_endpoints e
     WHERE d.id = $1 AND d.status = 'pending' AND d.next_try_at <= now() AND e.id = d.endpoint_id AND e.disabled_at IS NULL
     RETURNING d.body, d.tries, d.endpoint_id, e.url, e.secret_sealed`,
    [id, claimSeconds],
  ).then(([row]) => row);

/** Sends a delivery, and records the outcome. A server can get it more than once, always with the same ID. */
export async function sendWebhook(id: string): Promise<void> {
  const claimed = await claimDelivery(id);
  if (!claimed) return;
  const secret = unseal(webhookContext(claimed.endpoint_id), claimed.secret_sealed);
  assert(secret, "the secret of a webhook can be decrypted");

  const headers = signedHeaders(secret, id, Math.floor(clock.now() / 1000), claimed.body);
  const outcome = await postWebhook(claimed.url, headers, claimed.body).then(
    (status): Outcome => ({ status, error: status >= 200 && status < 300 ? null : `The answer was ${status}.` }),
    (error: unknown): Outcome => {
      if (error instanceof UndeliverableError) return { status: null, error: error.message };
      throw error;
    },
  );
  await (outcome.error === null ? recordSuccess(id, claimed, outcome) : recordFailure(id, claimed, outcome));
}

interface Outcome {
  readonly status: number | null;
  /** Null for a success. */
  readonly error: string | null;
}

const recordSuccess = (id: string, { endpoint_id }: Claimed, { status }: Outcome): Promise<void> =>
  inTransaction(async (tx) => {
    await tx.query(
      `UPDATE webhook_deliveries SET status = 'delivered', delivered_at = now(), next_try_at = NULL, error = NULL,
         response_status = $2 WHERE id = $1`,
      [id, status],
    );
    await tx.query("UPDATE webhook_endpoints SET failing_since = NULL WHERE id = $1 AND failing_since IS NOT NULL", [
      endpoint_id,
    ]);
  });

const recordFailure = (id: string, { endpoint_id, tries }: Claimed, { status, error }: Outcome): Promise<void> =>
  inTransaction(async (tx) => {
    const pause = pauses[tries - 1];
    const failed = await tx.query(
      `UPDATE webhook_deliveries SET response_status = $2, error = $3,
         status = CASE WHEN $4::integer IS NULL THEN 'failed' ELSE status END,
         next_try_at = now() + $4::integer * interval '1 second'
       WHERE id = $1 AND status = 'pending' RETURNING 1`,
      [id, status, error, pause ?? null],
    );
    // The webhook was deleted meanwhile.
    if (failed.length === 0) return;
    if (pause !== undefined && pause < minute)
      await tx.enqueue(webhookJob, { delivery_id: id }, { afterSeconds: pause });

    // 410 Gone: the server no longer wants any.
    const [endpoint] = await tx.query<{ is_disabled: boolean }>(
      `UPDATE webhook_endpoints SET failing_since = coalesce(failing_since, now()),
         disabled_at = CASE WHEN $2 = 410 OR failing_since < now() - interval '${failingDaysMax} days' THEN now() END
       WHERE id = $1 AND disabled_at IS NULL RETURNING disabled_at IS NOT NULL AS is_disabled`,
      [endpoint_id, status],
    );
    if (!endpoint?.is_disabled) return;
    await tx.query(
      `UPDATE webhook_deliveries SET status = 'failed', next_try_at = NULL, error = 'The webhook is disabled.'
       WHERE endpoint_id = $1 AND status = 'pending'`,
      [endpoint_id],
    );
  });

/** Sends what is due, a few to each server, so that a slow one doesn't hold up others. */
export async function sendDueWebhooks(): Promise<void> {
  const due = await query<{ id: string }>(
    `SELECT id FROM (
       SELECT id, next_try_at, row_number() OVER (PARTITION BY endpoint_id ORDER BY next_try_at, id) AS place
       FROM webhook_deliveries WHERE status = 'pending' AND next_try_at <= now()
     ) waiting WHERE place <= ${eachMax} ORDER BY place, next_try_at LIMIT ${batchSize}`,
  );
  const limited = pLimit(atOnce);
  await limited.map(due, ({ id }) =>
    sendWebhook(id).catch((error: unknown) => {
      logger.warn({ err: error, deliveryId: id }, "a webhook could not be sent; it is tried again");
    }),
  );
}
