import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { FriendRequest as FriendRequestView } from "#shared/contracts/views.ts";
import { now } from "#shared/db/model.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { assertNotBlocked } from "#shared/domain/identity/blocks/blocks.queries.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { type FriendRequest, FriendRequests } from "./friend-request.model.ts";
import { requestView } from "./friend-requests.queries.ts";
import { beginFriendship } from "./friendships.ts";
import { notTheRecipient, notTheSender } from "./relations.errors.ts";
import { lockRelation } from "./relations.policy.ts";

/**
 * Accepts a friend request, which makes the two friends. Publishes `friend.accepted`.
 * @throws FORBIDDEN for the sender, NOT_FOUND (a request of others, or a suspended sender), REQUEST_NOT_PENDING,
 *   CONFLICT when one of the two has reached the limit of friends
 */
export const acceptRequest = (caller: UserPrincipal, requestId: string): Promise<FriendRequestView> =>
  answer(caller, requestId, "recipient_id", acceptStep);

/**
 * Rejects a friend request. The sender may send another one.
 * @throws FORBIDDEN for the sender, NOT_FOUND for a request of others, REQUEST_NOT_PENDING
 */
export const rejectRequest = (caller: UserPrincipal, requestId: string): Promise<FriendRequestView> =>
  answer(caller, requestId, "recipient_id", (tx, request) => settle(tx, request, "rejected"));

/**
 * Cancels a friend request of the caller's. Publishes `friend.request_cancelled`.
 * @throws FORBIDDEN for the recipient, NOT_FOUND for a request of others, REQUEST_NOT_PENDING
 */
export const cancelRequest = (caller: UserPrincipal, requestId: string): Promise<FriendRequestView> =>
  answer(caller, requestId, "sender_id", cancelStep);

async function cancelStep(tx: Tx, request: FriendRequest): Promise<FriendRequest> {
  const { id: request_id, sender_id, recipient_id } = request;
  await tx.publish("friend.request_cancelled", { request_id, sender_id, recipient_id });
  return settle(tx, request, "cancelled");
}

/** Runs `step` on a pending request, on behalf of the side `by`, which must be the caller. */
async function answer(
  caller: UserPrincipal,
  requestId: string,
  by: "sender_id" | "recipient_id",
  step: (tx: Tx, request: FriendRequest) => Promise<FriendRequest>,
): Promise<FriendRequestView> {
  return inTransaction(async (tx) => {
    const found = await FriendRequests.read({ id: requestId }, ["sender_id", "recipient_id"]);
    if (!found || ![found.sender_id, found.recipient_id].includes(caller.userId)) throw new DomainError("NOT_FOUND");
    const otherId = found.sender_id === caller.userId ? found.recipient_id : found.sender_id;
    await assertNotBlocked("request", caller.userId, otherId);
    if (found[by] !== caller.userId) throw by === "sender_id" ? notTheSender() : notTheRecipient();

    await lockRelation(tx, caller.userId, otherId);
    // Reads it again, now that no one else can answer it.
    const request = await FriendRequests.lock(tx, { id: requestId });
    if (request?.status !== "pending") throw new DomainError("REQUEST_NOT_PENDING");
    return requestView(await step(tx, request));
  });
}

/** Step: accepts a pending request between two users, whom `lockRelation` has locked. @throws CONFLICT, NOT_FOUND */
export async function acceptStep(tx: Tx, request: FriendRequest): Promise<FriendRequest> {
  const { id: request_id, sender_id, recipient_id } = request;
  const [sender] = await tx.query("SELECT 1 FROM users WHERE id = $1 AND status = 'active'", [sender_id]);
  if (!sender) throw new DomainError("NOT_FOUND");

  await beginFriendship(tx, sender_id, recipient_id);
  await tx.publish("friend.accepted", { request_id, sender_id, recipient_id });
  return settle(tx, request, "accepted");
}

async function settle(tx: Tx, request: FriendRequest, status: FriendRequest["status"]): Promise<FriendRequest> {
  await FriendRequests.change(tx, { id: request.id }, { status, answered_at: now });
  return { ...request, status };
}
