import { listOf, pageOf } from "#shared/contracts/fields.ts";
import { giftTransaction } from "#shared/contracts/views.ts";
import { listGifts, listReceivedGifts, listSentGifts } from "#shared/domain/gifts/gifts.queries.ts";
import type { PageQuery } from "#shared/kernel/page.ts";
import type { ApiDeps } from "../../deps.ts";
import { type Route, route } from "../../http/route.ts";
import { sendGiftInRoom } from "./gifts.handlers.ts";
import {
  giftCategory,
  type RoomParams,
  roomParams,
  type SendGiftBody,
  sendGiftBody,
  transactionsQuery,
} from "./gifts.schemas.ts";

export const giftsRoutes = ({ actors }: ApiDeps): Route[] => [
  route<RoomParams, object, SendGiftBody>({
    method: "post",
    path: "/rooms/:id/gifts",
    tag: "Gifts",
    summary: "Send a gift to somebody in the room",
    description:
      "The caller pays price × quantity; the recipient gets the share that the setting `gift_receiver_percent` says, rounded down. Both must be in the room: NOT_A_MEMBER when the caller is not, NOT_FOUND when the recipient is not. FORBIDDEN to oneself. The room gets `gift:animation`.",
    auth: "user",
    idempotent: true,
    params: roomParams,
    body: sendGiftBody,
    response: giftTransaction,
    status: 201,
    errors: ["INSUFFICIENT_BALANCE", "FORBIDDEN", "BLOCKED", "NOT_A_MEMBER", "ROOM_CLOSED"],
    handler: (call) => sendGiftInRoom(actors, call),
  }),
  route({
    method: "get",
    path: "/gifts",
    tag: "Gifts",
    summary: "Gifts on sale, by category",
    auth: "user",
    response: listOf(giftCategory),
    handler: () => listGifts(),
  }),
  route<object, PageQuery>({
    method: "get",
    path: "/gifts/transactions/sent",
    tag: "Gifts",
    summary: "Gifts that you have sent, newest first",
    auth: "user",
    query: transactionsQuery,
    response: pageOf(giftTransaction),
    handler: ({ caller, query }) => listSentGifts(caller.userId, query),
  }),
  route<object, PageQuery>({
    method: "get",
    path: "/gifts/transactions/received",
    tag: "Gifts",
    summary: "Gifts that you were given, newest first",
    auth: "user",
    query: transactionsQuery,
    response: pageOf(giftTransaction),
    handler: ({ caller, query }) => listReceivedGifts(caller.userId, query),
  }),
];
