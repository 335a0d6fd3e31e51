import { pageOf } from "#shared/contracts/fields.ts";
import { friendRequest, relation, userCard } from "#shared/contracts/views.ts";
import { acceptRequest, cancelRequest, rejectRequest } from "#shared/domain/relations/answer-request.ts";
import { listIncomingRequests, listSentRequests } from "#shared/domain/relations/friend-requests.queries.ts";
import { listFriends } from "#shared/domain/relations/relations.queries.ts";
import { unfriend } from "#shared/domain/relations/unfriend.ts";
import type { PageQuery } from "#shared/kernel/page.ts";
import { type Route, route } from "../../http/route.ts";
import { postRequest } from "./friends.handlers.ts";
import { type FriendParams, friendParams, listQuery, type RequestParams, requestParams } from "./friends.schemas.ts";

const user = { tag: "Friends", auth: "user" } as const;
const list = { ...user, method: "get", query: listQuery } as const;
const answer = { ...user, params: requestParams, response: friendRequest } as const;

export const friendsRoutes = (): Route[] => [
  route<object, PageQuery>({
    ...list,
    path: "/friends",
    summary: "Your friends, the newest first",
    response: pageOf(userCard),
    extension: true,
    handler: ({ caller, query }) => listFriends(caller.userId, query),
  }),
  route<FriendParams>({
    ...user,
    method: "delete",
    path: "/friends/:userId",
    summary: "End a friendship",
    params: friendParams,
    response: relation,
    errors: ["FORBIDDEN"],
    extension: true,
    handler: ({ caller, params }) => unfriend(caller, params.userId),
  }),
  route<object, PageQuery>({
    ...list,
    path: "/friends/requests",
    summary: "Friend requests that wait for your answer, the newest first",
    response: pageOf(friendRequest),
    handler: ({ caller, query }) => listIncomingRequests(caller.userId, query),
  }),
  route<object, PageQuery>({
    ...list,
    path: "/friends/requests/sent",
    summary: "Friend requests of yours that wait for an answer, the newest first",
    response: pageOf(friendRequest),
    extension: true,
    handler: ({ caller, query }) => listSentRequests(caller.userId, query),
  }),
  route({
    ...user,
    method: "post",
    path: "/friends/:userId/request",
    summary: "Ask somebody to be friends",
    description:
      "If a request of that person to you is pending, it is accepted by this, and answered with 200. FORBIDDEN when that person takes no friend requests; CONFLICT when you are friends already.",
    params: friendParams,
    status: 201,
    mayExist: true,
    response: friendRequest,
    errors: ["FORBIDDEN", "BLOCKED", "REQUEST_ALREADY_PENDING", "CONFLICT"],
    rateLimit: { points: 60, seconds: 60, by: "user" },
    handler: postRequest,
  }),
  route<RequestParams>({
    ...answer,
    method: "post",
    path: "/friends/requests/:id/accept",
    summary: "Accept a friend request",
    errors: ["FORBIDDEN", "REQUEST_NOT_PENDING", "CONFLICT"],
    handler: ({ caller, params }) => acceptRequest(caller, params.id),
  }),
  route<RequestParams>({
    ...answer,
    method: "post",
    path: "/friends/requests/:id/reject",
    summary: "Turn a friend request down; its sender may ask again",
    errors: ["FORBIDDEN", "REQUEST_NOT_PENDING"],
    handler: ({ caller, params }) => rejectRequest(caller, params.id),
  }),
  route<RequestParams>({
    ...answer,
    method: "delete",
    path: "/friends/requests/:id",
    summary: "Take a friend request of yours back",
    errors: ["FORBIDDEN", "REQUEST_NOT_PENDING"],
    extension: true,
    handler: ({ caller, params }) => cancelRequest(caller, params.id),
  }),
];
