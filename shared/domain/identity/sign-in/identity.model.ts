import { defaulted, defineModel, flag, key, nullable, text, time, uuid } from "#shared/db/model.ts";

/** The ways in of accounts. */
export const Identities = defineModel("identities", {
  provider: key(text()),
  subject: key(text()),
  user_id: uuid(),
  email: nullable(text()),
  email_verified: defaulted(flag()),
  /** Sealed: what revokes the service's access at the provider. */
  secret: nullable(text()),
  last_notice_at: nullable(time()),
  linked_at: defaulted(time()),
  last_used_at: nullable(time()),
});
