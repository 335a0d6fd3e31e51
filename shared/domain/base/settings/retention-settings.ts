import { integer } from "#shared/contracts/fields.ts";
import { setting } from "./define-setting.ts";

/** For how long what happened is kept. */
export const retentionSettings = {
  event_log_days: setting(
    integer(1, 90, 7),
    7,
    "For how many days events are kept for endpoints and sinks that are away. At most five million are.",
  ),
  room_message_months: setting(
    integer(0, 120, 12),
    0,
    "For how many whole months after their own the messages of rooms are kept. Then they are deleted, with their pictures, reactions, and earlier texts, for good; 0 keeps all.",
  ),
  direct_message_months: setting(
    integer(0, 120, 12),
    0,
    "For how many whole months after their own the messages of conversations are kept. Then they are deleted for both, with their pictures, reactions, and earlier texts, for good; 0 keeps all.",
  ),
};
