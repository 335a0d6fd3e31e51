import { verifyPassword } from "#shared/domain/accounts/password.ts";
import { consume, makeRateLimiter } from "#shared/kernel/rate-limiter.ts";
import { engine } from "../../engine.ts";

/**
 * Wrong passwords that one person may try in a minute, in whichever rooms: each costs what a login costs, and the password
 * of a room is often short.
 */
const tries = makeRateLimiter({ keyPrefix: "room-password", points: 10, duration: 60 });

/**
 * Whether this is the room's password. An attempt is counted before it is checked, so that concurrent attempts don't exceed the limit.
 * @throws RATE_LIMITED
 */
export async function tryPassword(userId: string, passwordHash: string, password: string): Promise<boolean> {
  if (!engine().rateLimits) return verifyPassword("other", passwordHash, password);
  await consume(tries, userId);
  const matches = await verifyPassword("other", passwordHash, password);
  if (matches) await tries.reward(userId);
  return matches;
}
