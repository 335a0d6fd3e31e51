import { exampleIds } from "#shared/contracts/examples.ts";
import { type Infer, id, line, nullable, object, text, time, url } from "#shared/contracts/fields.ts";

/** Something the house announces for a while: `GET /events` lists those that are on. */
export const campaign = object({
  id: id(exampleIds.campaign),
  title: line(1, 120, "Diwali nights"),
  description: text(0, 2000, "Gifts light up all week."),
  image_url: nullable(url("https://cdn.example.com/events/diwali.png")),
  link: nullable(url("https://example.com/diwali")).description(
    "Page to open when the user taps the campaign, if any.",
  ),
  starts_at: time("2026-11-08T00:00:00.000Z"),
  ends_at: time("2026-11-15T00:00:00.000Z").description("End of the campaign, exclusive."),
}).meta({ name: "Campaign" });
export type Campaign = Infer<typeof campaign>;
