import { schemaOf } from "#shared/extension/loaded.ts";

const literals = /'(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?\*\//g;
/** `FROM` that isn't of a table. */
const otherFrom = /\bdistinct\s+from\b|\b(?:extract|substring|trim|overlay)\s*\([^()]*?\bfrom\b/gi;
const table = /\b(?:from|join|into|update|references|truncate|only|using)\s+(?:only\s+)?"?([a-z_]\w*)"?(\s*[.(])?/gi;
const words = new Set([
  "select",
  "lateral",
  "rows",
  "set",
  "skip",
  "nowait",
  "of",
  "table",
  "unnest",
  "generate_series",
]);

/**
 * Returns the table of others that the SQL of an extension names, where it can be told; undefined for none. Its own are
 * named with their schema, as `ext_<name>.<table>`.
 */
export function foreignTable(name: string, sql: string): string | undefined {
  const text = sql.replace(literals, " ");
  const other = /\b(public|pgboss|pg_catalog|information_schema|ext_\w+)\s*\./gi;
  for (const [, schema] of text.matchAll(other)) if (schema!.toLowerCase() !== schemaOf(name)) return schema;
  const withs = new Set(
    [...text.matchAll(/\b([a-z_]\w*)\s*(?:\([^()]*\))?\s+as\s+(?:not\s+)?(?:materialized\s+)?\(/gi)].map(([, one]) =>
      one!.toLowerCase(),
    ),
  );
  for (const [, found, next] of text.replace(otherFrom, " ").matchAll(table)) {
    const named = found!.toLowerCase();
    if (next || words.has(named) || withs.has(named) || named === schemaOf(name)) continue;
    return found;
  }
  return undefined;
}
