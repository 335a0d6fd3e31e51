import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { HeldThing, QueuedReview, QueuedReviewDetails, ReviewFigures } from "#shared/contracts/views.ts";
import { type FilteredList, type ListFilter, listFiltered, readFiltered } from "#shared/db/filtered-list.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { userCards } from "#shared/domain/identity/users/user-cards.queries.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { PageQuery } from "#shared/kernel/page.ts";

/** How many open reports a report's target has: `reach` is SQL, and `joined` what that reads besides. */
interface Reach {
  readonly reach: string;
  readonly joined?: string;
}

/** SQL: everything that administrators review: what a rule has held or asks about, and what users have reported. */
const everything = ({ reach, joined = "" }: Reach) => `(
  SELECT h.id, 'content' AS kind, h.place AS about, h.user_id, h.rule_name AS cause, h.harm::integer AS harm,
    (h.status = 'shown')::integer AS reach, h.shadowed, h.status IN ('held', 'shown') AS is_open,
    h.created_at, h.due_at, h.decided_at, h.decided_by
  FROM held_content h WHERE h.status <> 'judging'
  UNION ALL
  SELECT r.id, 'report', r.target_type, r.target_user_id, r.reason, 2,
    CASE WHEN r.status = 'open' THEN ${reach} ELSE 0 END,
    false,
    r.status = 'open',
    r.created_at, r.created_at + interval '24 hours', r.closed_at, r.closed_by
  FROM reports r ${joined}
) v`;

/** For one report. */
const countedAlone: Reach = {
  reach: `(SELECT count(*)::integer FROM reports o
    WHERE o.target_type = r.target_type AND o.target_id = r.target_id AND o.status = 'open')`,
};

/** For many: an order by urgency depends on all of them. */
const countedTogether: Reach = {
  reach: "o.reports",
  joined: `LEFT JOIN (
    SELECT target_type, target_id, count(*)::integer AS reports FROM reports WHERE status = 'open' GROUP BY 1, 2
  ) o ON r.status = 'open' AND o.target_type = r.target_type AND o.target_id = r.target_id`,
};

const columns =
  "v.id, v.kind, v.about, v.user_id, v.cause, v.harm, v.reach, v.shadowed, CASE WHEN v.is_open THEN 'open' ELSE 'closed' END AS status, v.created_at, v.due_at, v.decided_at, v.decided_by";

const queue: FilteredList = {
  columns,
  from: everything(countedTogether),
  id: "v.id",
  filters: {
    // The planner leaves out the other branch, and reads by the index.
    status: "CASE WHEN ?::text = 'open' THEN v.is_open ELSE NOT v.is_open END",
    kind: "v.kind = ?",
    user_id: "v.user_id = ?",
    late: "CASE WHEN ?::text = 'true' THEN v.is_open AND v.due_at < now() END",
  },
  // What is equally urgent: the oldest first, by milliseconds; `numeric` would take longer.
  sorts: {
    due_at: "v.due_at",
    urgency: `((v.harm * 100000 + least(v.reach, 99999))::bigint * 10000000000000
      - (date_part('epoch', v.created_at) * 1000)::bigint)`,
  },
};

/** Returns a page of what is reviewed. */
export const listReviewQueue = (filter: ListFilter, page: PageQuery) => listFiltered<QueuedReview>(queue, filter, page);

/** Yields the same list in batches. */
export const readReviewQueue = (filter: ListFilter) => readFiltered<QueuedReview>(queue, filter);

/** Returns a review with what it is about, and the history of the person. @throws NOT_FOUND */
export async function getQueuedReview(id: string): Promise<QueuedReviewDetails> {
  const found = await queryOne<Omit<QueuedReviewDetails, "user">>(
    `SELECT ${columns}, coalesce(h.text, r.details) AS text, coalesce(h.input, r.evidence, '{}') AS evidence,
       coalesce(h.note, r.note) AS note, h.rule_id, h.rule_version,
       json_build_object(
         'reports', (SELECT count(*) FROM reports o WHERE o.target_user_id = v.user_id),
         'rejected', (SELECT count(*) FROM held_content o WHERE o.user_id = v.user_id AND o.status = 'rejected'),
         'sanctions', (SELECT count(*) FROM sanctions o WHERE o.user_id = v.user_id)
       ) AS history
     FROM ${everything(countedAlone)} LEFT JOIN held_content h ON h.id = v.id LEFT JOIN reports r ON r.id = v.id WHERE v.id = $1`,
    [id],
  );
  if (!found) throw new DomainError("NOT_FOUND");
  const cards = await userCards([found.user_id]);
  return { ...found, user: cards.get(found.user_id)! };
}

/** Returns how reviews went in the last 30 days: how long they took, and how rules and appeals fared. */
export async function reviewFigures(): Promise<ReviewFigures> {
  const [totals] = await query<Omit<ReviewFigures, "rules">>(
    `SELECT count(*) FILTER (WHERE v.is_open) AS open, count(*) FILTER (WHERE v.is_open AND v.due_at < now()) AS late,
       count(*) FILTER (WHERE v.decided_by IS NOT NULL) AS decided,
       round(extract(epoch FROM percentile_cont(0.5) WITHIN GROUP (ORDER BY v.decided_at - v.created_at)
         FILTER (WHERE v.decided_by IS NOT NULL)) / 60)::integer AS median_minutes,
       (SELECT count(*) FROM appeals WHERE decided_at > now() - interval '30 days') AS appeals_decided,
       (SELECT count(*) FROM appeals WHERE decided_at > now() - interval '30 days' AND status = 'overturned') AS appeals_overturned
     FROM ${everything(countedAlone)} WHERE v.created_at > now() - interval '30 days'`,
  );
  const rules = await query<ReviewFigures["rules"][number]>(
    `SELECT rule_name AS name, count(*) AS found, count(*) FILTER (WHERE status = 'rejected') AS rejected,
       count(*) FILTER (WHERE status = 'released') AS released
     FROM held_content WHERE created_at > now() - interval '30 days' GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 100`,
  );
  return { ...totals!, rules };
}

/** The most that an author is shown. */
const shownMax = 100;

/** Returns what a user wrote that is held, or was, the latest first. Without what was shown at once, or is shadowed. */
export const listOwnHeld = ({ userId }: UserPrincipal): Promise<HeldThing[]> =>
  query<HeldThing>(
    `SELECT id, place, target_id, CASE WHEN status = 'judging' THEN 'held' ELSE status END AS status, content_id, text,
       CASE WHEN status = 'rejected' THEN reason END AS reason, created_at, decided_at
     FROM held_content WHERE user_id = $1 AND input IS NOT NULL AND (NOT shadowed OR status = 'released') ORDER BY id DESC LIMIT ${shownMax}`,
    [userId],
  );
