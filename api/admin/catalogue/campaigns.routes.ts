import { object } from "#shared/contracts/fields.ts";
import { idSchema } from "#shared/domain/base/managed/managed-resource.ts";
import { endCampaign } from "#shared/domain/catalogue/products/end-campaign.ts";
import { managedCatalogueCampaigns } from "#shared/domain/catalogue/products/managed-campaigns.ts";
import { type AdminRoute, adminWrite } from "../../http/admin-route.ts";
import { managedRecord } from "../managed-routes.ts";

/** What administrators do with campaigns beyond writing their fields. */
export const campaignsRoutes = (): AdminRoute[] => [
  adminWrite({
    tag: "Catalogue",
    id: "endCatalogueCampaign",
    method: "post",
    path: "/catalogue/campaigns/:id/end",
    summary: "End a campaign",
    description:
      "Orders are at the regular price immediately. Those that were placed keep their price. A campaign that was ended can't be changed.",
    permission: "catalogue_campaigns.write",
    params: object({ id: idSchema(managedCatalogueCampaigns) }),
    response: managedRecord(managedCatalogueCampaigns),
    errors: ["CONFLICT"],
    audit: {
      action: "catalogue_campaign.end",
      target: ({ params }) => ({ type: "catalogue_campaign", id: String(params.id) }),
    },
    handler: ({ caller, params }) => endCampaign(caller, params.id),
  }),
];
