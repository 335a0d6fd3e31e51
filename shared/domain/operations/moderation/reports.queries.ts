import type { ManagedReport, ManagedReportDetails } from "#shared/contracts/views.ts";
import { type FilteredList, type ListFilter, listFiltered, readFiltered } from "#shared/db/filtered-list.ts";
import { queryOne } from "#shared/db/query.ts";
import { userCards } from "#shared/domain/identity/users/user-cards.queries.ts";
import { voiceEvidenceOf } from "#shared/domain/operations/voice-evidence/voice-evidence.queries.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { PageQuery } from "#shared/kernel/page.ts";

/** An expired claim doesn't count. */
const live = "r.claimed_until > now()";

const columns = `r.id, r.target_type, r.target_id, r.target_user_id, r.reporter_id, r.reason, r.status, r.action,
  CASE WHEN ${live} THEN r.claimed_by END AS claimed_by, CASE WHEN ${live} THEN r.claimed_until END AS claimed_until,
  r.created_at, r.closed_at, r.closed_by`;

const reports: FilteredList = {
  columns,
  from: "reports r",
  id: "r.id",
  filters: {
    status: "r.status = ?",
    target_type: "r.target_type = ?",
    target_id: "r.target_id = ?",
    target_user_id: "r.target_user_id = ?",
    reporter_id: "r.reporter_id = ?",
    claimed_by: `r.claimed_by = ? AND ${live}`,
  },
  time: "r.created_at",
  sorts: { created_at: "r.id" },
};

/** Returns a page of all reports. */
export const listReports = (filter: ListFilter, page: PageQuery) => listFiltered<ManagedReport>(reports, filter, page);

/** Yields the same list in batches. */
export const readReports = (filter: ListFilter) => readFiltered<ManagedReport>(reports, filter);

/** @throws NOT_FOUND */
export async function getManagedReport(id: string): Promise<ManagedReport> {
  const found = await queryOne<ManagedReport>(`SELECT ${columns} FROM reports r WHERE r.id = $1`, [id]);
  if (!found) throw new DomainError("NOT_FOUND");
  return found;
}

type DetailsRow = Omit<ManagedReportDetails, "reporter" | "target_user" | "voice_evidence">;

/** Returns a report with its evidence as it was when it was filed. @throws NOT_FOUND */
export async function getReportDetails(id: string): Promise<ManagedReportDetails> {
  const found = await queryOne<DetailsRow>(
    `SELECT ${columns}, r.details, r.note, r.evidence,
       (SELECT count(*) FROM reports o
        WHERE o.target_type = r.target_type AND o.target_id = r.target_id AND o.status = 'open') AS open_reports_of_target,
       (SELECT count(*) FROM reports o WHERE o.target_user_id = r.target_user_id) AS reports_against_user
     FROM reports r WHERE r.id = $1`,
    [id],
  );
  if (!found) throw new DomainError("NOT_FOUND");
  const cards = await userCards([found.reporter_id, found.target_user_id]);
  const [reporter, target_user] = [cards.get(found.reporter_id)!, cards.get(found.target_user_id)!];
  return { ...found, reporter, target_user, voice_evidence: await voiceEvidenceOf(id) };
}
