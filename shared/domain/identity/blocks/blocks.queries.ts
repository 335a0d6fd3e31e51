import { type BlockRuleName, blockRules } from "#shared/contracts/block-rules.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";

/** The blocks between a caller and another user. */
export interface Blocks {
  /** The other user has blocked the caller. */
  readonly blocked: boolean;
  /** The caller has blocked the other user. */
  readonly blocker: boolean;
}

/**
 * SQL: whether either of two users, given by expressions, has blocked the other. For statements that judge many pairs
 * under load: PostgreSQL can't inline the function `is_blocked_between`, whose call takes several times as long. With
 * EXISTS, it may read all blocks into a hash table.
 */
export const blockedBetween = (a: string, b: string): string =>
  `coalesce((SELECT true FROM user_blocks WHERE blocker_id = ${a} AND blocked_id = ${b}),
    (SELECT true FROM user_blocks WHERE blocker_id = ${b} AND blocked_id = ${a}), false)`;

/**
 * Returns whether either of two users has blocked the other. Statements that list users or their content use the SQL
 * function `is_blocked_between(a, b)`.
 */
export async function areBlocked(userId: string, otherId: string): Promise<boolean> {
  const row = await queryOne<{ blocked: boolean }>("SELECT is_blocked_between($1, $2) AS blocked", [userId, otherId]);
  return row?.blocked ?? false;
}

/** Returns for each pair of users whether either has blocked the other, in one statement. */
export async function whichBlocked(pairs: readonly (readonly [string, string])[]): Promise<boolean[]> {
  const rows = await query<{ blocked: boolean }>(
    `SELECT is_blocked_between(a, b) AS blocked
     FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS pair (a, b, place) ORDER BY place`,
    [pairs.map(([a]) => a), pairs.map(([, b]) => b)],
  );
  return rows.map(({ blocked }) => blocked);
}

/** Returns what the rule tells the caller. `absent` makes the error for what doesn't exist, which must not differ. */
export function blockError(
  rule: BlockRuleName,
  { blocked, blocker }: Blocks,
  absent: () => DomainError = () => new DomainError("NOT_FOUND"),
): DomainError | undefined {
  const outcome = blocked ? blockRules[rule].blocked : blocker ? blockRules[rule].blocker : "ok";
  if (outcome === "NOT_FOUND") return absent();
  return outcome === "ok" ? undefined : new DomainError(outcome);
}

/** Throws what the rule tells the caller. @throws the rule's error code */
export function tellBlocks(rule: BlockRuleName, blocks: Blocks, absent?: () => DomainError): void {
  const error = blockError(rule, blocks, absent);
  if (error) throw error;
}

/** The same for two users. */
export async function assertNotBlocked(
  rule: BlockRuleName,
  callerId: string,
  otherId: string,
  absent?: () => DomainError,
): Promise<void> {
  const blocks = await queryOne<Blocks>(
    `SELECT EXISTS (SELECT 1 FROM user_blocks WHERE blocker_id = $2 AND blocked_id = $1) AS blocked,
       EXISTS (SELECT 1 FROM user_blocks WHERE blocker_id = $1 AND blocked_id = $2) AS blocker`,
    [callerId, otherId],
  );
  if (blocks) tellBlocks(rule, blocks, absent);
}
