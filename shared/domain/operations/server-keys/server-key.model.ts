import { bytes, defaulted, defineModel, integer, nullable, text, texts, time, uuid, uuids } from "#shared/db/model.ts";
import { managedColumns } from "#shared/domain/base/managed/managed-resource.ts";

/** By which a server of the operator calls, and acts as bots. */
export const ServerKeyModel = defineModel("server_keys", {
  ...managedColumns,
  name: text(),
  permissions: texts(),
  calls_per_minute: integer(),
  expires_at: nullable(time()),
  created_by: nullable(uuid()),
  hash: nullable(bytes()),
  previous_hash: nullable(bytes()),
  previous_until: nullable(time()),
  bots: defaulted(uuids()),
  last_used_at: nullable(time()),
});
