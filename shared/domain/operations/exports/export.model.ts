import type { DataExport } from "#shared/contracts/views.ts";
import { bigint, defaulted, defineModel, key, nullable, small, text, time, uuid } from "#shared/db/model.ts";

/** Exports of users' data, one for each user. */
export const ExportModel = defineModel("user_exports", {
  id: key(uuid()),
  user_id: uuid(),
  state: defaulted(text<DataExport["state"]>()),
  /** How often a process began to make it. */
  attempt: defaulted(small()),
  /** Percent. */
  progress: defaulted(small()),
  bytes: nullable(bigint()),
  downloads: defaulted(small()),
  created_at: defaulted(time()),
  ready_at: nullable(time()),
  expires_at: time(),
});
