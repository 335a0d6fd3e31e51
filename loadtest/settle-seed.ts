import pg from "pg";
import { fillAtOnce } from "./bulk.ts";
import { say } from "./report.ts";

/** How large the economy is that a run settles. */
export interface Economy {
  readonly hosts: number;
  /** In the period. */
  readonly gifts: number;
}

/** The month that is settled: the last one whose earnings have matured. */
export const settledMonth = "date_trunc('month', now() AT TIME ZONE 'UTC' - interval '1 month 8 days')";

const hostsEach = 100;
const sittingsEach = 20;
/** Gifts whose entries are inserted by one statement. */
const chunk = 250_000;
const price = 10;
const share = 4;

const tables = ["users", "wallets", "agencies", "contracts", "seat_sessions", "ledger_entries"] as const;

const functions = [
  `CREATE FUNCTION pg_temp.id_of(kind int, n bigint) RETURNS uuid IMMUTABLE LANGUAGE sql AS
     $$ SELECT ('00000000-0000-7' || lpad(kind::text, 3, '0') || '-8000-' || lpad(to_hex(n), 12, '0'))::uuid $$`,
  `CREATE FUNCTION pg_temp.id_at(at timestamptz, kind int, n bigint) RETURNS uuid IMMUTABLE LANGUAGE sql AS
     $$ SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || lpad(kind::text, 3, '0') || '8'
       || lpad(to_hex(n), 15, '0'))::uuid $$`,
];

/** Kinds of rows, as numbers in their IDs. */
const kind = { host: 1, fan: 2, owner: 3, agency: 4, contract: 5, plan: 6, movement: 7, sitting: 8, entry: 10 };

const usersOf = (of: "host" | "fan" | "owner", count: number) => `
  INSERT INTO users (id, username, email, full_name, password_hash, settings)
  SELECT pg_temp.id_of(${kind[of]}, n), '${of}_' || n, '${of}_' || n || '@example.com', 'Seeded', '-', '{}'
  FROM generate_series(1, ${count}) AS n`;

const plan = {
  targets: [
    { metric: "seat_seconds", threshold: 72_000, weight: 50 },
    { metric: "seat_days", threshold: 12, weight: 30 },
    { metric: "earnings", threshold: 400, weight: 20 },
  ],
  levels: [
    { name: "Bronze", earnings: 0, salary: 100 },
    { name: "Silver", earnings: 300, salary: 1000 },
    { name: "Gold", earnings: 1000, salary: 5000 },
  ],
};

/** Each tenth host's contract ended in the period. All hosts sat every day and a half, some over midnight. */
const people = ({ hosts }: Economy) => [
  usersOf("host", hosts),
  usersOf("fan", hosts),
  usersOf("owner", Math.ceil(hosts / hostsEach)),
  `INSERT INTO agency_plans (id, name, period, day_minutes, targets, levels)
   VALUES (pg_temp.id_of(${kind.plan}, 1), 'Seeded', 'month', 60, '${JSON.stringify(plan.targets)}', '${JSON.stringify(plan.levels)}')`,
  `INSERT INTO agencies (id, name, owner_id, country, time_zone, period, plan_id)
   SELECT pg_temp.id_of(${kind.agency}, n), 'Seeded ' || n, pg_temp.id_of(${kind.owner}, n), 'IN', 'UTC', 'month',
     pg_temp.id_of(${kind.plan}, 1) FROM generate_series(1, ${Math.ceil(hosts / hostsEach)}) AS n`,
  `INSERT INTO contracts (id, agency_id, host_id, commission_basis_points, starts_at, ends_at)
   SELECT pg_temp.id_of(${kind.contract}, n), pg_temp.id_of(${kind.agency}, 1 + (n - 1) / ${hostsEach}),
     pg_temp.id_of(${kind.host}, n), 1000, month - interval '1 year', CASE n % 10 WHEN 0 THEN month + interval '15 days' END
   FROM generate_series(1, ${hosts}) AS n, ${settledMonth} AS month`,
  `INSERT INTO seat_sessions (id, user_id, room_id, started_at, ended_at)
   SELECT pg_temp.id_at(at, ${kind.sitting}, n), pg_temp.id_of(${kind.host}, n), pg_temp.id_of(0, n), at,
     at + interval '1 hour' + n % 97 * interval '1 minute'
   FROM generate_series(1, ${hosts}) AS n, generate_series(0, ${sittingsEach - 1}) AS nth, ${settledMonth} AS month,
     LATERAL (SELECT (month AT TIME ZONE 'UTC') + nth * interval '36 hours' + n % 1423 * interval '1 minute') AS s (at)
   ORDER BY at`,
];

/** Each gift, from a fan to a host, has the four entries of a plan that pays earnings. `$1` to `$2`: which gifts. */
const entries = ({ hosts, gifts }: Economy) => `
  INSERT INTO ledger_entries (id, movement_id, type, user_id, house, amount, balance_after, entry_no, created_at, asset, bought)
  SELECT pg_temp.id_at(at, ${kind.entry} + nth, n), pg_temp.id_at(at, ${kind.movement}, n), type, user_id, house, amount,
    CASE WHEN house IS NULL THEN 1000000 END, CASE WHEN house IS NULL THEN 1 + n / ${hosts} END, at, asset, bought
  FROM generate_series($1::bigint, $2::bigint) AS n, ${settledMonth} AS month,
    LATERAL (SELECT month AT TIME ZONE 'UTC' + n::float8 / ${gifts} * (month + interval '1 month' - month)) AS t (at),
    LATERAL (VALUES
      (1, 'gift_sent', pg_temp.id_of(${kind.fan}, 1 + n * 7 % ${hosts}), NULL, -${price}, 'coins', -${price}),
      (2, 'gift_received', pg_temp.id_of(${kind.host}, 1 + n % ${hosts}), NULL, ${share}, 'earnings', 0),
      (3, 'gift_received', NULL, 'issue', -${share}, 'earnings', 0),
      (4, 'gift_sent', NULL, 'gift_revenue', ${price}, 'coins', ${price})
    ) AS e (nth, type, user_id, house, amount, asset, bought)`;

const walletsOf = ({ hosts, gifts }: Economy) =>
  [
    ["host", "earnings", "0"],
    ["fan", "coins", "1000000"],
  ].map(
    ([of, asset, bought]) => `
    INSERT INTO wallets (user_id, asset, balance, bought, entry_count)
    SELECT pg_temp.id_of(${kind[of as "host" | "fan"]}, n), '${asset}', 1000000, ${bought}, ${Math.ceil(gifts / hosts)}
    FROM generate_series(1, ${hosts}) AS n`,
  );

/**
 * Fills an empty database with what a run reads of an economy. The gifts have their ledger entries only: a run reads no
 * more of them.
 */
export async function seedEconomy(connectionString: string, economy: Economy): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await fill(client, economy).finally(() => client.end());
}

async function fill(client: pg.Client, economy: Economy): Promise<void> {
  await fillAtOnce(client, "ledger_entries", async () => {
    for (const statement of [...functions, ...people(economy), ...walletsOf(economy)]) await client.query(statement);
    for (let first = 0; first < economy.gifts; first += chunk) {
      await client.query(entries(economy), [first, Math.min(first + chunk, economy.gifts) - 1]);
      if (first % (chunk * 10) === 0) say(`  ${first} of ${economy.gifts} gifts`);
    }
  });
  await client.query(`VACUUM (ANALYZE) ${tables.join(", ")}`);
}
