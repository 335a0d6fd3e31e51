import { exampleIds } from "#shared/contracts/examples.ts";
import { type Infer, id, line, nullable, object, text, time, url } from "#shared/contracts/fields.ts";

/** Something the house announces for a while: `GET /events` lists those that are on. */
export const campaign = object({
  id: id(exampleIds.campaign),
  title: line(1, 120, "Onam nights"),
  description: text(0, 2000, "Gifts light up all week."),
  image_url: nullable(url("https://cdn.example.com/events/onam.png")),
  link: nullable(url("https://example.com/onam")).description("Page to open when the user taps the campaign, if any."),
  starts_at: time("2025-08-26T00:00:00.000Z"),
  ends_at: time("2025-09-06T00:00:00.000Z").description("End of the campaign, exclusive."),
}).meta({ name: "Campaign" });
export type Campaign = Infer<typeof campaign>;
