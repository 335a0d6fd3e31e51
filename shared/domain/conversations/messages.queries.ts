import type { DirectMessage } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { type CursorPage, offsetOf, type Page, type PageQuery, toCursorPage, toPage } from "#shared/kernel/page.ts";
import type { Access } from "./conversations.policy.ts";

export const messageColumns = "id, conversation_id, sender_id, body, attachment_url, read_at, created_at";

const newestId = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** The messages before the one with the id `before`, newest first. */
export async function listMessages(
  { id }: Access,
  { before = newestId, limit }: { before?: string; limit: number },
): Promise<CursorPage<DirectMessage>> {
  const rows = await query<DirectMessage>(
    `SELECT ${messageColumns} FROM direct_messages WHERE conversation_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3`,
    [id, before, limit + 1],
  );
  return toCursorPage(rows, limit);
}

/** One page of the messages, newest first. The total is the conversation's own count: nothing is counted here. */
export async function pageMessages({ id, message_count }: Access, page: PageQuery): Promise<Page<DirectMessage>> {
  const rows = await query<DirectMessage>(
    `SELECT ${messageColumns} FROM direct_messages WHERE conversation_id = $1 ORDER BY id DESC LIMIT $2 OFFSET $3`,
    [id, page.limit, offsetOf(page)],
  );
  return toPage(rows, message_count, page);
}
