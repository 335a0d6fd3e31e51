import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { eventRate } from "#shared/contracts/client-events.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";

const limiter = new RateLimiterMemory({ keyPrefix: "events", points: eventRate.points, duration: eventRate.seconds });

/** @throws RATE_LIMITED */
export async function takeEvent(connectionId: string): Promise<void> {
  try {
    await limiter.consume(connectionId);
  } catch (refused) {
    if (!(refused instanceof RateLimiterRes)) throw refused;
    throw new DomainError("RATE_LIMITED", undefined, { retryAfter: Math.ceil(refused.msBeforeNext / 1000) });
  }
}
