import { code, defaulted, defineModel, integer, key, nullable, text, time, uuid } from "#shared/db/model.ts";

/** A notification of administrators to many users. */
export const BroadcastModel = defineModel("broadcasts", {
  id: key(uuid()),
  title: text(),
  body: text(),
  audience: text(),
  country: nullable(code(2)),
  status: defaulted(text()),
  scheduled_at: time(),
  recipients: nullable(integer()),
  notified: defaulted(integer()),
  created_by: uuid(),
  created_at: defaulted(time()),
  started_at: nullable(time()),
  ended_at: nullable(time()),
});
