import type { Redis } from "ioredis";
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { networkOf } from "#shared/kernel/network-of.ts";
import type { RateLimit, Route, RouteEntry } from "./route.ts";

const defaults: Record<Route["auth"], RateLimit> = {
  anyone: { points: 120, seconds: 60, by: "ip" },
  user: { points: 600, seconds: 60, by: "user" },
};

/** The limit that counts for a route. */
export const rateLimitOf = (route: RouteEntry): RateLimit => route.rateLimit ?? defaults[route.auth];

/** Counts calls in memory, or in Redis for all processes together; when Redis is away, in memory again. */
export interface RateLimits {
  /** @throws RATE_LIMITED with the seconds to wait. */
  take(route: RouteEntry, who: { readonly ip: string; readonly userId?: string }): Promise<void>;
}

export function makeRateLimits(options: { enabled: boolean; redis?: Redis }): RateLimits {
  const limiters = new Map<string, RateLimiterMemory | RateLimiterRedis>();

  function limiterOf(route: RouteEntry): { limiter: RateLimiterMemory | RateLimiterRedis; by: RateLimit["by"] } {
    const { points, seconds, by } = rateLimitOf(route);
    const keyPrefix = route.rateLimit ? `rl:${route.method}:${route.path}` : `rl:${route.auth}`;
    let limiter = limiters.get(keyPrefix);
    if (!limiter) {
      const settings = { keyPrefix, points, duration: seconds };
      const memory = new RateLimiterMemory(settings);
      limiter = options.redis
        ? new RateLimiterRedis({ ...settings, storeClient: options.redis, insuranceLimiter: memory })
        : memory;
      limiters.set(keyPrefix, limiter);
    }
    return { limiter, by };
  }

  return {
    take: async (route, who) => {
      if (!options.enabled) return;
      const { limiter, by } = limiterOf(route);
      try {
        await limiter.consume((by === "user" && who.userId) || networkOf(who.ip));
      } catch (refused) {
        if (!(refused instanceof RateLimiterRes)) throw refused;
        throw new DomainError("RATE_LIMITED", undefined, { retryAfter: Math.ceil(refused.msBeforeNext / 1000) });
      }
    },
  };
}
