import { listOf } from "#shared/contracts/fields.ts";
import { frame, vipPlan } from "#shared/contracts/views.ts";
import { buyFrame } from "#shared/domain/money/store/buy-frame.ts";
import { equipFrame, unequipFrame } from "#shared/domain/money/store/equip-frame.ts";
import { orderVip } from "#shared/domain/money/store/order-vip.ts";
import { listFrames, listVipPlans } from "#shared/domain/money/store/store.queries.ts";
import { exampleWith } from "../../../docs/example-of.ts";
import { type Route, routeOf } from "../../../http/route.ts";
import { platformQuery } from "../payments/payments.schemas.ts";
import { frameParams, planParams, purchaseFrameBody, vipOrderToPay } from "./store.schemas.ts";

const route = routeOf("Store", "user");

export const storeRoutes = (): Route[] => [
  route({
    id: "listFrames",
    method: "get",
    path: "/store/frames",
    summary: "List frames",
    description:
      "Returns the frames on sale, and those you own that are no longer on sale. A frame decorates your avatar wherever your card is shown.",
    response: listOf(frame).meta({ name: "FrameList" }),
    handler: ({ caller }) => listFrames(caller.userId),
  }),
  route({
    id: "purchaseFrame",
    method: "post",
    path: "/store/frames/:id/purchase",
    blocks: "none",
    summary: "Purchase a frame",
    description:
      "Debits the current price from your wallet. You own the frame for `duration_days`, or forever if that is null. You can buy it again after it has expired. Purchasing a frame doesn't equip it.",
    idempotent: true,
    params: frameParams,
    body: purchaseFrameBody,
    response: exampleWith(frame, { equipped: false }),
    status: 201,
    errors: ["INSUFFICIENT_BALANCE", "ALREADY_OWNED", "CONFLICT"],
    handler: ({ caller, params, body, idempotency }) =>
      buyFrame(caller, { frameId: params.id, expectedPrice: body.expected_price }, idempotency),
  }),
  route({
    id: "equipFrame",
    method: "post",
    path: "/store/frames/:id/equip",
    blocks: "none",
    summary: "Equip a frame",
    description: "Replaces the frame that you have equipped, if any. All users see the new frame on your card.",
    params: frameParams,
    response: frame,
    errors: ["NOT_OWNED"],
    handler: ({ caller, params }) => equipFrame(caller, params.id),
  }),
  route({
    id: "unequipFrame",
    method: "delete",
    path: "/store/frames/:id/equip",
    blocks: "none",
    summary: "Unequip a frame",
    description: "You still own the frame. Succeeds even if it isn't equipped.",
    params: frameParams,
    response: exampleWith(frame, { equipped: false }),
    errors: ["NOT_OWNED"],
    extension: true,
    handler: ({ caller, params }) => unequipFrame(caller, params.id),
  }),
  route({
    id: "listVipPlans",
    method: "get",
    path: "/store/vip-plans",
    summary: "List VIP plans",
    description:
      "Returns the plans on sale. They are paid with money, not with coins. With `platform`, also the product that an app there buys at its store, for `store_product_id`.",
    query: platformQuery,
    response: listOf(vipPlan).meta({ name: "VipPlanList" }),
    handler: ({ query }) => listVipPlans(query.platform),
  }),
  route({
    id: "purchaseVipPlan",
    method: "post",
    path: "/store/vip/:planId/purchase",
    blocks: "none",
    summary: "Purchase a VIP plan",
    description:
      "Creates an order, which you pay and verify like an order for coins. VIP starts once the payment is confirmed. Another purchase of the same plan extends it; a different plan runs alongside, and your card shows the plan you bought last. A refund ends it immediately. A plan that `renews` starts a subscription where the payment provider can do that: each later period is an order of its own. `CONFLICT` if you already subscribe to it.",
    rateLimit: { points: 30, seconds: 60, by: "user" },
    idempotent: true,
    params: planParams,
    response: vipOrderToPay,
    status: 201,
    errors: ["CONFLICT", "ORDER_NOT_PAYABLE", "PURCHASE_LIMITED"],
    handler: ({ caller, params, idempotency }) => orderVip(caller, params.planId, idempotency),
  }),
];
