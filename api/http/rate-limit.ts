import type { Redis } from "ioredis";
import { networkOf } from "#shared/kernel/network-of.ts";
import { makeRateLimiter, type RateLimiter, take } from "#shared/kernel/rate-limiter.ts";
import type { RateLimit, Route, RouteEntry } from "./route.ts";

const defaults: Record<Route["auth"], RateLimit> = {
  anyone: { points: 120, seconds: 60, by: "ip" },
  user: { points: 600, seconds: 60, by: "user" },
};

/** The limit that counts for a route. */
export const rateLimitOf = (route: RouteEntry): RateLimit => route.rateLimit ?? defaults[route.auth];

/** Counts calls, see `makeRateLimiter`. */
export interface RateLimits {
  /** @throws RATE_LIMITED with the seconds to wait. */
  take(route: RouteEntry, who: { readonly ip: string; readonly userId?: string }): Promise<void>;
}

export function makeRateLimits(options: { enabled: boolean; redis?: Redis }): RateLimits {
  const limiters = new Map<string, RateLimiter>();

  function limiterOf(route: RouteEntry): { limiter: RateLimiter; by: RateLimit["by"] } {
    const { points, seconds, by } = rateLimitOf(route);
    const keyPrefix = route.rateLimit ? `rl:${route.method}:${route.path}` : `rl:${route.auth}`;
    let limiter = limiters.get(keyPrefix);
    if (!limiter) {
      limiter = makeRateLimiter({ keyPrefix, points, duration: seconds }, options.redis);
      limiters.set(keyPrefix, limiter);
    }
    return { limiter, by };
  }

  return {
    take: async (route, who) => {
      if (!options.enabled) return;
      const { limiter, by } = limiterOf(route);
      await take(limiter, (by === "user" && who.userId) || networkOf(who.ip));
    },
  };
}
