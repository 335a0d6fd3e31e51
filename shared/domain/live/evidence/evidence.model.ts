import { defaulted, defineModel, key, nullable, text, time, uuid } from "#shared/db/model.ts";

/** Audio that a report has sealed. Its pieces are encrypted with a key of its own, which is sealed. */
export const VoiceEvidence = defineModel("voice_evidence", {
  id: key(uuid()),
  room_id: uuid(),
  key_sealed: text(),
  created_at: defaulted(time()),
  expires_at: time(),
  requested_by: nullable(uuid()),
  requested_at: nullable(time()),
  reason: nullable(text()),
  approved_by: nullable(uuid()),
  approved_at: nullable(time()),
});
