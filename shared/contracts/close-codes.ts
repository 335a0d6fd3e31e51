/** Close codes of native connections that are ours. */
export const closeCodes = {
  /** The session has ended, or the account was suspended; the reason is the error code. */
  sessionEnded: 4401,
  /** The user is no longer in the room. */
  notMember: 4403,
  /** The access token has expired, and no new one came within a minute. */
  tokenExpired: 4419,
  /** The user has sent far more events than are permitted (`floodPoints`). */
  flooded: 4429,
} as const;

/** What each close code of a native connection tells its client: those of Colyseus, and ours. For the documents. */
export const closeCodeTexts: Readonly<Record<number, string>> = {
  1000: "you connected without a place in a room",
  1001: "your app went away",
  1005: "closed without a code",
  1006: "the network failed, or you didn't read, acknowledge your join, or close in time: reconnect",
  4000: "you have left, or the room or game has ended",
  4001: "the service restarts: join again",
  4002: "you couldn't join, sent a frame that can't be read, or have reconnected elsewhere",
  4003: "your reservation has expired: join again",
  4010: "the SDK has lost the network, and reconnects",
  [closeCodes.sessionEnded]: "your session has ended; the reason is the error code",
  [closeCodes.notMember]: "you are no longer in the room",
  [closeCodes.tokenExpired]: "your access token has expired",
  [closeCodes.flooded]: "you sent far more events than are permitted",
};
