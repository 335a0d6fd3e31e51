import { listOf } from "#shared/contracts/fields.ts";
import { campaign } from "#shared/contracts/views.ts";
import { activeCampaigns } from "#shared/domain/social/campaigns/campaigns.queries.ts";
import { type Route, route } from "../../../http/route.ts";

export const eventsRoutes = (): Route[] => [
  route({
    id: "listCampaigns",
    method: "get",
    path: "/events",
    tag: "Events",
    summary: "List active campaigns",
    description: "Sorted by end, earliest first. Returns at most 100.",
    auth: "user",
    response: listOf(campaign),
    handler: () => activeCampaigns(),
  }),
];
