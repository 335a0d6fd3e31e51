import type { VoiceEvidence } from "#shared/contracts/views.ts";
import { type FilteredList, type ListFilter, listFiltered, readFiltered } from "#shared/db/filtered-list.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { speechRate } from "#shared/domain/live/evidence/speech.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { PageQuery } from "#shared/kernel/page.ts";

/** How long a request waits for its approval, and how long the audio can be heard after it. */
export const [requestHours, openHours] = [72, 24];

const status = `CASE
  WHEN v.approved_at > now() - interval '${openHours} hours' THEN 'open'
  WHEN v.approved_at IS NULL AND v.requested_at > now() - interval '${requestHours} hours' THEN 'requested'
  ELSE 'sealed' END`;

const joins = `LEFT JOIN LATERAL (
    SELECT min(p.begun) AS started_at, round(extract(epoch FROM max(p.ended) - min(p.begun)))::integer AS seconds,
      json_agg(json_build_object('user_id', p.user_id, 'seconds', round(p.samples / ${speechRate}.0)::integer)
        ORDER BY p.user_id) AS seats
    FROM (
      SELECT user_id, min(started_at) AS begun, sum(samples) AS samples,
        max(started_at + samples * interval '1 s' / ${speechRate}) AS ended
      FROM voice_evidence_pieces WHERE evidence_id = v.id GROUP BY user_id
    ) p
  ) s ON true
  LEFT JOIN LATERAL (
    SELECT json_agg(r.report_id ORDER BY r.report_id) AS report_ids FROM voice_evidence_reports r
    WHERE r.evidence_id = v.id
  ) r ON true`;

const evidence: FilteredList = {
  columns: `v.id, v.room_id, s.started_at, coalesce(s.seconds, 0) AS seconds, coalesce(s.seats, '[]') AS seats,
    coalesce(r.report_ids, '[]') AS report_ids, ${status} AS status, v.requested_by, v.requested_at, v.reason,
    v.approved_by, v.approved_at, v.created_at, v.expires_at`,
  from: "voice_evidence v",
  id: "v.id",
  joins,
  filters: { status: `${status} = ?`, room_id: "v.room_id = ?" },
  sorts: { created_at: "v.id" },
};

const one = `SELECT ${evidence.columns} FROM voice_evidence v ${joins}`;

/** Returns a page of all evidence of voice. */
export const listVoiceEvidence = (filter: ListFilter, page: PageQuery) =>
  listFiltered<VoiceEvidence>(evidence, filter, page);

/** Yields the same list in batches. */
export const readVoiceEvidence = (filter: ListFilter) => readFiltered<VoiceEvidence>(evidence, filter);

/** @throws NOT_FOUND */
export async function getVoiceEvidence(id: string): Promise<VoiceEvidence> {
  const found = await queryOne<VoiceEvidence>(`${one} WHERE v.id = $1`, [id]);
  if (!found) throw new DomainError("NOT_FOUND");
  return found;
}

/** Returns what a report has sealed. */
export const voiceEvidenceOf = (reportId: string): Promise<VoiceEvidence[]> =>
  query<VoiceEvidence>(
    `${one} WHERE v.id IN (SELECT evidence_id FROM voice_evidence_reports WHERE report_id = $1) ORDER BY v.id`,
    [reportId],
  );
