import type { Client } from "pg";

/** What migrations make, in the order of the file, each as a statement that returns texts. */
const parts: Readonly<Record<string, string>> = {
  extensions: "SELECT format('CREATE EXTENSION %I;', extname) AS text FROM pg_extension WHERE extname <> 'plpgsql'",
  types: `SELECT format('CREATE TYPE %I AS ENUM (%s);', t.typname, string_agg(quote_literal(e.enumlabel), ', '
      ORDER BY e.enumsortorder)) AS text
    FROM pg_type t JOIN pg_enum e ON e.enumtypid = t.oid WHERE t.typnamespace = 'public'::regnamespace GROUP BY t.typname`,
  domains: `SELECT format('CREATE DOMAIN %I AS %s %s;', t.typname, format_type(t.typbasetype, t.typtypmod),
      (SELECT string_agg(pg_get_constraintdef(c.oid), ' ' ORDER BY c.conname) FROM pg_constraint c
       WHERE c.contypid = t.oid)) AS text
    FROM pg_type t WHERE t.typtype = 'd' AND t.typnamespace = 'public'::regnamespace`,
  tables: `SELECT format(E'CREATE TABLE %I (\\n%s\\n)%s;', c.relname, (
      SELECT string_agg('  ' || line, E',\\n' ORDER BY kind, place, line) FROM (
        SELECT 1 AS kind, a.attnum AS place, concat_ws(' ', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
          CASE WHEN a.attnotnull THEN 'NOT NULL' END,
          CASE WHEN a.attidentity <> '' THEN 'GENERATED ' || CASE a.attidentity WHEN 'a' THEN 'ALWAYS' ELSE 'BY DEFAULT' END
            || ' AS IDENTITY' END,
          CASE WHEN a.attgenerated <> '' THEN format('GENERATED ALWAYS AS (%s) %s', pg_get_expr(d.adbin, d.adrelid),
              CASE a.attgenerated WHEN 's' THEN 'STORED' ELSE 'VIRTUAL' END)
            WHEN d.oid IS NOT NULL THEN 'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid) END) AS line
        FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        UNION ALL
        SELECT 2, strpos('pufcx', r.contype::text), format('CONSTRAINT %I %s', r.conname, pg_get_constraintdef(r.oid))
        FROM pg_constraint r WHERE r.conrelid = c.oid AND r.contype <> 'n') lines), ' PARTITION BY ' || pg_get_partkeydef(c.oid)) AS text
    FROM pg_class c
    WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace`,
  views: `SELECT format(E'CREATE VIEW %I AS\\n%s', relname, pg_get_viewdef(oid)) AS text FROM pg_class
    WHERE relkind = 'v' AND relnamespace = 'public'::regnamespace`,
  indexes: `SELECT pg_get_indexdef(i.indexrelid) || ';' AS text FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
    WHERE c.relnamespace = 'public'::regnamespace
      AND (NOT c.relispartition OR c.relname LIKE '%\\_past' AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = indexrelid))
      AND NOT EXISTS (SELECT 1 FROM pg_constraint r WHERE r.conindid = i.indexrelid AND r.contype IN ('p', 'u', 'x'))`,
  functions: `SELECT pg_get_functiondef(p.oid) || ';' AS text FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace
    AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')`,
  triggers: `SELECT pg_get_triggerdef(t.oid) || ';' AS text FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE NOT t.tgisinternal AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace`,
};

/**
 * Describes what the migrations have made of a database, as SQL to read: tables with their columns and constraints, and
 * the rest. The tables of jobs are pg-boss's, in a schema of their own.
 */
export async function describeSchema(client: Client): Promise<string> {
  const texts: string[] = [];
  for (const [name, statement] of Object.entries(parts)) {
    const { rows } = await client.query<{ text: string }>(
      `SELECT text FROM (${statement}) part ORDER BY text COLLATE "C"`,
    );
    const separator = /^(tables|views|functions)$/.test(name) ? "\n\n" : "\n";
    if (rows.length > 0) texts.push(`-- ${name}\n\n${rows.map(({ text }) => text.trim()).join(separator)}`);
  }
  return `${texts.join("\n\n")}\n`;
}
