import { setting } from "../settings/settings.ts";

/** SQL: what the user `$2` has written, and is the only one to see: rows `h` of `held_content`. */
const own = "h.user_id = $2 AND h.shadowed AND h.status <> 'released'";
/** SQL: that at the place `$1`. */
const ownShadowed = `${own} AND h.target_id = $1`;

/** SQL: what messages of rooms and conversations have in common, of the row `h`. */
export const shadowedColumns = {
  id: "h.id",
  body: "h.text",
  kind: "coalesce(h.circumstances ->> 'kind', 'text')",
  created_at: "h.created_at",
  media: "h.circumstances -> 'media'",
  mentions: "(SELECT array_agg(one::uuid) FROM jsonb_array_elements_text(h.circumstances -> 'mentions') one)",
  edited_at: "NULL::timestamptz",
  reactions: "NULL::jsonb",
  reply_to: "(h.input ->> 'reply_to')::uuid",
};

interface Messages {
  /** Their table, and which of them are listed. The place is `$1`. */
  readonly from: string;
  /** Their columns in the table, and what those are in the row `h`. */
  readonly columns: Readonly<Record<string, string>>;
}

/**
 * SQL: messages of a place, newest first, with what the viewer `$2` wrote there that is shadowed. While nothing is
 * shadowed, only the messages. `range`: a condition for `id`, and `most` how many of each are needed.
 */
export function withShadowed({ from, columns }: Messages, most: string, range = "true"): string {
  const names = Object.keys(columns).join(", ");
  const messages = `SELECT ${names} FROM ${from} AND $2::uuid IS NOT NULL AND ${range} ORDER BY id DESC LIMIT ${most}`;
  if (!setting("shadow_spam")) return messages;
  return `SELECT * FROM (
      (${messages}) UNION ALL
      (SELECT ${selected(columns)} FROM held_content h WHERE ${ownShadowed} AND ${range} ORDER BY id DESC LIMIT ${most})
    ) AS seen ORDER BY id DESC`;
}

/** SQL: the last message at each of the places `$1` that the viewer `$2` wrote, and that is shadowed. */
export const lastShadowed = ({ columns }: Messages): string =>
  `SELECT DISTINCT ON (h.target_id) ${selected(columns)} FROM held_content h
   WHERE ${own} AND h.target_id = ANY ($1::uuid[]) ORDER BY h.target_id, h.id DESC`;

const selected = (columns: Messages["columns"]): string =>
  Object.entries(columns)
    .map(([name, value]) => `${value} AS ${name}`)
    .join(", ");

/** SQL: how many messages the viewer `$2` wrote at the place `$1` that are shadowed. */
export const countShadowed = (): string =>
  setting("shadow_spam") ? `SELECT count(*) FROM held_content h WHERE ${ownShadowed}` : "0";
