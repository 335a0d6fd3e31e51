import { bytes, defaulted, defineModel, key, nullable, text, time, uuid } from "#shared/db/model.ts";

/** The key pairs of users. Their lists are SQL, which shows networks as text. */
export const ApiKeys = defineModel("api_keys", {
  id: key(uuid()),
  user_id: uuid(),
  name: text(),
  public_key: text(),
  secret_hash: bytes(),
  last_used_at: nullable(time()),
  created_at: defaulted(time()),
});
