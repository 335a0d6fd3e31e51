import type { Device as DeviceView } from "#shared/contracts/views.ts";
import { defaulted, defineModel, key, text, time, uuid } from "#shared/db/model.ts";

/** One installation of the app, and where pushes reach it. */
export const Device = defineModel("user_devices", {
  id: key(uuid()),
  user_id: uuid(),
  session_id: uuid(),
  platform: text<DeviceView["platform"]>(),
  device_uid: text(),
  push_token: text(),
  created_at: defaulted(time()),
  updated_at: defaulted(time()),
});
