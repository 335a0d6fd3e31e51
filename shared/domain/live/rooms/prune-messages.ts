import { defineJob } from "#shared/db/jobs.ts";
import { expireMessages } from "#shared/domain/base/messages/expire-messages.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";

export const pruneRoomMessagesJob = defineJob("prune.room_messages", {
  retries: 3,
  retryMaxSeconds: 600,
  timeoutSeconds: 3600,
  exclusive: true,
});

/** Deletes the messages of rooms that are older than the setting `room_message_months` says. */
export const pruneRoomMessages = (): Promise<void> =>
  expireMessages("room", { months: setting("room_message_months") });
