import type { Payout, PayoutStatus } from "#shared/contracts/views.ts";
import { observeCount } from "#shared/db/observe-count.ts";
import { queryOne } from "#shared/db/query.ts";
import { queryPage } from "#shared/db/query-page.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import type { Page, PageQuery } from "#shared/kernel/page.ts";
import { PayoutModel } from "./payout.model.ts";

const shown = [
  ...(["id", "status", "amount", "currency", "fee", "net", "kind", "shown", "reference", "failure"] as const),
  ...(["approved_at", "sent_at", "ended_at", "created_at"] as const),
];
const columns = shown.map((name) => `p.${name}`).join(", ");

/** Returns a payout of the user's. @throws NOT_FOUND */
export async function readPayout(userId: string, id: string): Promise<Payout> {
  const found = await PayoutModel.read({ id, user_id: userId }, shown);
  if (!found) throw new DomainError("NOT_FOUND");
  return found;
}

export interface PayoutFilter extends PageQuery {
  readonly status?: PayoutStatus;
}

const filtered = "FROM payouts p WHERE p.user_id = $1 AND ($2::text IS NULL OR p.status = $2)";
const listed = {
  count: `SELECT count(*) ${filtered}`,
  rows: `SELECT ${columns} ${filtered} ORDER BY p.created_at DESC, p.id DESC LIMIT $3 OFFSET $4`,
};

/** Returns a user's payouts, newest first. */
export const listPayouts = (userId: string, filter: PayoutFilter): Promise<Page<Payout>> =>
  queryPage<Payout>(listed, [userId, filter.status ?? null], filter);

/** After how many hours a payout that isn't over counts as stuck. */
export const stuckAfterHours = 24;

const stuck = `SELECT count(*) AS n FROM (
  SELECT id FROM payouts WHERE flag IS NOT NULL
  UNION SELECT id FROM payouts WHERE status IN ('requested', 'approved', 'sent')
    AND created_at < now() - ${stuckAfterHours} * interval '1 hour' LIMIT 1000) AS stuck`;

/** Counts the payouts that an administrator has to look at: flagged ones, and those that wait for too long. */
export const countStuckPayouts = async (): Promise<number> => (await queryOne<{ n: number }>(stuck))!.n;

/** Counts them for the metrics. */
export const observePayouts = (): Promise<void> => observeCount(metrics.stuckPayouts, stuck);
