import { listOf } from "#shared/contracts/fields.ts";
import { frame, orderToPay, vipPlan } from "#shared/contracts/views.ts";
import { buyFrame } from "#shared/domain/store/buy-frame.ts";
import { equipFrame, takeFrameOff } from "#shared/domain/store/equip-frame.ts";
import { orderVip } from "#shared/domain/store/order-vip.ts";
import { listFrames, listVipPlans } from "#shared/domain/store/store.queries.ts";
import { type Route, route } from "../../http/route.ts";
import {
  type FrameParams,
  frameParams,
  type PlanParams,
  type PurchaseBody,
  planParams,
  purchaseBody,
} from "./store.schemas.ts";

export const storeRoutes = (): Route[] => [
  route({
    method: "get",
    path: "/store/frames",
    tag: "Store",
    summary: "Frames on sale, and those that you own",
    auth: "user",
    response: listOf(frame),
    handler: ({ caller }) => listFrames(caller.userId),
  }),
  route<FrameParams, object, PurchaseBody>({
    method: "post",
    path: "/store/frames/:id/purchase",
    tag: "Store",
    summary: "Buy a frame with coins",
    description:
      "You pay what it costs at this moment and own it for `duration_days`, or for good. One that has expired can be bought again. It is not put on by that.",
    auth: "user",
    idempotent: true,
    params: frameParams,
    body: purchaseBody,
    response: frame,
    status: 201,
    errors: ["INSUFFICIENT_BALANCE", "ALREADY_OWNED", "CONFLICT"],
    handler: ({ caller, params, body, idempotency }) =>
      buyFrame(caller, { frameId: params.id, expectedPrice: body.expected_price }, idempotency),
  }),
  route<FrameParams>({
    method: "post",
    path: "/store/frames/:id/equip",
    tag: "Store",
    summary: "Put a frame on that you own",
    description: "It takes the place of the one that was on. Everybody sees it on your card.",
    auth: "user",
    params: frameParams,
    response: frame,
    errors: ["NOT_OWNED"],
    handler: ({ caller, params }) => equipFrame(caller, params.id),
  }),
  route<FrameParams>({
    method: "delete",
    path: "/store/frames/:id/equip",
    tag: "Store",
    summary: "Take a frame off",
    auth: "user",
    params: frameParams,
    response: frame,
    errors: ["NOT_OWNED"],
    extension: true,
    handler: ({ caller, params }) => takeFrameOff(caller, params.id),
  }),
  route({
    method: "get",
    path: "/store/vip-plans",
    tag: "Store",
    summary: "VIP plans on sale",
    auth: "user",
    response: listOf(vipPlan),
    handler: () => listVipPlans(),
  }),
  route<PlanParams>({
    method: "post",
    path: "/store/vip/:planId/purchase",
    tag: "Store",
    summary: "Order a VIP plan, to be paid at the provider",
    description:
      "Paid and verified like an order of coins. VIP begins when the money is there; more of the same plan is added to its end, another plan runs beside it, and your card shows the one bought last. It ends at once when the money is given back.",
    auth: "user",
    rateLimit: { points: 30, seconds: 60, by: "user" },
    idempotent: true,
    params: planParams,
    response: orderToPay,
    status: 201,
    errors: ["ORDER_NOT_PAYABLE"],
    handler: ({ caller, params, idempotency }) => orderVip(caller, params.planId, idempotency),
  }),
];
