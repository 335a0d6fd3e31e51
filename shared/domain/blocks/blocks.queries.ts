import { queryOne } from "#shared/db/query.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";

/**
 * Has either of the two blocked the other? Blocks hold both ways, so nothing else is ever asked; statements that list
 * people, or what people made, ask the same with the SQL function `is_blocked_between(a, b)`.
 */
export async function areBlocked(userId: string, otherId: string): Promise<boolean> {
  const row = await queryOne<{ blocked: boolean }>("SELECT is_blocked_between($1, $2) AS blocked", [userId, otherId]);
  return row?.blocked ?? false;
}

/** @throws BLOCKED, where the two may know of each other (a room, a friend's message); elsewhere it is NOT_FOUND */
export async function mustNotBeBlocked(userId: string, otherId: string): Promise<void> {
  if (await areBlocked(userId, otherId)) throw new DomainError("BLOCKED");
}
