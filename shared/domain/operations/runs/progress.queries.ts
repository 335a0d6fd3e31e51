import type { Contract, HostProgress, Level, Target } from "#shared/contracts/views.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { holdsNow } from "#shared/domain/money/agencies/agencies.policy.ts";
import { contractView, getAgency, listHosts } from "#shared/domain/money/agencies/agencies.queries.ts";
import type { Page, PageQuery } from "#shared/kernel/page.ts";
import { counted, reachedLevel, satDays, weighed } from "./measures.ts";

interface Bounds extends Pick<HostProgress, "period" | "time_zone" | "starts_at" | "ends_at"> {
  /** A date of the zone. */
  readonly today: string;
}

interface Row {
  readonly id: string;
  readonly earnings: number;
  readonly seconds: number;
  readonly seat_days: number;
  readonly earned_today: number;
  readonly seconds_today: number;
  readonly weight: number;
  readonly level: Level | null;
  readonly levels: readonly Level[];
  readonly targets: readonly Omit<Target, "reached">[];
  readonly day_minutes: number;
}

/**
 * Measures as a run does, but by each wallet's newest entries, because there are few wallets.
 * `$1`: IDs; `$2`, `$3`: period; `$4`: zone; `$5`: today.
 */
const measuredOf = (covered: string): string => `
  WITH covered AS MATERIALIZED (${covered}), earned AS (
    SELECT v.id, sum(e.amount)::bigint AS earnings,
      sum(e.amount) FILTER (WHERE e.created_at >= $5::date::timestamp AT TIME ZONE $4)::bigint AS today
    FROM covered v JOIN ledger_entries e ON e.user_id = v.host_id
    WHERE ${counted} AND e.created_at >= v.since AND e.entry_no > coalesce((
      SELECT b.entry_no FROM ledger_entries b WHERE b.user_id = v.host_id AND b.asset = 'earnings'
        AND b.created_at < v.since ORDER BY b.entry_no DESC LIMIT 1), 0) GROUP BY v.id
  ), ${satDays(", floor(sum(d.seconds) FILTER (WHERE d.day = $5::date))::bigint AS today")}
  m AS (
    SELECT v.*, coalesce(e.earnings, 0) AS earnings, coalesce(e.today, 0) AS earned_today, coalesce(s.seconds, 0) AS seconds,
      coalesce(s.days, 0) AS seat_days,
      coalesce(s.today, 0) AS seconds_today
    FROM covered v LEFT JOIN earned e USING (id) LEFT JOIN sat s USING (id)
  )
  SELECT m.*, w.weight, l.level FROM m ${weighed} ${reachedLevel}`;

const ofContracts = measuredOf(`
  SELECT c.id, c.host_id, greatest(c.starts_at, $2::timestamptz) AS since, least(c.ends_at, $3::timestamptz) AS until,
    coalesce(p.day_minutes, 0) AS day_minutes, coalesce(p.targets, '[]') AS targets, coalesce(p.levels, '[]') AS levels
  FROM contracts c JOIN agencies a ON a.id = c.agency_id LEFT JOIN agency_plans p ON p.id = a.plan_id
  WHERE c.id = ANY ($1::uuid[])`);
const ofUsers = measuredOf(`
  SELECT id, id AS host_id, $2::timestamptz AS since, $3::timestamptz AS until, 0 AS day_minutes, '[]'::jsonb AS targets,
    '[]'::jsonb AS levels
  FROM unnest($1::uuid[]) AS id`);

const measure = (statement: string, ids: readonly string[], { starts_at, ends_at, time_zone, today }: Bounds) =>
  query<Row & Record<string, unknown>>(statement, [ids, starts_at, ends_at, time_zone, today]);

async function boundsOf(period: Bounds["period"], time_zone: string): Promise<Bounds> {
  const found = await queryOne<Omit<Bounds, "period" | "time_zone"> & Record<string, unknown>>(
    `SELECT starts AT TIME ZONE $2 AS starts_at, (starts + ('1 ' || $1)::interval) AT TIME ZONE $2 AS ends_at,
       ((now() AT TIME ZONE $2)::date)::text AS today
     FROM date_trunc($1, now() AT TIME ZONE $2) AS starts`,
    [period, time_zone],
  );
  return { period, time_zone, ...found! };
}

function toProgress(row: Row, contract: Contract | null, { today: _today, ...bounds }: Bounds): HostProgress {
  const reached = { seat_seconds: row.seconds, seat_days: row.seat_days, earnings: row.earnings };
  const next = row.levels.filter(({ earnings }) => earnings > row.earnings).sort((a, b) => a.earnings - b.earnings);
  return {
    contract,
    ...bounds,
    today: { earnings: row.earned_today, seat_seconds: row.seconds_today },
    ...reached,
    weight: row.weight,
    day_minutes: row.day_minutes,
    targets: row.targets.map((target) => ({ ...target, reached: reached[target.metric] })),
    level: row.level,
    next_level: next[0] ?? null,
    salary: Math.floor(((row.level?.salary ?? 0) * row.weight) / 100),
  };
}

/**
 * Returns what a user has earned and sat today and in this period: of their contract while it holds, or else of the
 * month of a zone.
 */
export async function getProgress(userId: string, zone: string): Promise<HostProgress> {
  const held = await queryOne<{ id: string }>(
    `SELECT c.id FROM contracts c WHERE c.host_id = $1 AND ${holdsNow("c")}`,
    [userId],
  );
  const contract = held ? await contractView(held.id) : null;
  const { period, time_zone } = contract
    ? await getAgency(userId, contract.agency.id)
    : { period: "month" as const, time_zone: zone };
  const bounds = await boundsOf(period, time_zone);
  const [row] = await measure(contract ? ofContracts : ofUsers, [contract?.id ?? userId], bounds);
  return toProgress(row!, contract, bounds);
}

/** Returns what the hosts of an agency have reached in this period. @throws NOT_FOUND */
export async function listHostProgress(userId: string, agencyId: string, page: PageQuery): Promise<Page<HostProgress>> {
  const hosts = await listHosts(userId, agencyId, page);
  const { period, time_zone } = await getAgency(userId, agencyId);
  const bounds = await boundsOf(period, time_zone);
  const contracts = hosts.items.map(({ id }) => id);
  const rows = new Map((await measure(ofContracts, contracts, bounds)).map((row) => [row.id, row]));
  return { ...hosts, items: hosts.items.map((contract) => toProgress(rows.get(contract.id)!, contract, bounds)) };
}
