/** What a guest may do: always, or only if the setting `guests_may` names it. */
export type GuestRight = "always" | "chat";

/**
 * What guests may do, by the ID of an operation or the name of an event. They may read what everyone may; everything
 * else that isn't here is refused with GUEST_NOT_ALLOWED, so that a new operation is refused until it is listed.
 */
export const guestRights: ReadonlyMap<string, GuestRight> = new Map<string, GuestRight>([
  ["updateMe", "always"],
  ["updateMySettings", "always"],
  ["linkIdentity", "always"],
  ["endLoginSession", "always"],
  ["requestAccountDeletion", "always"],
  ["requestDataExport", "always"],
  ["getDataExport", "always"],
  ["joinRoom", "always"],
  ["leaveRoom", "always"],
  ["createVoiceToken", "always"],
  ["appealSanction", "always"],
  ["acceptTerms", "always"],
  ["createReport", "always"],
  ["blockUser", "always"],
  ["unblockUser", "always"],
  ["room:join", "always"],
  ["room:leave", "always"],
  ["room:sync", "always"],
  ["room:message", "chat"],
  ["sendRoomMessage", "chat"],
  ["message:edit", "chat"],
  ["editRoomMessage", "chat"],
  ["message:react", "chat"],
  ["addReaction", "chat"],
  ["message:unreact", "chat"],
  ["removeReaction", "chat"],
  ["room:heart", "chat"],
]);
