/**
 * Who is calling, as an edge has authenticated him. Nothing in an input ever says who the caller is.
 * (An *actor* always means a room's actor.)
 */
export interface Caller {
  readonly userId: string;
  readonly sessionId: string;
  /** Expiry of the access token, milliseconds since 1970. */
  readonly expiresAtMs: number;
}
