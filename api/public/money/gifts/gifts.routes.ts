import { listOf, pageOf } from "#shared/contracts/fields.ts";
import { giftTransaction } from "#shared/contracts/views.ts";
import { listGifts, listReceivedGifts, listSentGifts } from "#shared/domain/money/gifts/gifts.queries.ts";
import { sendGift } from "#shared/domain/money/gifts/send-gift.ts";
import type { ApiDeps } from "../../../deps.ts";
import { type Route, routeOf } from "../../../http/route.ts";
import { giftCategory, roomParams, sendGiftBody, transactionsQuery } from "./gifts.schemas.ts";

const route = routeOf("Gifts", "user");

export const giftsRoutes = ({ actors }: ApiDeps): Route[] => [
  route({
    id: "sendGift",
    method: "post",
    path: "/rooms/:id/gifts",
    blocks: "shared",
    summary: "Send a gift",
    description:
      "Costs price × quantity. The recipient receives the share in the setting `gift_receiver_percent`, rounded down. Both of you must be in the room: otherwise the error is `NOT_A_MEMBER` for you and `NOT_FOUND` for the recipient. You can't send a gift to yourself, or to a user who can't receive gifts at their age: the error is `FORBIDDEN`. The room receives `gift:animation`.",
    idempotent: true,
    params: roomParams,
    body: sendGiftBody,
    response: giftTransaction,
    status: 201,
    errors: ["INSUFFICIENT_BALANCE", "COINS_HELD", "FORBIDDEN", "NOT_A_MEMBER", "ROOM_CLOSED"],
    handler: ({ caller, params, body, idempotency }) =>
      sendGift(actors, caller, { room_id: params.id, ...body }, idempotency),
  }),
  route({
    id: "listGifts",
    method: "get",
    path: "/gifts",
    summary: "List gifts for sale",
    description: "Grouped by category. Prices are in coins.",
    response: listOf(giftCategory),
    handler: () => listGifts(),
  }),
  route({
    id: "listSentGifts",
    method: "get",
    path: "/gifts/transactions/sent",
    summary: "List sent gifts",
    description: "The gifts that you have sent, newest first.",
    query: transactionsQuery,
    response: pageOf(giftTransaction),
    handler: ({ caller, query }) => listSentGifts(caller.userId, query),
  }),
  route({
    id: "listReceivedGifts",
    method: "get",
    path: "/gifts/transactions/received",
    summary: "List received gifts",
    description: "The gifts that you have received, newest first. `total_coins` is what the sender paid.",
    query: transactionsQuery,
    response: pageOf(giftTransaction),
    handler: ({ caller, query }) => listReceivedGifts(caller.userId, query),
  }),
];
