import type { ChartPoint, ChartType, Dashboard } from "#shared/contracts/views.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { inSnapshot } from "#shared/db/snapshot.ts";
import { sqlState } from "#shared/db/transaction.ts";
import { clock, daysMs } from "#shared/kernel/clock.ts";
import { invalidFields } from "#shared/kernel/domain-error.ts";
import { firstIdAt } from "#shared/kernel/ids.ts";
import { chartTypes, factsBetween } from "./facts.ts";

/** The most days of a chart. */
export const chartDaysMax = 366;

/** The days of a chart: from and to a date, or some days up to one. */
export interface ChartRange {
  readonly type: ChartType;
  readonly days: number;
  /** Dates in the time zone. */
  readonly from?: string;
  readonly to?: string;
  /** An IANA name. */
  readonly time_zone: string;
}

const dayOf = (date: string): number => Date.parse(`${date}T00:00:00Z`);
const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Returns the current date in a time zone. */
const today = (timeZone: string): string => new Intl.DateTimeFormat("en-CA", { timeZone }).format(clock.now());

/** Returns the first and last date of a chart. @throws VALIDATION_ERROR */
function datesOf({ days, from, to, time_zone }: ChartRange): [first: string, last: string] {
  const last = to ?? today(time_zone);
  const first = from ?? dateOf(dayOf(last) - daysMs(days - 1));
  const length = (dayOf(last) - dayOf(first)) / daysMs(1) + 1;
  if (length < 1) throw invalidFields([{ field: "from", text: "from must not be after to" }]);
  if (length > chartDaysMax)
    throw invalidFields([
      { field: "from", text: "A chart has at most {{count}} days", values: { count: chartDaysMax } },
    ]);
  return [first, last];
}

interface Live {
  /** Quarters before it are stored. */
  readonly countedUntil: string;
  /** The IDs of the facts that are not stored yet. */
  readonly ids: readonly [first: string, last: string];
}

/** Facts are counted live from the first quarter that is not stored, but at most those of a day. */
async function readLive(): Promise<Live> {
  const now = clock.now();
  const progress = await queryOne<{ counted_until: string | null }>("SELECT counted_until FROM stat_progress");
  const countedMs = Math.max(progress?.counted_until ? Date.parse(progress.counted_until) : 0, now - daysMs(1));
  return {
    countedUntil: new Date(countedMs).toISOString(),
    ids: [firstIdAt(countedMs), firstIdAt(now + daysMs(1))],
  };
}

/** The stored quarters of the metrics, from `$4` to `$5` as days in the time zone `$3`, and what is not stored yet. */
const quartersOf = (types: readonly ChartType[]): string => `
  SELECT metric, quarter, value FROM stat_quarters
  WHERE metric IN (${types.map((type) => `'${type}'`).join(", ")})
    AND quarter >= ($4::date)::timestamp AT TIME ZONE $3::text
    AND quarter < ($5::date + 1)::timestamp AT TIME ZONE $3::text
  UNION ALL ${factsBetween(types)}`;

/** Returns the points of a chart, one for each day. @throws VALIDATION_ERROR */
export async function getChart(range: ChartRange): Promise<ChartPoint[]> {
  const [first, last] = datesOf(range);
  const { type, time_zone } = range;
  return withKnownZone(() =>
    inSnapshot(async () => {
      const { ids } = await readLive();
      return query<ChartPoint & Record<string, unknown>>(
        `SELECT to_char(day, 'YYYY-MM-DD') AS date, coalesce(value, 0) AS value
         FROM generate_series($4::date::timestamp, $5::date::timestamp, '1 day') AS day
           LEFT JOIN (
             SELECT (quarter AT TIME ZONE $3::text)::date AS date, sum(value)::bigint AS value
             FROM (${quartersOf([type])}) AS quarters GROUP BY 1
           ) AS counted ON counted.date = day::date
         ORDER BY day`,
        [...ids, time_zone, first, last],
      );
    }),
  );
}

type Figures = Record<ChartType, number>;

const toFigures = (rows: readonly { metric: ChartType; value: number }[]): Figures =>
  Object.fromEntries(
    chartTypes.map((type) => [type, rows.find(({ metric }) => metric === type)?.value ?? 0]),
  ) as unknown as Figures;

/** Returns the figures of the dashboard, with what is stored and what is live. @throws VALIDATION_ERROR */
export async function getDashboard(timeZone: string): Promise<Dashboard> {
  const date = today(timeZone);
  return withKnownZone(() =>
    inSnapshot(async () => {
      const { countedUntil, ids } = await readLive();
      const todays = await query<{ metric: ChartType; value: number }>(
        `SELECT metric, sum(value)::bigint AS value FROM (${quartersOf(chartTypes)}) AS quarters
         WHERE (quarter AT TIME ZONE $3::text)::date = $4::date AND $4::date = $5::date GROUP BY metric`,
        [...ids, timeZone, date, date],
      );
      const totals = await query<{ metric: ChartType; value: number }>(
        `SELECT metric, sum(value)::bigint AS value FROM (
           SELECT metric, value FROM stat_totals UNION ALL SELECT metric, value FROM (${factsBetween(chartTypes)}) AS live
         ) AS all_of_them GROUP BY metric`,
        ids,
      );
      return {
        totals: toFigures(totals),
        today: toFigures(todays),
        now: await readNow(),
        counted_until: countedUntil,
      };
    }),
  );
}

/** Each counts the part of an index that is small whatever the size of its table. */
const readNow = async (): Promise<Dashboard["now"]> =>
  (await queryOne<Dashboard["now"] & Record<string, unknown>>(
    `SELECT (SELECT count(*) FROM (
         SELECT user_id FROM online_users WHERE lease_until > now() UNION SELECT user_id FROM room_presence
       ) AS online) AS online_users,
       (SELECT count(*) FROM room_presence) AS people_in_rooms,
       (SELECT count(*) FROM rooms WHERE status = 'open') AS open_rooms,
       (SELECT count(*) FROM users WHERE status = 'suspended') AS suspended_users,
       (SELECT count(*) FROM reports WHERE status = 'open') AS open_reports,
       (SELECT count(*) FROM support_tickets WHERE status = 'open') AS open_tickets,
       (SELECT count(*) FROM balance_adjustments WHERE status = 'pending') AS pending_approvals`,
  ))!;

const unknownZone = "22023";

/** The database may know fewer zones than we do. */
async function withKnownZone<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (sqlState(error) === unknownZone) throw invalidFields([{ field: "time_zone", text: "{{field}} is unknown" }]);
    throw error;
  }
}
