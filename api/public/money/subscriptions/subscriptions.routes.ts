import { listOf } from "#shared/contracts/fields.ts";
import { subscription } from "#shared/contracts/views.ts";
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
];
