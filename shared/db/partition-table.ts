import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { clock, startOfMonth } from "#shared/kernel/clock.ts";
import { firstIdAt } from "#shared/kernel/ids.ts";
import { locks } from "./locks.ts";

/** How long a step may wait for tables in use, how long it lets them go, milliseconds, and how often it asks. */
const [lockTimeoutMs, restMs, attemptsMax] = [300, 1000, 300];

/** The tables that grow with all that happened: their IDs carry their time. A new database has them divided. */
export const dividedTables = ["room_messages"] as const;

/**
 * Those, and what is divided by the command only, in this order: a history takes longer to read in a divided table,
 * which only a large one is worth.
 */
export const dividableTables = [
  ...dividedTables,
  "direct_messages",
  "gift_transactions",
  "ledger_entries",
  "audit_log",
] as const;

/** For how many months after this one there are partitions. */
export const monthsAhead = 2;

export interface Division {
  readonly table: string;
  /** For how long others had to wait, milliseconds. */
  readonly heldMs: number;
}

/** Runs `divideTables` on a connection of its own; waits for a migration or a backup in progress. */
export async function divideDatabase(
  databaseUrl: string,
  untilOf: Readonly<Record<string, string>> = boundaries(dividedTables),
): Promise<Division[]> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: "hubbub partition" });
  await client.connect();
  try {
    await client.query("SELECT pg_advisory_lock($1)", [locks.migrations]);
    return await divideTables(client, untilOf);
  } finally {
    await client.end();
  }
}

/**
 * Divides the tables into partitions by month that aren't yet, also while the service runs: what a table holds becomes
 * its first partition, without being copied. It can be repeated after a failure. `untilOf`: the tables to divide and
 * the ID before which their first partition ends, if not all at the end of the months that are made ahead. Returns what
 * it did. The connection holds the lock of migrations.
 * @throws if a table is in use by long transactions all the time
 */
export async function divideTables(
  client: pg.Client,
  untilOf: Readonly<Record<string, string>> = boundaries(dividedTables),
): Promise<Division[]> {
  const divisions: Division[] = [];
  for (const [table, until] of Object.entries(untilOf)) {
    const { rows } = await client.query("SELECT relkind FROM pg_class WHERE oid = to_regclass($1)", [table]);
    if (rows[0].relkind === "r") divisions.push({ table, heldMs: await divide(client, table, until) });
    await validate(client, `confrelid = '${table}'::regclass AND conparentid = 0`);
  }
  return divisions;
}

/**
 * Returns for each table the first ID of the month after those that are made ahead: nothing has one of it by then.
 */
export function boundaries(tables: readonly string[]): Record<string, string> {
  const until = firstIdAt(startOfMonth(clock.now(), monthsAhead + 1));
  return Object.fromEntries(tables.map((table) => [table, until]));
}

async function divide(client: pg.Client, table: string, wanted: string): Promise<number> {
  const check = `${table}_undivided`;
  const [known] = await column(
    client,
    `SELECT substring(pg_get_constraintdef(oid) FROM '''([0-9a-f-]+)''') FROM pg_constraint
     WHERE conrelid = '${table}'::regclass AND conname = '${check}'`,
  );
  const until = known ?? wanted;
  if (!known) await briefly(client, [`ALTER TABLE ${table} ADD CONSTRAINT ${check} CHECK (id < '${until}') NOT VALID`]);
  // A partition is only added without being read if all of this is known of it.
  await validate(client, `conrelid = '${table}'::regclass`);
  const heldMs = await briefly(client, await statementsFor(client, table, { check, until }));
  await client.query(`ANALYZE ${table}`);
  return heldMs;
}

const column = async (client: pg.Client, sql: string): Promise<string[]> =>
  (await client.query<string[]>({ text: sql, rowMode: "array" })).rows.map(([value]) => value!);

/** Checks the constraints that are only known for new rows. It blocks no one. */
async function validate(client: pg.Client, which: string): Promise<void> {
  const statements = await column(
    client,
    `SELECT format('ALTER TABLE %s VALIDATE CONSTRAINT %I', conrelid::regclass, conname) FROM pg_constraint
     WHERE ${which} AND contype IN ('c', 'f') AND NOT convalidated`,
  );
  for (const statement of statements) await client.query(statement);
}

/** How one table becomes a partition of another one of its name that has all that was defined for it. */
async function statementsFor(
  client: pg.Client,
  table: string,
  { check, until }: { check: string; until: string },
): Promise<string[]> {
  const past = `${table}_past`;
  const all = (sql: string) => column(client, sql.replaceAll("$1", `'public.${table}'::regclass`));
  const locked =
    await all(`SELECT format('LOCK TABLE %s IN SHARE ROW EXCLUSIVE MODE', confrelid::regclass) FROM pg_constraint
    WHERE conrelid = $1 AND contype = 'f' AND confrelid <> $1
    UNION SELECT format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', conrelid::regclass) FROM pg_constraint
    WHERE confrelid = $1 AND contype = 'f'`);
  const referring = `FROM pg_constraint WHERE confrelid = $1 AND contype = 'f' AND conparentid = 0`;
  const named = "FROM pg_index WHERE indrelid = $1";
  const rowTriggers = "FROM pg_trigger WHERE tgrelid = $1 AND NOT tgisinternal AND tgtype & 1 = 1";
  const functions = `FROM pg_proc WHERE (SELECT reltype FROM pg_class WHERE oid = $1) = ANY (proargtypes)`;
  const hasId = `EXISTS (SELECT FROM pg_attribute WHERE attrelid = indrelid AND attname = 'id' AND attnum = ANY (indkey))`;
  return [
    ...locked,
    `LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`,
    ...(await all(`SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) ${referring}`)),
    ...(await all(`SELECT format('DROP TRIGGER %I ON ${table}', tgname) ${rowTriggers}`)),
    `ALTER TABLE ${table} RENAME TO ${past}`,
    ...(await all(`SELECT format('ALTER INDEX %s RENAME TO %I', indexrelid::regclass,
      replace(indexrelid::regclass::text, '${table}', '${past}')) ${named}`)),
    `CREATE TABLE ${table} (LIKE ${past} INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING GENERATED INCLUDING STORAGE)
      PARTITION BY RANGE (id)`,
    `ALTER TABLE ${table} DROP CONSTRAINT ${check}, ADD CONSTRAINT ${table}_pkey PRIMARY KEY (id)`,
    ...(await all(
      `SELECT pg_get_indexdef(indexrelid) ${named} AND NOT indisprimary AND (NOT indisunique OR ${hasId})`,
    )),
    ...(await all(`SELECT format('ALTER TABLE ${table} ADD CONSTRAINT %I %s', conname, pg_get_constraintdef(oid))
      FROM pg_constraint WHERE conrelid = $1 AND contype = 'f'`)),
    ...(await all(`SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = $1 AND NOT tgisinternal`)),
    ...(await all(`SELECT format('GRANT %s ON ${table} TO %s', privilege_type, CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END)
      FROM pg_class, aclexplode(relacl) WHERE oid = $1`)),
    ...(await all(`SELECT pg_get_functiondef(oid) ${functions}`)),
    ...(await all(`SELECT format('DROP FUNCTION %I(%s)', proname,
      replace(pg_get_function_identity_arguments(oid), '${table}', '${past}')) ${functions}`)),
    `ALTER TABLE ${table} ATTACH PARTITION ${past} FOR VALUES FROM (MINVALUE) TO ('${until}')`,
    `ALTER TABLE ${past} DROP CONSTRAINT ${check}`,
    `CREATE TABLE ${table}_rest PARTITION OF ${table} FOR VALUES FROM ('${until}') TO (MAXVALUE)`,
    `SELECT dress_partition('${table}_rest', '${past}', '${table}')`,
    ...(await all(`SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s NOT VALID', conrelid::regclass, conname,
      regexp_replace(pg_get_constraintdef(oid), ' NOT VALID$', '')) ${referring}`)),
  ];
}

/** Drops partitions for good, and runs `notes` in the same transaction. Waits for a backup in progress. */
export async function dropPartitions(
  databaseUrl: string,
  names: readonly string[],
  notes: readonly Statement[] = [],
): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: "hubbub archive" });
  await client.connect();
  try {
    await client.query("SELECT pg_advisory_lock($1)", [locks.migrations]);
    await briefly(client, [...notes, ...names.map((name) => `DROP TABLE ${name}`)]);
  } finally {
    await client.end();
  }
}

type Statement = string | { readonly text: string; readonly values: unknown[] };

/** Runs the statements in a transaction that others hardly notice. Returns for how long it held its locks. */
async function briefly(client: pg.Client, statements: readonly Statement[]): Promise<number> {
  for (let left = attemptsMax; ; left -= 1) {
    await client.query("BEGIN");
    const begun = performance.now();
    try {
      await client.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
      for (const statement of statements) await client.query(statement as pg.QueryConfig);
      await client.query("COMMIT");
      return performance.now() - begun;
    } catch (error) {
      await client.query("ROLLBACK");
      const isBusy = ["55P03", "40P01"].includes((error as { code?: string }).code ?? "");
      if (left === 1 || !isBusy) throw error;
      await pause(restMs);
    }
  }
}
