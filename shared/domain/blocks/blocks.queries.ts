import { query, queryOne } from "#shared/db/query.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";

/**
 * Returns whether either of two users has blocked the other. Blocks work both ways, so no rule needs to know who blocked
 * whom. Statements that list users or their content use the SQL function `is_blocked_between(a, b)`.
 */
export async function areBlocked(userId: string, otherId: string): Promise<boolean> {
  const row = await queryOne<{ blocked: boolean }>("SELECT is_blocked_between($1, $2) AS blocked", [userId, otherId]);
  return row?.blocked ?? false;
}

/** Returns of each pair of users whether either has blocked the other, by one statement. */
export async function whichBlocked(pairs: readonly (readonly [string, string])[]): Promise<boolean[]> {
  const rows = await query<{ blocked: boolean }>(
    `SELECT is_blocked_between(a, b) AS blocked
     FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS pair (a, b, place) ORDER BY place`,
    [pairs.map(([a]) => a), pairs.map(([, b]) => b)],
  );
  return rows.map(({ blocked }) => blocked);
}

/** @throws BLOCKED; for places where the two may see each other, such as a room. Elsewhere a block is NOT_FOUND. */
export async function assertNotBlocked(userId: string, otherId: string): Promise<void> {
  if (await areBlocked(userId, otherId)) throw new DomainError("BLOCKED");
}
