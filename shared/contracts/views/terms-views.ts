import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import { type Infer, line, nullable, object, time } from "#shared/contracts/fields.ts";

export const termsVersion = () => line(1, 40, "2026-11");

export const terms = object({
  version: nullable(termsVersion()).description("The version that holds. Null: users aren't asked."),
  accepted: nullable(termsVersion()).description("The version that you accepted last."),
  accepted_at: nullable(time(exampleTime(exampleIds.ada))),
}).meta({ name: "Terms" });
export type Terms = Infer<typeof terms>;
