import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { FriendRequest as FriendRequestView } from "#shared/contracts/views.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { acceptStep } from "./answer-request.ts";
import { FriendRequest } from "./friend-request.model.ts";
import { requestView } from "./friend-requests.queries.ts";
import { friendsAlready, notOneself, takesNoRequests, tooMany } from "./relations.errors.ts";
import { accessPerson, type Person } from "./relations.policy.ts";

/** Requests of one person that may wait at a time. */
const pendingMax = 500;

/**
 * Asks somebody to be friends; if he has asked the caller, the two are friends by it, and `made` is false. Publishes
 * `friend.requested` or `friend.accepted`.
 * @throws FORBIDDEN to oneself and when he takes no requests, NOT_FOUND, BLOCKED, REQUEST_ALREADY_PENDING, CONFLICT when
 *   they are friends already or too many requests wait
 */
export async function requestFriend(
  caller: UserPrincipal,
  userId: string,
): Promise<{ request: FriendRequestView; made: boolean }> {
  if (caller.userId === userId) throw notOneself("befriend");
  return inTransaction(async (tx) => {
    const person = await accessPerson(tx, caller.userId, userId);
    const { friend_status } = person.relation;
    if (friend_status === "friends") throw friendsAlready();
    if (friend_status === "requested") throw new DomainError("REQUEST_ALREADY_PENDING");
    const made = friend_status === "none";
    const request = made ? await ask(tx, caller.userId, person) : await acceptFrom(tx, userId, caller.userId);
    return { request: await requestView(request), made };
  });
}

async function ask(tx: Tx, sender_id: string, { relation, privacy }: Person): Promise<FriendRequest> {
  if (privacy.allow_friend_requests === "nobody") throw takesNoRequests();
  const pending = await FriendRequest.count({ where: { sender_id, status: "pending" } });
  if (pending >= pendingMax) throw tooMany(`You can have at most ${pendingMax} pending friend requests.`);
  const recipient_id = relation.user_id;
  const request = await FriendRequest.create({ id: newId(), sender_id, recipient_id });
  await tx.publish("friend.requested", { request_id: request.id, sender_id, recipient_id });
  return request;
}

async function acceptFrom(tx: Tx, sender_id: string, recipient_id: string): Promise<FriendRequest> {
  const request = await FriendRequest.findOne({ where: { sender_id, recipient_id, status: "pending" } });
  if (!request) throw new DomainError("REQUEST_NOT_PENDING");
  return acceptStep(tx, request);
}
