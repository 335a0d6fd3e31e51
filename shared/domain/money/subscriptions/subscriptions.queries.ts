import type { Subscription } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";

/** Grace ends by itself; until the provider says more, it asks for the money again. */
const shownStatus = "CASE WHEN status = 'grace' AND grace_until <= now() THEN 'retry' ELSE status END AS status";

export const subscriptionColumns = `id, provider, plan_id, ${shownStatus}, auto_renew, current_period_starts_at,
  current_period_ends_at, grace_until, pending_plan_id, price_consent, created_at`;

/** The subscriptions that are listed for a user at most. */
export const subscriptionsMax = 100;

/** Returns the subscriptions of a user, the latest first. */
export const listSubscriptions = (userId: string): Promise<Subscription[]> =>
  query<Subscription>(
    `SELECT ${subscriptionColumns} FROM subscriptions WHERE user_id = $1 ORDER BY id DESC LIMIT ${subscriptionsMax}`,
    [userId],
  );
