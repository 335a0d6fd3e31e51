import { count, integer, line, nullable, oneOf, plainTime, time } from "#shared/contracts/fields.ts";
import type { ManagedResource } from "#shared/domain/base/managed/managed-resource.ts";
import { DiscountModel, ServiceModel } from "./catalogue.models.ts";
import { pricedDefaults, pricedFields, queryReference, reference, type Values, wrongPrice } from "./managed-fields.ts";

/**
 * A campaign runs from its start until its end, exclusive, unless it is ended or sold out before, as `isRunning` says.
 */
const status = {
  schema: oneOf("upcoming", "running", "ended"),
  where: `? = CASE WHEN t.ends_at <= now() OR t.ended_at IS NOT NULL OR t.offered_sell >= t.max_sell THEN 'ended'
    WHEN t.starts_at > now() THEN 'upcoming' ELSE 'running' END`,
};

async function wrongCampaign(values: Values) {
  if (values.ended_at) return { field: "ended_at", text: "The campaign was ended, so it can't be changed" };
  if (Date.parse(String(values.starts_at)) >= Date.parse(String(values.ends_at)))
    return { field: "ends_at", text: "ends_at must be after starts_at" };
  const sold = Number(values.offered_sell ?? 0);
  if (Number(values.max_sell) < sold)
    return { field: "max_sell", text: "max_sell must be at least {{sold}}, the number sold", values: { sold } };
  const service = await ServiceModel.read({ id: Number(values.service_id) }, ["currency"]);
  if (!service) return { field: "service_id", text: "{{field}} doesn't exist" };
  return wrongPrice(values, service.currency);
}

/** The campaigns of services. Two of the same service don't overlap. */
export const managedCatalogueCampaigns: ManagedResource = {
  resource: "catalogue_campaigns",
  path: "/catalogue/campaigns",
  name: "catalogue_campaign",
  one: "a campaign",
  many: "campaigns",
  model: DiscountModel,
  fields: {
    name: line(1, 120, "Winter sale"),
    service_id: reference(),
    ...pricedFields,
    max_sell: integer(1, 1_000_000_000, 50).description("How many orders get its price."),
    starts_at: plainTime("2026-01-31T00:00:00.000Z"),
    ends_at: plainTime("2026-02-07T00:00:00.000Z").description("Exclusive. After `starts_at`."),
  },
  defaults: pricedDefaults,
  shown: {
    offered_sell: count(3),
    ended_at: nullable(time("2026-02-03T12:00:00.000Z")).description("When an administrator ended it."),
  },
  check: wrongCampaign,
  search: ["name"],
  filters: { service_id: queryReference() },
  derivedFilters: { status },
  sorts: ["id", "name", "starts_at", "ends_at", "created_at"],
  exampleId: 1,
};
