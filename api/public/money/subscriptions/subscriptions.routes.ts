import { exampleIds } from "#shared/contracts/examples.ts";
import { id, listOf, object } from "#shared/contracts/fields.ts";
import { canceledSubscription, subscription } from "#shared/contracts/views.ts";
import { cancelSubscription } from "#shared/domain/money/subscriptions/cancel-subscription.ts";
import { listSubscriptions, subscriptionsMax } from "#shared/domain/money/subscriptions/subscriptions.queries.ts";
import { type Route, routeOf } from "../../../http/route.ts";

const route = routeOf("Payments", "user");

export const subscriptionsRoutes = (): Route[] => [
  route({
    id: "listSubscriptions",
    method: "get",
    path: "/subscriptions",
    summary: "List your subscriptions",
    description: `Returns your VIP plans that renew, at a store or at Stripe, the latest first, and those that ended, at most ${subscriptionsMax}. Each paid period is an order.`,
    response: listOf(subscription).meta({ name: "SubscriptionList" }),
    extension: true,
    handler: ({ caller }) => listSubscriptions(caller.userId),
  }),
  route({
    id: "cancelSubscription",
    method: "post",
    path: "/subscriptions/:id/cancel",
    blocks: "none",
    summary: "Cancel a subscription",
    description:
      "Ends one of your subscriptions with its current period. Stores only let you cancel yourself: then the response has the address of their page. `CONFLICT` if it has ended.",
    params: object({ id: id(exampleIds.subscription) }),
    response: canceledSubscription,
    extension: true,
    errors: ["CONFLICT", "ENGINE_UNAVAILABLE"],
    handler: ({ caller, params }) => cancelSubscription(caller, params.id),
  }),
];
