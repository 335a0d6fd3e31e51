import { query } from "#shared/db/query.ts";
import { type QuoteColumns, quoteColumns } from "./message-content.ts";
import { type MessagePlace, messageTables } from "./message-tables.ts";

type Quoted = Omit<QuoteColumns, "reply_to">;
type QuotedRow = Quoted & { readonly id: string; readonly place_id: string };

const none: Quoted = { quoted_by: null, quoted_name: null, quoted_kind: null, quoted_body: null };

/** SQL: the messages `$1` that were not deleted. Erased authors have no name. */
const quotesOf = (of: MessagePlace): string => {
  const { table, place, author } = messageTables[of];
  return `SELECT q.id, q.${place} AS place_id, ${quoteColumns} FROM ${table} q LEFT JOIN users qu ON qu.id = q.${author}
    WHERE q.id = ANY ($1::uuid[]) AND q.deleted_at IS NULL`;
};

/**
 * Adds what messages answer, each in its own place. A statement of its own: in a join, the months of the quoted
 * messages aren't known when it begins, and all partitions would be opened. `read`: with `queryAnywhere`, a replica may
 * serve it.
 */
export async function withQuotes<Row extends Pick<QuoteColumns, "reply_to">>(
  of: MessagePlace,
  rows: readonly Row[],
  placeOf: (row: Row) => string,
  read = query,
): Promise<(Row & Quoted)[]> {
  const ids = rows.flatMap(({ reply_to }) => reply_to ?? []);
  const found = ids.length === 0 ? [] : await read<QuotedRow>(quotesOf(of), [ids]);
  const quotes = new Map(found.map(({ id, place_id, ...quote }) => [`${place_id} ${id}`, quote]));
  return rows.map((row) => ({ ...row, ...(quotes.get(`${placeOf(row)} ${row.reply_to}`) ?? none) }));
}

/** Returns a message of this place that shall be answered; undefined if there is none. */
export async function findQuoted(
  of: MessagePlace,
  { placeId, messageId }: { readonly placeId: string; readonly messageId: string },
): Promise<QuoteColumns | undefined> {
  const [row] = await query<QuotedRow>(quotesOf(of), [[messageId]]);
  if (row?.place_id !== placeId) return undefined;
  const { id, place_id, ...quote } = row;
  return { reply_to: id, ...quote };
}
