import type { FriendRequest as FriendRequestView } from "#shared/contracts/views.ts";
import { type PagedStatement, queryPage } from "#shared/db/query-page.ts";
import { queryAnywhere } from "#shared/db/replica.ts";
import { isActiveId } from "#shared/domain/identity/users/relation-columns.ts";
import { userCards } from "#shared/domain/identity/users/user-cards.queries.ts";
import type { Page, PageQuery } from "#shared/kernel/page.ts";
import type { FriendRequest } from "./friend-request.model.ts";

type RequestRow = Omit<FriendRequestView, "sender" | "recipient"> & { sender_id: string; recipient_id: string };

/** Pending requests with the user `$1` in the column `mine`, and an active account in the column `theirs`. */
function pendingRequests(mine: "sender_id" | "recipient_id", theirs: "sender_id" | "recipient_id"): PagedStatement {
  const from = `FROM friend_requests q WHERE q.${mine} = $1 AND q.status = 'pending' AND ${isActiveId(`q.${theirs}`)}`;
  return {
    count: `SELECT count(*) ${from}`,
    rows: `SELECT q.id, q.sender_id, q.recipient_id, q.status, q.created_at ${from}
      ORDER BY q.id DESC LIMIT $2 OFFSET $3`,
  };
}

const received = pendingRequests("recipient_id", "sender_id");
const sent = pendingRequests("sender_id", "recipient_id");

const listOf =
  (statement: PagedStatement) =>
  async (userId: string, page: PageQuery): Promise<Page<FriendRequestView>> => {
    const found = await queryPage<RequestRow>(statement, [userId], page, queryAnywhere);
    return { ...found, items: await toViews(found.items) };
  };

/** Returns the pending requests that a user has received, newest first. */
export const listReceivedRequests = listOf(received);

/** Returns the pending requests that a user has sent, newest first. */
export const listSentRequests = listOf(sent);

export async function requestView(request: FriendRequest): Promise<FriendRequestView> {
  const { answered_at, ...shown } = request;
  const [view] = await toViews([shown]);
  return view!;
}

async function toViews(rows: readonly RequestRow[]): Promise<FriendRequestView[]> {
  const cards = await userCards([...new Set(rows.flatMap(({ sender_id, recipient_id }) => [sender_id, recipient_id]))]);
  return rows.map(({ sender_id, recipient_id, ...request }) => ({
    ...request,
    sender: cards.get(sender_id)!,
    recipient: cards.get(recipient_id)!,
  }));
}
