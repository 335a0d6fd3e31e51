import type pg from "pg";

/** The oldest release of PostgreSQL that the service runs on. */
export const oldestPostgres = 16;

/** What PostgreSQL 18 has and the schema uses, by name: how 16 and 17 get it, in `public`. */
const additions: Readonly<Record<string, string>> = {
  "uuid_extract_timestamp(uuid)": `CREATE FUNCTION public.uuid_extract_timestamp(id uuid) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
      SELECT to_timestamp(('x0000' || translate(left(id::text, 13), '-', ''))::bit(64)::bigint / 1000.0)
    $$`,
  // The milliseconds, the version, and what is random in a UUID of the fourth version.
  "uuidv7(interval)": `CREATE FUNCTION public.uuidv7(shift interval DEFAULT '0') RETURNS uuid
    LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
      SELECT (lpad(to_hex(floor(extract(epoch FROM clock_timestamp() + shift) * 1000)::bigint), 12, '0') || '7'
        || substr(translate(gen_random_uuid()::text, '-', ''), 14))::uuid
    $$`,
  // It compares by the collation of its argument.
  "casefold(text)": `CREATE FUNCTION public.casefold(typed text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT replace(lower(upper(typed)), 'ς', 'σ') $$`,
};
const collation = "pg_unicode_fast";

/**
 * Adds to an older server what the migrations need, if it isn't there. Returns how a statement of a migration is
 * written for this server: what an index is built by must be found without a search path, as when a dump is restored.
 */
export async function adaptTo(client: pg.Client): Promise<(sql: string) => string> {
  const { rows } = await client.query("SELECT current_setting('server_version_num')::integer AS version");
  if (rows[0].version >= 180_000) return (sql) => sql;
  for (const [signature, statement] of Object.entries(additions)) {
    const found = await client.query("SELECT to_regprocedure($1) IS NOT NULL AS stands", [signature]);
    if (!found.rows[0].stands) await client.query(statement);
  }
  const found = await client.query("SELECT to_regcollation($1) IS NOT NULL AS stands", [collation]);
  if (!found.rows[0].stands)
    await client.query(`CREATE COLLATION public.${collation} (provider = icu, locale = 'und')`);
  return (sql) => sql.replaceAll(/\b(casefold\(|pg_unicode_fast\b)/g, "public.$1");
}
