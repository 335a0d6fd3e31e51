import type { FriendRequest as FriendRequestView } from "#shared/contracts/views.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { userCards } from "#shared/domain/users/user-cards.queries.ts";
import { offsetOf, type Page, type PageQuery, toPage } from "#shared/kernel/page.ts";
import type { FriendRequest } from "./friend-request.model.ts";

interface RequestRow {
  id: string;
  sender_id: string;
  recipient_id: string;
  status: FriendRequestView["status"];
  created_at: string;
}

/** Requests to somebody that wait for his answer, newest first. */
export async function listIncomingRequests(userId: string, page: PageQuery): Promise<Page<FriendRequestView>> {
  const [counted, rows] = await Promise.all([
    queryOne<{ total: number }>(
      `SELECT count(*) AS total FROM friend_requests q JOIN users u ON u.id = q.sender_id
       WHERE q.recipient_id = $1 AND q.status = 'pending' AND u.status = 'active'`,
      [userId],
    ),
    query<RequestRow>(
      `SELECT q.id, q.sender_id, q.recipient_id, q.status, q.created_at
       FROM friend_requests q JOIN users u ON u.id = q.sender_id
       WHERE q.recipient_id = $1 AND q.status = 'pending' AND u.status = 'active'
       ORDER BY q.id DESC LIMIT $2 OFFSET $3`,
      [userId, page.limit, offsetOf(page)],
    ),
  ]);
  return toPage(await toViews(rows), counted?.total ?? 0, page);
}

/** Requests of somebody that wait for an answer, newest first. */
export async function listSentRequests(userId: string, page: PageQuery): Promise<Page<FriendRequestView>> {
  const [counted, rows] = await Promise.all([
    queryOne<{ total: number }>(
      `SELECT count(*) AS total FROM friend_requests q JOIN users u ON u.id = q.recipient_id
       WHERE q.sender_id = $1 AND q.status = 'pending' AND u.status = 'active'`,
      [userId],
    ),
    query<RequestRow>(
      `SELECT q.id, q.sender_id, q.recipient_id, q.status, q.created_at
       FROM friend_requests q JOIN users u ON u.id = q.recipient_id
       WHERE q.sender_id = $1 AND q.status = 'pending' AND u.status = 'active'
       ORDER BY q.id DESC LIMIT $2 OFFSET $3`,
      [userId, page.limit, offsetOf(page)],
    ),
  ]);
  return toPage(await toViews(rows), counted?.total ?? 0, page);
}

export async function requestView(request: FriendRequest): Promise<FriendRequestView> {
  const { id, sender_id, recipient_id, status, created_at } = request;
  const [view] = await toViews([{ id, sender_id, recipient_id, status, created_at: created_at.toISOString() }]);
  return view!;
}

async function toViews(rows: readonly RequestRow[]): Promise<FriendRequestView[]> {
  const cards = await userCards([...new Set(rows.flatMap(({ sender_id, recipient_id }) => [sender_id, recipient_id]))]);
  return rows.map(({ id, sender_id, recipient_id, status, created_at }) => ({
    id,
    sender: cards.get(sender_id)!,
    recipient: cards.get(recipient_id)!,
    status,
    created_at,
  }));
}
