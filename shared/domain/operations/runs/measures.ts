/** How hosts are measured, as parts of statements: by runs, and until then by what hosts see of the period. */

/** SQL: the entries of earnings that count: for gifts, less what refunds took back. */
export const counted = "e.asset = 'earnings' AND e.type IN ('gift_received', 'gift_share', 'gift_refund')";

/**
 * SQL: a common table expression `sat` of the seconds on seats, and of the days that count. It reads `covered`: whom
 * (`host_id`), by `id`, `since` when and `until` when. Each host's sessions are added up by themselves: those of all
 * have too many days to add up in memory. A series in the list of columns isn't stored for each session. `$4`: zone;
 * `more`: further columns, by each `day` of `d`.
 */
export const satDays = (more = ""): string => `sat AS (
    SELECT v.id, floor(sum(d.seconds))::bigint AS seconds, count(*) FILTER (WHERE d.seconds >= v.day_minutes * 60)::int AS days${more}
    FROM covered v CROSS JOIN LATERAL (
      SELECT g::date AS day, extract(epoch FROM sum(least(ended_at, v.until, (g::date + 1)::timestamp AT TIME ZONE $4)
        - greatest(started_at, v.since, g AT TIME ZONE $4))) AS seconds
      FROM (
        SELECT started_at, ended_at, generate_series((greatest(started_at, v.since) AT TIME ZONE $4)::date::timestamp,
          ((least(ended_at, v.until) - interval '1 microsecond') AT TIME ZONE $4)::date::timestamp, interval '1 day') AS g
        FROM seat_sessions WHERE user_id = v.host_id AND ended_at > v.since AND started_at < v.until
      ) AS s GROUP BY g
    ) AS d GROUP BY v.id, v.day_minutes
  ),`;

/** SQL: the `weight` of the targets that `m` has met. */
export const weighed = `CROSS JOIN LATERAL (SELECT CASE WHEN m.targets = '[]' THEN 100 ELSE (
      SELECT coalesce(sum((t ->> 'weight')::int), 0)::int FROM jsonb_array_elements(m.targets) AS t
      WHERE CASE t ->> 'metric' WHEN 'seat_seconds' THEN m.seconds WHEN 'seat_days' THEN m.seat_days ELSE m.earnings END
        >= (t ->> 'threshold')::bigint) END AS weight OFFSET 0) AS w`;

/** SQL: the highest `level` that the earnings of `m` have reached. */
export const reachedLevel = `LEFT JOIN LATERAL (SELECT level FROM jsonb_array_elements(m.levels) AS level
      WHERE (level ->> 'earnings')::bigint <= m.earnings ORDER BY (level ->> 'earnings')::bigint DESC LIMIT 1) AS l ON true`;
