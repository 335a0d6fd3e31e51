import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { NewWebhook, Webhook } from "#shared/contracts/views.ts";
import { countChanges } from "#shared/db/batches.ts";
import { query } from "#shared/db/query.ts";
import { alone, inTransaction, type Tx } from "#shared/db/transaction.ts";
import { problemOfUrl } from "#shared/domain/base/webhooks/post-webhook.ts";
import { DomainError, invalidFields } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { seal } from "#shared/kernel/seal.ts";
import { newSecret } from "#shared/kernel/standard-webhooks.ts";
import { WebhookEndpoint } from "./webhook.model.ts";

/** The maximum number of webhooks that a user has at a time. */
export const webhooksMax = 5;

/** What a webhook's secret is sealed with. */
export const webhookContext = (id: string): string => `webhook ${id}`;

const shown = `id, url, CASE WHEN disabled_at IS NULL THEN 'enabled' ELSE 'disabled' END AS status, failing_since, created_at`;

/** Returns a user's webhooks, the newest first. */
export const listWebhooks = (userId: string): Promise<Webhook[]> =>
  query<Webhook>(`SELECT ${shown} FROM webhook_endpoints WHERE user_id = $1 ORDER BY id DESC`, [userId]);

/**
 * Creates a webhook of the caller. Its secret is in this result and nowhere else.
 * @throws VALIDATION_ERROR for a URL that isn't of the internet, CONFLICT when the caller has 5, UNAUTHENTICATED when
 *   the account is no longer active
 */
export async function createWebhook({ userId }: UserPrincipal, { url }: { readonly url: string }): Promise<NewWebhook> {
  const problem = problemOfUrl(url);
  if (problem) throw invalidFields([{ field: "url", text: problem }]);
  const [id, secret] = [newId(), newSecret()];
  return inTransaction(async (tx) => {
    // Serialises calls of one user, and with a suspension or deletion of the account.
    const active = await tx.query("SELECT 1 FROM users WHERE id = $1 AND status = 'active' FOR NO KEY UPDATE", [
      userId,
    ]);
    if (active.length === 0) throw new DomainError("UNAUTHENTICATED");
    const others = await tx.query("SELECT 1 FROM webhook_endpoints WHERE user_id = $1", [userId]);
    if (others.length >= webhooksMax)
      throw new DomainError("CONFLICT", "You have {{count}} webhooks. Delete one first.", {
        values: { count: webhooksMax },
      });

    const secret_sealed = seal(webhookContext(id), secret);
    const { failing_since, created_at } = await WebhookEndpoint.insert(tx, { id, user_id: userId, url, secret_sealed });
    return { id, url, status: "enabled", failing_since, created_at, secret };
  });
}

/**
 * Enables a disabled webhook of the caller. What was meant for it meanwhile isn't sent, unless it is resent.
 * @throws NOT_FOUND
 */
export async function enableWebhook({ userId }: UserPrincipal, id: string): Promise<Webhook> {
  const [enabled] = await alone<Webhook>(
    `UPDATE webhook_endpoints SET disabled_at = NULL, failing_since = CASE WHEN disabled_at IS NULL THEN failing_since END
     WHERE id = $1 AND user_id = $2 RETURNING ${shown}`,
    [id, userId],
  );
  if (!enabled) throw new DomainError("NOT_FOUND");
  return enabled;
}

/** Deletes a webhook of the caller, with its deliveries. @throws NOT_FOUND */
export async function deleteWebhook({ userId }: UserPrincipal, id: string): Promise<void> {
  const isDeleted = await inTransaction((tx) => WebhookEndpoint.remove(tx, { id, user_id: userId }));
  if (!isDeleted) throw new DomainError("NOT_FOUND");
}

/** Step: deletes a user's webhooks, with their deliveries. */
export const eraseWebhooks = (tx: Tx, userId: string): Promise<number> =>
  countChanges(tx, userId, "DELETE FROM webhook_endpoints WHERE user_id = $1 RETURNING 1");
