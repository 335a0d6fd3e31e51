import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { FriendRequest as FriendRequestView } from "#shared/contracts/views.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { acceptStep } from "./answer-request.ts";
import { type FriendRequest, FriendRequests } from "./friend-request.model.ts";
import { requestView } from "./friend-requests.queries.ts";
import { acceptsNoRequests, alreadyFriends, notToYourself, tooManyRequests } from "./relations.errors.ts";
import { accessUser, type OtherUser } from "./relations.policy.ts";

/** Requests of one user that may be pending at a time. */
const pendingMax = 500;

/**
 * Sends a friend request. If the user has sent one to the caller, accepts that one instead, and `created` is false.
 * Publishes `friend.requested` or `friend.accepted`.
 * @throws FORBIDDEN for the caller themselves and if the user accepts no requests, NOT_FOUND, BLOCKED,
 *   REQUEST_ALREADY_PENDING, CONFLICT when they are friends already or a limit is reached
 */
export async function requestFriend(
  caller: UserPrincipal,
  userId: string,
): Promise<{ request: FriendRequestView; created: boolean }> {
  if (caller.userId === userId) throw notToYourself("befriend");
  return inTransaction(async (tx) => {
    const user = await accessUser(tx, caller.userId, userId);
    const { friend_status } = user.relation;
    if (friend_status === "friends") throw alreadyFriends();
    if (friend_status === "requested") throw new DomainError("REQUEST_ALREADY_PENDING");

    const created = friend_status === "none";
    const request = created ? await send(tx, caller.userId, user) : await acceptFrom(tx, userId, caller.userId);
    return { request: await requestView(request), created };
  });
}

async function send(tx: Tx, sender_id: string, { relation, privacy }: OtherUser): Promise<FriendRequest> {
  if (privacy.allow_friend_requests === "nobody") throw acceptsNoRequests();
  const [pending] = await tx.query<{ count: number }>(
    "SELECT count(*) FROM friend_requests WHERE sender_id = $1 AND status = 'pending'",
    [sender_id],
  );
  if (pending!.count >= pendingMax) throw tooManyRequests(pendingMax);

  const recipient_id = relation.user_id;
  const request = await FriendRequests.insert(tx, { id: newId(), sender_id, recipient_id });
  await tx.publish("friend.requested", { request_id: request.id, sender_id, recipient_id });
  return request;
}

async function acceptFrom(tx: Tx, sender_id: string, recipient_id: string): Promise<FriendRequest> {
  const request = await FriendRequests.lock(tx, { sender_id, recipient_id, status: "pending" });
  if (!request) throw new DomainError("REQUEST_NOT_PENDING");
  return acceptStep(tx, request);
}
