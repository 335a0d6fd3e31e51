import { createHash } from "node:crypto";
import type { Redis } from "ioredis";
import { neighbourhoodOf } from "#shared/kernel/network-of.ts";
import { consume, makeRateLimiter } from "#shared/kernel/rate-limiter.ts";

/**
 * Limits on all ways in together, beside those of each operation by address, which someone with many addresses of one
 * network, or one device in many networks, would evade. A carrier hides thousands of people behind one network.
 */
export const signInsPer10Minutes = { network: 1000, device: 30 } as const;
const seconds = 600;
const tooMany = "Too many logins. Try again later.";

let limits: ReturnType<typeof makeLimits> | undefined = makeLimits();

/** Sets where logins are counted: in Redis for all processes, else in memory; for load tests, nowhere. */
export function configureSignInLimits(options: { enabled: boolean; redis?: Redis }): void {
  limits = options.enabled ? makeLimits(options.redis) : undefined;
}

function makeLimits(redis?: Redis) {
  const make = (name: keyof typeof signInsPer10Minutes) =>
    makeRateLimiter({ keyPrefix: `sign-in:${name}`, points: signInsPer10Minutes[name], duration: seconds }, redis);
  return { network: make("network"), device: make("device") };
}

/**
 * Counts a login before its proof is looked at, by the network and, if the app names it, the device.
 * @throws RATE_LIMITED
 */
export async function countSignIn({ ip, deviceId }: { ip: string; deviceId?: string | undefined }): Promise<void> {
  if (!limits) return;
  if (deviceId !== undefined)
    await consume(limits.device, createHash("sha256").update(deviceId).digest("base64url").slice(0, 22), tooMany);
  await consume(limits.network, neighbourhoodOf(ip), tooMany);
}
