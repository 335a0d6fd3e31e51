import type { Redis } from "ioredis";
import { type Principal, type ServerKey, serverKeyOf } from "#shared/contracts/principal.ts";
import type { ErrorCode } from "#shared/kernel/error-codes.ts";
import { networkOf } from "#shared/kernel/network-of.ts";
import { consume, makeRateLimiter, type RateLimiter } from "#shared/kernel/rate-limiter.ts";
import type { Api } from "./api.ts";
import { type Connected, callerAddress } from "./caller-address.ts";
import type { RateLimit, RouteEntry } from "./route.ts";

/** Returns the limit that counts for a route of an API. */
export const rateLimitOf = ({ rateLimits }: Pick<Api, "rateLimits">, route: RouteEntry): RateLimit =>
  route.rateLimit ?? rateLimits.defaults[route.auth === "anyone" ? "anyone" : "caller"];

/** The limit of a route, at work. */
export interface CallLimit {
  /** See `RateLimit`. */
  readonly only: ErrorCode | undefined;
  /** Counts a call. @throws RATE_LIMITED with the seconds to wait */
  readonly count: (req: Connected, caller: Principal | null) => Promise<unknown>;
}

/** Counts calls, see `makeRateLimiter`. */
export interface RateLimits {
  /** Returns the same limit for the same route, so that an HTML form can share the limit of its operation. */
  readonly of: (api: Pick<Api, "basePath" | "rateLimits">, route: RouteEntry) => CallLimit;
}

export function makeRateLimits(options: { enabled: boolean; redis?: Redis }): RateLimits {
  const limits = new Map<string, CallLimit>();
  const keyLimiters = new Map<number, RateLimiter>();

  /** Counts a call by a server key, whose own limit stands for that of all callers. */
  async function countKey({ id, callsPerMinute: points }: ServerKey): Promise<void> {
    const keyPrefix = `rl:server-key:${points}`;
    const limiter = keyLimiters.get(points) ?? makeRateLimiter({ keyPrefix, points, duration: 60 }, options.redis);
    keyLimiters.set(points, limiter);
    await consume(limiter, id);
  }

  function makeLimit(
    keyPrefix: string,
    { points, seconds, by, only }: RateLimit,
    { rateLimits }: Pick<Api, "rateLimits">,
    isDefault: boolean,
  ) {
    if (!options.enabled) return { only, count: async () => {} };
    const limiter = makeRateLimiter({ keyPrefix, points, duration: seconds }, options.redis);
    // To find the address those of all proxies are read: only where it is counted by.
    const count: CallLimit["count"] = async (req, caller) => {
      const key = serverKeyOf(caller);
      if (key) await countKey(key);
      if (key && isDefault) return;
      await consume(limiter, by !== "ip" && caller ? rateLimits.keyOf(caller) : networkOf(callerAddress(req)));
    };
    return { only, count };
  }

  return {
    of: (api, route) => {
      const own = route.rateLimit ? `${route.method}:${route.path}` : route.auth;
      const keyPrefix = `rl:${api.basePath}:${own}`;
      const limit = limits.get(keyPrefix) ?? makeLimit(keyPrefix, rateLimitOf(api, route), api, !route.rateLimit);
      limits.set(keyPrefix, limit);
      return limit;
    },
  };
}
