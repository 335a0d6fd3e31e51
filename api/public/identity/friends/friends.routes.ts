import { friendRequest, relation, userCardPage } from "#shared/contracts/views.ts";
import { acceptRequest, cancelRequest, rejectRequest } from "#shared/domain/identity/relations/answer-request.ts";
import { listReceivedRequests, listSentRequests } from "#shared/domain/identity/relations/friend-requests.queries.ts";
import { listFriends } from "#shared/domain/identity/relations/relations.queries.ts";
import { requestFriend } from "#shared/domain/identity/relations/request-friend.ts";
import { unfriend } from "#shared/domain/identity/relations/unfriend.ts";
import { exampleWith } from "../../../docs/example-of.ts";
import { AlreadyExists, type Route, routeOf } from "../../../http/route.ts";
import {
  friendParams,
  listQuery,
  receivedRequest,
  receivedRequests,
  requestParams,
  sentRequests,
} from "./friends.schemas.ts";

const route = routeOf("Friends", "user");
const list = { method: "get", query: listQuery } as const;
const answer = { params: requestParams } as const;

export const friendsRoutes = (): Route[] => [
  route({
    ...list,
    id: "listFriends",
    path: "/friends",
    summary: "List your friends",
    description: "Newest first. Suspended and deleted accounts are left out.",
    response: userCardPage,
    extension: true,
    handler: ({ caller, query }) => listFriends(caller.userId, query),
  }),
  route({
    id: "removeFriend",
    method: "delete",
    path: "/friends/:userId",
    blocks: "profile",
    summary: "Remove a friend",
    description:
      "Ends the friendship for both of you. You still follow each other if you did. Succeeds even if you aren't friends.",
    params: friendParams,
    response: relation,
    errors: ["FORBIDDEN"],
    extension: true,
    handler: ({ caller, params }) => unfriend(caller, params.userId),
  }),
  route({
    ...list,
    id: "listFriendRequests",
    path: "/friends/requests",
    summary: "List received friend requests",
    description: "Lists pending requests from other users, newest first.",
    response: receivedRequests,
    handler: ({ caller, query }) => listReceivedRequests(caller.userId, query),
  }),
  route({
    ...list,
    id: "listSentFriendRequests",
    path: "/friends/requests/sent",
    summary: "List sent friend requests",
    description: "Lists your pending requests, newest first.",
    response: sentRequests,
    extension: true,
    handler: ({ caller, query }) => listSentRequests(caller.userId, query),
  }),
  route({
    id: "sendFriendRequest",
    method: "post",
    path: "/friends/:userId/request",
    blocks: "person",
    summary: "Send a friend request",
    description:
      "If the user has already sent you a request, this call accepts it and returns 200. The error is `FORBIDDEN` if the user doesn't accept friend requests or is you. It is `CONFLICT` if you are already friends, or if one of you has reached the limit of 5,000 friends or 500 pending requests.",
    params: friendParams,
    status: 201,
    mayExist: true,
    response: friendRequest,
    errors: ["FORBIDDEN", "REQUEST_ALREADY_PENDING", "CONFLICT"],
    rateLimit: { points: 60, seconds: 60, by: "user" },
    handler: async ({ caller, params }) => {
      const { request, created } = await requestFriend(caller, params.userId);
      return created ? request : new AlreadyExists(request);
    },
  }),
  route({
    ...answer,
    id: "acceptFriendRequest",
    method: "post",
    path: "/friends/requests/:id/accept",
    blocks: "request",
    summary: "Accept a friend request",
    description:
      "Only the recipient can accept. The sender is notified. The error is `CONFLICT` if one of you already has 5,000 friends.",
    response: exampleWith(receivedRequest, { status: "accepted" }),
    errors: ["FORBIDDEN", "REQUEST_NOT_PENDING", "CONFLICT"],
    handler: ({ caller, params }) => acceptRequest(caller, params.id),
  }),
  route({
    ...answer,
    id: "rejectFriendRequest",
    method: "post",
    path: "/friends/requests/:id/reject",
    blocks: "request",
    summary: "Reject a friend request",
    description: "Only the recipient can reject. The sender isn't notified and can send another request.",
    response: exampleWith(receivedRequest, { status: "rejected" }),
    errors: ["FORBIDDEN", "REQUEST_NOT_PENDING"],
    handler: ({ caller, params }) => rejectRequest(caller, params.id),
  }),
  route({
    ...answer,
    id: "cancelFriendRequest",
    method: "delete",
    path: "/friends/requests/:id",
    blocks: "request",
    summary: "Cancel a friend request",
    description: "Only the sender can cancel, and only while the request is pending.",
    response: exampleWith(friendRequest, { status: "cancelled" }),
    errors: ["FORBIDDEN", "REQUEST_NOT_PENDING"],
    extension: true,
    handler: ({ caller, params }) => cancelRequest(caller, params.id),
  }),
];
