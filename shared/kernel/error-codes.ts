/** One row of the error reference: which HTTP status a code has, what it means, and what a client should do about it. */
export interface ErrorCodeEntry {
  readonly status: number;
  readonly meaning: string;
  readonly remedy: string;
}

const entry = (status: number, meaning: string, remedy: string): ErrorCodeEntry => ({ status, meaning, remedy });

/**
 * Every code that a failure can carry. The HTTP envelope, the realtime acknowledgements, the OpenAPI document and
 * the page `/docs/errors` are all made from this table.
 */
export const errorCodes = {
  VALIDATION_ERROR: entry(
    400,
    "The input does not fit the schema.",
    "Read `error.details`: one entry for each field at fault.",
  ),
  MALFORMED_JSON: entry(400, "The body is not JSON.", "Send JSON with `Content-Type: application/json`."),
  PAYMENT_SIGNATURE_INVALID: entry(
    400,
    "The payment signature does not match.",
    "Send the three values exactly as the provider gave them.",
  ),
  CODE_INVALID: entry(400, "The code or reset token is wrong, used or expired.", "Ask for a new one."),
  UNAUTHENTICATED: entry(
    401,
    "No token, a bad token, or a revoked session.",
    "Log in and send `Authorization: Bearer <token>`.",
  ),
  TOKEN_EXPIRED: entry(401, "The access token is past its 15 minutes.", "Call `POST /auth/refresh` and try again."),
  INVALID_CREDENTIALS: entry(401, "Identifier or password is wrong.", "Check both; the answer does not say which."),
  REFRESH_TOKEN_INVALID: entry(401, "The refresh token is unknown, used, expired or revoked.", "Log in again."),
  INSUFFICIENT_BALANCE: entry(402, "The wallet holds fewer coins than this costs.", "Buy coins, then try again."),
  FORBIDDEN: entry(403, "You may see this but not do it.", "Ask the host, the owner or an administrator."),
  ACCOUNT_SUSPENDED: entry(403, "The account is suspended.", "Write to support."),
  BLOCKED: entry(403, "One of the two people has blocked the other.", "Nothing to do: blocks hold both ways."),
  NOT_A_MEMBER: entry(403, "Only members may do this.", "Join the room or conversation first."),
  ROOM_PASSWORD_REQUIRED: entry(403, "The room has a password.", "Join again with `password`."),
  ROOM_PASSWORD_INCORRECT: entry(403, "The room's password is another one.", "Ask the host for it."),
  BANNED_FROM_ROOM: entry(403, "You are banned from this room.", "Wait until the ban ends or is lifted."),
  NOT_OWNED: entry(403, "You do not own this item.", "Buy it first."),
  NOT_FOUND: entry(404, "There is no such thing, or you may not know of it.", "Check the id."),
  CONFLICT: entry(409, "The state of things does not allow this now.", "Read it anew and decide again."),
  USERNAME_TAKEN: entry(409, "The username belongs to someone.", "Choose another."),
  EMAIL_TAKEN: entry(409, "The e-mail address belongs to an account.", "Log in, or use another."),
  MOBILE_TAKEN: entry(409, "The mobile number belongs to an account.", "Log in, or use another."),
  ALREADY_OWNED: entry(409, "You own this item already.", "Nothing to do."),
  ROOM_CLOSED: entry(409, "The room is closed.", "Choose another room."),
  ROOM_FULL: entry(409, "The room holds as many people as it can.", "Try later."),
  SEAT_TAKEN: entry(409, "Somebody sits there.", "Choose another seat."),
  SEAT_LOCKED: entry(409, "The seat is locked.", "Choose another seat."),
  ALREADY_SEATED: entry(409, "This person has a seat already.", "Leave it first."),
  NO_FREE_SEAT: entry(409, "Every seat is taken or locked.", "Wait for one."),
  NOT_SEATED: entry(409, "This needs a seat.", "Ask for one with `seat:request`."),
  REQUEST_ALREADY_PENDING: entry(409, "A request of yours is pending.", "Wait for the answer."),
  REQUEST_NOT_PENDING: entry(
    409,
    "The request has been answered, taken back or has expired.",
    "Read the list of requests.",
  ),
  LOBBY_NOT_OPEN: entry(409, "The lobby has started or ended.", "Open or join another."),
  LOBBY_FULL: entry(409, "The lobby has all its players.", "Join another."),
  NOT_ENOUGH_PLAYERS: entry(409, "The game needs more players.", "Wait for them."),
  PLAYERS_NOT_READY: entry(409, "Not every player is ready.", "Wait for them."),
  NOT_YOUR_TURN: entry(409, "It is another player's turn.", "Wait for `game:state`."),
  ILLEGAL_ACTION: entry(409, "The rules do not allow this action now.", "Read `turn.allowed`."),
  SESSION_FINISHED: entry(409, "The game is over.", "Start a new one."),
  ORDER_NOT_PAYABLE: entry(409, "The order is not waiting for payment.", "Make a new order."),
  IDEMPOTENCY_CONFLICT: entry(
    409,
    "This Idempotency-Key was used with another request.",
    "Use a new key for a new request.",
  ),
  PAYLOAD_TOO_LARGE: entry(413, "The body is larger than allowed.", "Send less."),
  UNSUPPORTED_MEDIA_TYPE: entry(415, "The content type is not understood here.", "Send `application/json`."),
  RATE_LIMITED: entry(429, "Too many calls.", "Wait the seconds named in `Retry-After`."),
  INTERNAL_ERROR: entry(500, "The fault is ours.", "Try again; report `error.request_id` if it stays."),
  MAINTENANCE: entry(503, "The service is in maintenance.", "Try again later."),
  VOICE_NOT_CONFIGURED: entry(
    503,
    "The server has no media credentials.",
    "Whoever runs it sets LIVEKIT_URL, LIVEKIT_API_KEY and LIVEKIT_API_SECRET.",
  ),
  ENGINE_UNAVAILABLE: entry(
    503,
    "What this call needs (a room's actor, the database, the payment provider) is overloaded or out of reach.",
    "Try again after `Retry-After` seconds, with the same `Idempotency-Key` or `client_id`: it may have been done.",
  ),
} as const satisfies Record<string, ErrorCodeEntry>;

export type ErrorCode = keyof typeof errorCodes;
