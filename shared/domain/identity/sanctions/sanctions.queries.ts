import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Sanction } from "#shared/contracts/views.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";

/** SQL: whether the sanction `s` holds. */
export const sanctionStatus = `CASE WHEN s.lifted_at IS NOT NULL THEN 'lifted'
  WHEN s.until <= now() THEN 'ended' ELSE 'active' END`;

/** SQL: a time in a JSON value, in ISO 8601. */
export const jsonTime = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const columns = `s.id, s.kinds, s.until, s.reason, s.covers, ${sanctionStatus} AS status, s.created_at, s.lifted_at, s.acknowledged_at,
  CASE WHEN s.rule_id IS NOT NULL THEN 'rule' WHEN s.report_id IS NOT NULL THEN 'report' ELSE 'review' END AS cause,
  CASE WHEN a.id IS NOT NULL THEN json_build_object('id', a.id, 'text', a.text, 'status', a.status,
    'answer', a.answer, 'created_at', ${jsonTime("a.created_at")}, 'decided_at', ${jsonTime("a.decided_at")}) END AS appeal`;
const from = "FROM sanctions s LEFT JOIN appeals a ON a.sanction_id = s.id";

/** The most sanctions that a user is shown. */
const shownMax = 100;

/** Returns a user's sanctions, the latest first. */
export const listOwnSanctions = ({ userId }: UserPrincipal): Promise<Sanction[]> =>
  query<Sanction>(`SELECT ${columns} ${from} WHERE s.user_id = $1 ORDER BY s.id DESC LIMIT ${shownMax}`, [userId]);

/** Returns a sanction as its user sees it. @throws NOT_FOUND */
export async function getSanction(id: string, userId?: string): Promise<Sanction> {
  const row = await queryOne<Sanction>(
    `SELECT ${columns} ${from} WHERE s.id = $1 AND s.user_id = coalesce($2, s.user_id)`,
    [id, userId ?? null],
  );
  if (!row) throw new DomainError("NOT_FOUND");
  return row;
}
