/** How hosts are measured, as parts of statements: by runs, and until then by what hosts see of the period. */

/** SQL: the entries of earnings that count: for gifts, less what refunds took back. */
export const counted = "e.asset = 'earnings' AND e.type IN ('gift_received', 'gift_share', 'gift_refund')";

/**
 * SQL: common table expressions of the seconds on seats by day, and of all of them with the days that count. They read
 * `covered`: whom (`host_id`), by `id`, `since` when and `until` when. `$2`, `$3`: period; `$4`: zone.
 */
export const satDays = `days AS (
    SELECT v.id, d.day, v.day_minutes, sum(extract(epoch FROM
        least(s.ended_at, v.until, (d.day + 1)::timestamp AT TIME ZONE $4)
        - greatest(s.started_at, v.since, d.day::timestamp AT TIME ZONE $4))) AS seconds
    FROM seat_sessions s JOIN covered v ON v.host_id = s.user_id AND s.ended_at > v.since AND s.started_at < v.until
      CROSS JOIN LATERAL (SELECT g::date AS day FROM generate_series(
        (greatest(s.started_at, v.since) AT TIME ZONE $4)::date::timestamp,
        ((least(s.ended_at, v.until) - interval '1 microsecond') AT TIME ZONE $4)::date::timestamp, interval '1 day') AS g) AS d
    WHERE s.ended_at > $2 AND s.started_at < $3 GROUP BY v.id, d.day, v.day_minutes
  ), sat AS (
    SELECT id, floor(sum(seconds))::bigint AS seconds, count(*) FILTER (WHERE seconds >= day_minutes * 60)::int AS days
    FROM days GROUP BY id
  ),`;

/** SQL: the `weight` of the targets that `m` has met. */
export const weighed = `CROSS JOIN LATERAL (SELECT CASE WHEN m.targets = '[]' THEN 100 ELSE (
      SELECT coalesce(sum((t ->> 'weight')::int), 0)::int FROM jsonb_array_elements(m.targets) AS t
      WHERE CASE t ->> 'metric' WHEN 'seat_seconds' THEN m.seconds WHEN 'seat_days' THEN m.seat_days ELSE m.earnings END
        >= (t ->> 'threshold')::bigint) END AS weight) AS w`;

/** SQL: the highest `level` that the earnings of `m` have reached. */
export const reachedLevel = `LEFT JOIN LATERAL (SELECT level FROM jsonb_array_elements(m.levels) AS level
      WHERE (level ->> 'earnings')::bigint <= m.earnings ORDER BY (level ->> 'earnings')::bigint DESC LIMIT 1) AS l ON true`;
