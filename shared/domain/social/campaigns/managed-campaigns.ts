import { exampleIds } from "#shared/contracts/examples.ts";
import { line, nullable, oneOf, plainTime, text, url } from "#shared/contracts/fields.ts";
import type { ManagedResource } from "#shared/domain/base/managed/managed-resource.ts";
import { CampaignModel } from "./campaign.model.ts";

/** A campaign is active from its start until its end, exclusive, as `activeCampaigns` shows it. */
const status = {
  schema: oneOf("upcoming", "active", "ended"),
  where: `? = CASE WHEN t.starts_at > now() THEN 'upcoming' WHEN t.ends_at > now() THEN 'active' ELSE 'ended' END`,
};

/** The campaigns, which the contract calls events. */
export const managedCampaigns: ManagedResource = {
  resource: "events",
  name: "event",
  one: "an event",
  many: "events",
  model: CampaignModel,
  fields: {
    title: line(1, 120, "Onam nights"),
    description: text(0, 2000, "Gifts light up all week."),
    image_url: nullable(url("https://cdn.example.com/events/onam.png")).description("The banner."),
    link: nullable(url("https://example.com/onam")).description("Page to open when the user taps the event."),
    starts_at: plainTime("2025-08-26T00:00:00.000Z"),
    ends_at: plainTime("2025-09-06T00:00:00.000Z").description("End of the event, exclusive. After `starts_at`."),
  },
  defaults: { description: "", image_url: null, link: null },
  check: ({ starts_at, ends_at }) =>
    Date.parse(String(starts_at)) < Date.parse(String(ends_at))
      ? undefined
      : { field: "ends_at", text: "ends_at must be after starts_at" },
  search: ["title", "description"],
  derivedFilters: { status },
  sorts: ["starts_at", "ends_at", "title", "created_at"],
  exampleId: exampleIds.campaign,
};
