import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { CanceledSubscription, Subscription } from "#shared/contracts/views.ts";
import { defineJob } from "#shared/db/jobs.ts";
import { queryOne } from "#shared/db/query.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { subscriptionColumns } from "./subscriptions.queries.ts";

/** How a subscription ends: its provider ends it with the period, or its user does at this address. */
type Cancellation =
  | { readonly cancel: (providerSubscriptionId: string) => Promise<void> }
  | { readonly manageUrl: string };

const cancellations = new Map<Subscription["provider"], Cancellation>([
  ["apple", { manageUrl: "https://apps.apple.com/account/subscriptions" }],
]);

/** Sets how the subscriptions of a provider end; called at the start. */
export function configureCancellation(provider: Subscription["provider"], cancellation: Cancellation): void {
  cancellations.set(provider, cancellation);
}

/** Cancels the subscription of an erased account. */
export const endRenewalJob = defineJob<{ subscription_id: string }>("subscriptions.end", {
  retries: 30,
  retryMaxSeconds: 3600,
  timeoutSeconds: 60,
});

const hasEnded = (status: Subscription["status"]): boolean => status === "expired" || status === "revoked";

/**
 * Cancels a subscription of the caller at the end of its period, where its provider lets us: the provider's report
 * changes its status. Stores only let their users do that.
 * @throws NOT_FOUND, CONFLICT (it has ended), ENGINE_UNAVAILABLE
 */
export async function cancelSubscription({ userId }: UserPrincipal, id: string): Promise<CanceledSubscription> {
  const found = await queryOne<Subscription & { provider_subscription_id: string }>(
    `SELECT ${subscriptionColumns}, provider_subscription_id FROM subscriptions WHERE id = $1 AND user_id = $2`,
    [id, userId],
  );
  if (!found) throw new DomainError("NOT_FOUND");
  if (hasEnded(found.status)) throw new DomainError("CONFLICT", "This subscription has ended.");
  const way = cancellations.get(found.provider);
  if (!way) throw new DomainError("ENGINE_UNAVAILABLE", "The payment provider is unreachable.", { retryAfter: 3600 });
  if ("manageUrl" in way) return { manage_url: way.manageUrl };
  if (found.auto_renew) await way.cancel(found.provider_subscription_id);
  return { manage_url: null };
}

/** Step: has what a user still pays for canceled after the commit, where its provider lets us. */
export async function endRenewals(tx: Tx, userId: string): Promise<void> {
  const renewing = await tx.query<{ id: string }>("SELECT id FROM subscriptions WHERE user_id = $1 AND auto_renew", [
    userId,
  ]);
  for (const { id } of renewing) await tx.enqueue(endRenewalJob, { subscription_id: id });
}

/** Handles `endRenewalJob`. Canceling twice does no harm. @throws Error when the provider can't be reached now */
export async function endRenewal(id: string): Promise<void> {
  const found = await queryOne<Pick<Subscription, "provider" | "status" | "auto_renew"> & { at: string }>(
    "SELECT provider, status, auto_renew, provider_subscription_id AS at FROM subscriptions WHERE id = $1",
    [id],
  );
  const way = found && cancellations.get(found.provider);
  if (way && "cancel" in way && found.auto_renew && !hasEnded(found.status)) await way.cancel(found.at);
}
