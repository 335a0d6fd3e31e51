import { listOf } from "#shared/contracts/fields.ts";
import { campaign } from "#shared/contracts/views.ts";
import { activeCampaigns } from "#shared/domain/campaigns/campaigns.queries.ts";
import { type Route, route } from "../../http/route.ts";

export const eventsRoutes = (): Route[] => [
  route({
    method: "get",
    path: "/events",
    tag: "Events",
    summary: "Campaigns that are on now",
    description: "The one that ends first at the top; at most a hundred.",
    auth: "user",
    response: listOf(campaign),
    handler: () => activeCampaigns(),
  }),
];
