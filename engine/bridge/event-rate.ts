import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { DomainError } from "#shared/kernel/domain-error.ts";

/** Events of one connection: 20 a second, with room for a burst. */
const limiter = new RateLimiterMemory({ keyPrefix: "events", points: 60, duration: 3 });

/** @throws RATE_LIMITED */
export async function takeEvent(connectionId: string): Promise<void> {
  try {
    await limiter.consume(connectionId);
  } catch (refused) {
    if (!(refused instanceof RateLimiterRes)) throw refused;
    throw new DomainError("RATE_LIMITED", undefined, { retryAfter: Math.ceil(refused.msBeforeNext / 1000) });
  }
}
