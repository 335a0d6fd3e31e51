import type { RemovalKind } from "#shared/contracts/views.ts";
import { defaulted, defineModel, json, key, nullable, text, time, uuid } from "#shared/db/model.ts";

/** Something that was taken from view. */
export const RemovalModel = defineModel("removals", {
  id: key(uuid()),
  user_id: uuid(),
  kind: text<RemovalKind>(),
  content_id: uuid(),
  text: text(),
  /** What the user was told. */
  reason: defaulted(text()),
  kept: nullable(json<object>()),
  removed_by: nullable(uuid()),
  appeal_id: nullable(uuid()),
  created_at: defaulted(time()),
  restored_at: nullable(time()),
});
