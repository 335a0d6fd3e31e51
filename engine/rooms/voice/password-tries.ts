import { verifyPassword } from "#shared/domain/identity/accounts/password.ts";
import { consume, makeRateLimiter } from "#shared/kernel/rate-limiter.ts";
import { engine } from "../../engine.ts";

/**
 * Wrong passwords that one person may try in a minute, over all rooms: each costs as much as a login, and the password
 * of a room is often short.
 */
const tries = makeRateLimiter({ keyPrefix: "room-password", points: 10, duration: 60 });

/**
 * Returns whether this is the room's password. Counts before it checks, so that concurrent attempts stay in the limit.
 * @throws RATE_LIMITED
 */
export async function tryPassword(userId: string, passwordHash: string, password: string): Promise<boolean> {
  if (!engine().rateLimits) return verifyPassword("other", passwordHash, password);
  await consume(tries, userId);
  const matches = await verifyPassword("other", passwordHash, password);
  if (matches) await tries.reward(userId);
  return matches;
}
