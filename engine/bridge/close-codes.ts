/** Close codes of native connections. */
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
