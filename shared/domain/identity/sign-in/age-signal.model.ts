import { defaulted, defineModel, key, nullable, small, text, time, uuid } from "#shared/db/model.ts";

/** What app stores say of users' ages. */
export const AgeSignals = defineModel("age_signals", {
  user_id: key(uuid()),
  source: text<"apple" | "google">(),
  lower: nullable(small()),
  upper: nullable(small()),
  method: text(),
  consent: text<"not_needed" | "given" | "withdrawn">(),
  received_at: defaulted(time()),
});
