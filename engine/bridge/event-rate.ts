import { connectionsMax, eventRate } from "#shared/contracts/client-events.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { makeRateLimiter, take } from "#shared/kernel/rate-limiter.ts";
import { engine } from "../engine.ts";

const events = makeRateLimiter({ keyPrefix: "events", points: eventRate.points, duration: eventRate.seconds });

/** Before somebody is connected. @throws RATE_LIMITED when he has too many connections, or connects too often */
export async function mustAdmit(userId: string): Promise<void> {
  if (engine().rateLimits) await takeEvent(`connect ${userId}`);
  mustHaveFew(userId);
}

/** When somebody is connected. @throws RATE_LIMITED when he has too many connections to this process */
export function mustHaveFew(userId: string): void {
  if (engine().fanout.connectionsOf(userId) >= connectionsMax)
    throw new DomainError("RATE_LIMITED", `You have ${connectionsMax} connections; close one first.`, {
      retryAfter: 1,
    });
}

/** @throws RATE_LIMITED */
export const takeEvent = (connectionId: string) => take(events, connectionId);
