import { defaulted, defineModel, flag, key, nullable, time, uuid } from "#shared/db/model.ts";

export const FrameOwnership = defineModel("frame_ownerships", {
  user_id: key(uuid()),
  frame_id: key(uuid()),
  expires_at: nullable(time()),
  equipped: defaulted(flag()),
});
