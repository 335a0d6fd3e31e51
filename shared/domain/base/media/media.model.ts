import type { MediaPurpose, MediaState } from "#shared/contracts/views.ts";
import { defaulted, defineModel, integer, json, key, nullable, small, text, time, uuid } from "#shared/db/model.ts";
import type { StoredCard } from "./media-card.ts";

/** Pictures, sounds, and files that were announced, and what became of them. */
export const MediaModel = defineModel("media", {
  id: key(uuid()),
  /** Null: an administrator's. */
  user_id: nullable(uuid()),
  purpose: text<MediaPurpose>(),
  state: defaulted(text<MediaState | "deleted">()),
  reason: nullable(text()),
  /** Of the rule that refused it. */
  rule_id: nullable(uuid()),
  rule_version: nullable(integer()),
  content_type: text(),
  bytes: integer(),
  sha256: nullable(text()),
  name: nullable(text()),
  waveform: nullable(json<readonly number[]>()),
  card: nullable(json<StoredCard>()),
  attempts: defaulted(small()),
  uses: defaulted(integer()),
  unused_since: nullable(time()),
  created_at: defaulted(time()),
  begun_at: nullable(time()),
});
