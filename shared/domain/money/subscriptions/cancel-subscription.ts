import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { CanceledSubscription, Subscription } from "#shared/contracts/views.ts";
import { queryOne } from "#shared/db/query.ts";
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
  if (found.status === "expired" || found.status === "revoked")
    throw new DomainError("CONFLICT", "This subscription has ended.");
  const way = cancellations.get(found.provider);
  if (!way) throw new DomainError("ENGINE_UNAVAILABLE", "The payment provider is unreachable.", { retryAfter: 3600 });
  if ("manageUrl" in way) return { manage_url: way.manageUrl };
  if (found.auto_renew) await way.cancel(found.provider_subscription_id);
  return { manage_url: null };
}
