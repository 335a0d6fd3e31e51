import { googlePlay } from "./google.config.ts";
import { lookAtSubscription } from "./look-at-subscription.ts";

/**
 * Stops a subscription at Google from renewing, unless it doesn't any more, and records what Google says of it then.
 * `token` is Google's ID of it.
 * @throws ENGINE_UNAVAILABLE, NOT_FOUND (Google Play isn't configured)
 */
export async function cancelAtGoogle(token: string): Promise<void> {
  await googlePlay().client.cancel(token);
  await lookAtSubscription(token);
}
