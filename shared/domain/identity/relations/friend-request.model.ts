import type { FriendRequest as FriendRequestView } from "#shared/contracts/views.ts";
import { defaulted, defineModel, key, nullable, type RowOf, text, time, uuid } from "#shared/db/model.ts";

/** Friend requests. `answered_at` is null while one is pending. */
export const FriendRequests = defineModel("friend_requests", {
  id: key(uuid()),
  sender_id: uuid(),
  recipient_id: uuid(),
  status: defaulted(text<FriendRequestView["status"]>()),
  created_at: defaulted(time()),
  answered_at: nullable(time()),
});

export type FriendRequest = RowOf<typeof FriendRequests>;
