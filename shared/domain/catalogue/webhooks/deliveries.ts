import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { WebhookDelivery } from "#shared/contracts/views.ts";
import { deleteBatch } from "#shared/db/batches.ts";
import { queryPage } from "#shared/db/query-page.ts";
import { queryAnywhere } from "#shared/db/replica.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { clock } from "#shared/kernel/clock.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { Page, PageQuery } from "#shared/kernel/page.ts";
import { webhookJob } from "./send-webhook.ts";
import { WebhookEndpoint } from "./webhook.model.ts";

/** How long deliveries are kept, days. */
export const keptDays = 30;

/**
 * Step: lets the servers of a user hear of something, after the commit. `data` has no secrets, and nothing that people
 * typed: a server reads the rest itself.
 */
export async function queueWebhook(
  tx: Tx,
  userId: string,
  type: WebhookDelivery["type"],
  data: WebhookDelivery["payload"]["data"],
): Promise<void> {
  const body = JSON.stringify({ type, timestamp: new Date(clock.now()).toISOString(), data });
  const queued = await tx.query<{ id: string; is_failing: boolean }>(
    `INSERT INTO webhook_deliveries (id, endpoint_id, type, body, next_try_at)
     SELECT uuidv7(), e.id, $2, $3, now() FROM webhook_endpoints e JOIN users u ON u.id = e.user_id
     WHERE e.user_id = $1 AND e.disabled_at IS NULL AND u.status = 'active'
     RETURNING id, (SELECT failing_since IS NOT NULL FROM webhook_endpoints WHERE id = endpoint_id) AS is_failing`,
    [userId, type, body],
  );
  // A server that doesn't answer is only tried by the job of the minute, so that others don't wait for it.
  for (const { id, is_failing } of queued) if (!is_failing) await tx.enqueue(webhookJob, { delivery_id: id });
}

const shown = `d.id, d.type, d.status, d.tries, d.next_try_at, d.response_status, d.error, d.body::jsonb AS payload,
  d.created_at, d.delivered_at`;

/** Returns a page of the deliveries of a webhook of the user, the newest first. @throws NOT_FOUND */
export async function listDeliveries(
  userId: string,
  webhookId: string,
  page: PageQuery,
): Promise<Page<WebhookDelivery>> {
  const found = await WebhookEndpoint.read({ id: webhookId, user_id: userId }, ["id"]);
  if (!found) throw new DomainError("NOT_FOUND");
  return queryPage<WebhookDelivery>(
    {
      count: "SELECT count(*) FROM webhook_deliveries d WHERE d.endpoint_id = $1",
      rows: `SELECT ${shown} FROM webhook_deliveries d WHERE d.endpoint_id = $1 ORDER BY d.id DESC LIMIT $2 OFFSET $3`,
    },
    [webhookId],
    page,
    queryAnywhere,
  );
}

/**
 * Sends a delivery again, with the same ID: a server that has it already recognises it.
 * @throws NOT_FOUND, CONFLICT when it is pending, or the webhook is disabled
 */
export const resendDelivery = (
  { userId }: UserPrincipal,
  webhookId: string,
  deliveryId: string,
): Promise<WebhookDelivery> =>
  inTransaction(async (tx) => {
    const [found] = await tx.query<{ status: string; is_disabled: boolean }>(
      `SELECT d.status, e.disabled_at IS NOT NULL AS is_disabled
       FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id
       WHERE d.id = $1 AND e.id = $2 AND e.user_id = $3 FOR UPDATE OF d`,
      [deliveryId, webhookId, userId],
    );
    if (!found) throw new DomainError("NOT_FOUND");
    if (found.is_disabled) throw new DomainError("CONFLICT", "This webhook is disabled. Enable it first.");
    if (found.status === "pending") throw new DomainError("CONFLICT", "This delivery is pending.");

    const [resent] = await tx.query<WebhookDelivery>(
      `UPDATE webhook_deliveries d SET status = 'pending', tries = 0, next_try_at = now(), delivered_at = NULL
       WHERE d.id = $1 RETURNING ${shown}`,
      [deliveryId],
    );
    await tx.enqueue(webhookJob, { delivery_id: deliveryId });
    return resent!;
  });

/**
 * Deletes deliveries older than 30 days, and those to endpoints of the operator older than 7, at most `most` of them.
 * Returns how many. A job calls it.
 */
export const pruneDeliveries = (most = 5000): Promise<number> =>
  deleteBatch(
    {
      from: "webhook_deliveries",
      key: "id",
      where: `created_at < now() - interval '7 days' AND status <> 'pending'
        AND (endpoint_id IS NULL OR created_at < now() - interval '${keptDays} days')`,
    },
    most,
  );
