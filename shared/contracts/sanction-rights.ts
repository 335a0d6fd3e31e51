/** What a sanction can take from a user. `login`: everything but to see it, appeal, and leave. */
export const sanctionKinds = ["post", "chat", "mic", "gift", "message", "create_room", "login"] as const;
export type SanctionKind = (typeof sanctionKinds)[number];

/** What a sanction can cover beside its user: everyone who comes from there. */
export const sanctionCovers = ["device", "network"] as const;
export type SanctionCover = (typeof sanctionCovers)[number];

/** The kind that an operation or an event belongs to. What isn't here, only `login` takes. */
export const sanctionKindOf: ReadonlyMap<string, SanctionKind> = new Map<string, SanctionKind>([
  ["createPost", "post"],
  ["addComment", "post"],
  ["room:message", "chat"],
  ["sendRoomMessage", "chat"],
  ["message:edit", "chat"],
  ["editRoomMessage", "chat"],
  ["message:react", "chat"],
  ["addReaction", "chat"],
  ["room:heart", "chat"],
  ["seat:request", "mic"],
  ["requestSeat", "mic"],
  ["seat:accept_invite", "mic"],
  ["createVoiceToken", "mic"],
  ["sendGift", "gift"],
  ["openConversation", "message"],
  ["sendDirectMessage", "message"],
  ["editDirectMessage", "message"],
  ["addDirectReaction", "message"],
  ["typing:dm", "message"],
  ["changeGroup", "message"],
  ["addGroupMembers", "message"],
  ["createGroupInvite", "message"],
  ["joinGroup", "message"],
  ["createRoom", "create_room"],
]);

/** What a user can do whom a sanction keeps out. */
export const openWhileSanctioned: ReadonlySet<string> = new Set([
  "getMe",
  "getCurrentUser",
  "listOwnSanctions",
  "getTerms",
  "acceptTerms",
  "listOwnHeldContent",
  "appealSanction",
  "listOwnRemovals",
  "appealRemoval",
  "acknowledgeSanction",
  "listLoginSessions",
  "endLoginSession",
  "requestAccountDeletion",
  "requestDataExport",
  "getDataExport",
]);
