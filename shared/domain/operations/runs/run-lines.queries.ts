import type { RunLine } from "#shared/contracts/views.ts";
import { type PagedStatement, queryPage } from "#shared/db/query-page.ts";
import { userCardJson } from "#shared/domain/identity/users/user-cards.queries.ts";
import { accessAgency } from "#shared/domain/money/agencies/agencies.policy.ts";
import { agencyJson } from "#shared/domain/money/agencies/agencies.queries.ts";
import type { Page, PageQuery } from "#shared/kernel/page.ts";

/** What is approved is certain; before, a line can still change or be deleted. */
const linesOf = (where: string): PagedStatement => {
  const from = `run_lines l JOIN runs r ON r.id = l.run_id WHERE ${where} AND r.status IN ('approved', 'paid')`;
  return {
    count: `SELECT count(*) FROM ${from}`,
    rows: `SELECT l.id, json_build_object('id', r.id, 'period', r.period, 'starts_on', r.starts_on, 'time_zone', r.time_zone) AS run,
        ${agencyJson}, ${userCardJson} AS host, l.earnings, l.seat_seconds, l.seat_days, l.weight, l.level, l.salary,
        l.commission, l.how, l.paid_at
      FROM (SELECT l.*, r.starts_at FROM ${from} ORDER BY r.starts_at DESC, l.id LIMIT $2 OFFSET $3) l
        JOIN runs r ON r.id = l.run_id JOIN agencies a ON a.id = l.agency_id JOIN users u ON u.id = l.host_id
      ORDER BY l.starts_at DESC, l.id`,
  };
};
const ofHost = linesOf("l.host_id = $1");
const ofAgency = linesOf("l.agency_id = $1");

async function listLines(statement: PagedStatement, of: string, page: PageQuery): Promise<Page<RunLine>> {
  const found = await queryPage<RunLine>(statement, [of], page);
  return { ...found, items: found.items.map((line) => ({ ...line, how: shown(line.how) })) };
}

/** Returns the lines of a host, the newest period first. */
export const listOwnRunLines = (userId: string, page: PageQuery): Promise<Page<RunLine>> =>
  listLines(ofHost, userId, page);

/** Returns the lines of an agency, the newest period first. @throws NOT_FOUND */
export async function listAgencyRunLines(userId: string, agencyId: string, page: PageQuery): Promise<Page<RunLine>> {
  await accessAgency(userId, agencyId, "staff");
  return listLines(ofAgency, agencyId, page);
}

/** Times in JSON are PostgreSQL's; the plan's ID and version are for administrators. */
function shown({ since, until, day_minutes, targets, level, basis_points, corrections }: RunLine["how"]) {
  const iso = (time: string) => new Date(time).toISOString();
  const computed = { day_minutes, targets, level, basis_points, corrections: corrections ?? null };
  return { since: iso(since), until: iso(until), ...computed };
}
