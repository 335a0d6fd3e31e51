import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { FriendRequest as FriendRequestView } from "#shared/contracts/views.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { FriendRequest } from "./friend-request.model.ts";
import { requestView } from "./friend-requests.queries.ts";
import { beginFriendship } from "./friendships.ts";
import { notTheRecipient, notTheSender } from "./relations.errors.ts";
import { lockPerson } from "./relations.policy.ts";

/**
 * The two are friends. Publishes `friend.accepted`.
 * @throws FORBIDDEN for the sender, NOT_FOUND (a stranger's request; a sender who is suspended), REQUEST_NOT_PENDING,
 *   CONFLICT when one of the two has too many friends
 */
export const acceptRequest = (caller: UserPrincipal, requestId: string): Promise<FriendRequestView> =>
  answer(caller, requestId, "recipient_id", acceptStep);

/**
 * Turns a request down. The sender may ask again.
 * @throws FORBIDDEN for the sender, NOT_FOUND for a stranger's request, REQUEST_NOT_PENDING
 */
export const rejectRequest = (caller: UserPrincipal, requestId: string): Promise<FriendRequestView> =>
  answer(caller, requestId, "recipient_id", (_tx, request) => settle(request, "rejected"));

/**
 * Takes one's own request back.
 * @throws FORBIDDEN for the recipient, NOT_FOUND for a stranger's request, REQUEST_NOT_PENDING
 */
export const cancelRequest = (caller: UserPrincipal, requestId: string): Promise<FriendRequestView> =>
  answer(caller, requestId, "sender_id", (_tx, request) => settle(request, "cancelled"));

/** What one of the two, `by`, does with a request that is pending. */
async function answer(
  caller: UserPrincipal,
  requestId: string,
  by: "sender_id" | "recipient_id",
  step: (tx: Tx, request: FriendRequest) => Promise<FriendRequest>,
): Promise<FriendRequestView> {
  return inTransaction(async (tx) => {
    const found = await FriendRequest.findByPk(requestId);
    if (!found || ![found.sender_id, found.recipient_id].includes(caller.userId)) throw new DomainError("NOT_FOUND");
    if (found[by] !== caller.userId) throw by === "sender_id" ? notTheSender() : notTheRecipient();
    const otherId = by === "sender_id" ? found.recipient_id : found.sender_id;
    await lockPerson(tx, caller.userId, otherId);
    // Again, now that nobody else can answer it.
    const request = await FriendRequest.findByPk(requestId);
    if (request?.status !== "pending") throw new DomainError("REQUEST_NOT_PENDING");
    return requestView(await step(tx, request));
  });
}

/** Step: of a pending request between two people who are locked. @throws CONFLICT, NOT_FOUND */
export async function acceptStep(tx: Tx, request: FriendRequest): Promise<FriendRequest> {
  const { id: request_id, sender_id, recipient_id } = request;
  const [sender] = await tx.query("SELECT 1 FROM users WHERE id = $1 AND status = 'active'", [sender_id]);
  if (!sender) throw new DomainError("NOT_FOUND");
  await beginFriendship(tx, sender_id, recipient_id);
  await tx.publish("friend.accepted", { request_id, sender_id, recipient_id });
  return settle(request, "accepted");
}

const settle = (request: FriendRequest, status: FriendRequestView["status"]): Promise<FriendRequest> =>
  request.update({ status, answered_at: new Date() });
