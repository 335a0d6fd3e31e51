import { defaulted, defineModel, key, text, time, uuid } from "#shared/db/model.ts";

/** Which versions of the terms people have accepted. */
export const TermsAcceptance = defineModel("terms_acceptances", {
  user_id: key(uuid()),
  version: key(text()),
  accepted_at: defaulted(time()),
});
