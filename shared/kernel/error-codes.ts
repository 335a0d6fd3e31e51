import { OperatorError } from "./operator-error.ts";

/** An entry of the error reference: the HTTP status of a code, its meaning, and its remedy. */
export interface ErrorCodeEntry {
  readonly status: number;
  readonly meaning: string;
  readonly remedy: string;
}

const entry = (status: number, meaning: string, remedy: string): ErrorCodeEntry => ({ status, meaning, remedy });

/**
 * All error codes. The HTTP envelope, the realtime acknowledgements, the OpenAPI document, and `/docs/errors` are
 * generated from this table. An error thrown without a message of its own uses the meaning as its message.
 */
export const errorCodes = {
  VALIDATION_ERROR: entry(
    400,
    "The request doesn't match the schema.",
    "Read `error.details`, which has an entry for each invalid field, and correct the request.",
  ),
  MALFORMED_JSON: entry(
    400,
    "The request body isn't valid JSON.",
    "Send valid JSON with `Content-Type: application/json`.",
  ),
  PAYMENT_SIGNATURE_INVALID: entry(
    400,
    "The payment signature is invalid.",
    "Send the three values exactly as you received them from the payment provider.",
  ),
  CODE_INVALID: entry(400, "The code or reset token is incorrect, already used, or expired.", "Request a new one."),
  UNAUTHENTICATED: entry(
    401,
    "The access token is missing or invalid, or its session has been revoked.",
    "Log in and send `Authorization: Bearer <access token>`.",
  ),
  TOKEN_EXPIRED: entry(
    401,
    "The access token has expired.",
    "Call `POST /auth/refresh` and retry the request with the new token.",
  ),
  INVALID_CREDENTIALS: entry(
    401,
    "Incorrect identifier or password.",
    "Check both. For security, the error doesn't say which one is wrong.",
  ),
  MFA_REQUIRED: entry(
    401,
    "A second factor is required.",
    "Log in again with `code`: a code from your authenticator app, or a recovery code. Administrators who haven't set up a second factor do so with `POST /admin/mfa/enroll`.",
  ),
  REFRESH_TOKEN_INVALID: entry(
    401,
    "The refresh token is unknown, already used, expired, or revoked.",
    "Log in again.",
  ),
  INSUFFICIENT_BALANCE: entry(402, "Your wallet doesn't have enough coins.", "Buy coins and try again."),
  FORBIDDEN: entry(403, "You don't have permission to do this.", "Ask the host, the owner, or an administrator."),
  GUEST_NOT_ALLOWED: entry(
    403,
    "Guests can't do this.",
    "Link a way to log in to your account with `POST /users/me/identities/:provider`, then refresh your tokens.",
  ),
  AGE_RESTRICTED: entry(403, "You can't do this at your age.", "Don't offer this: `band` in the answer says why."),
  CONSENT_REQUIRED: entry(
    403,
    "Your account is paused until a parent or guardian gives their consent.",
    "Send the store's new age signal with `PUT /users/me/age-signal`, then refresh your tokens.",
  ),
  ACCOUNT_SUSPENDED: entry(
    403,
    "Your account is suspended. If it has an email address, we have written to it why, and how to appeal.",
    "Show the message, or contact support.",
  ),
  CONTENT_BLOCKED: entry(
    403,
    "This text breaks the rules of this service.",
    "Show the message, which says why, and let the person write it otherwise.",
  ),
  TERMS_NOT_ACCEPTED: entry(
    403,
    "The terms of this service have changed.",
    "Show the terms, and `POST /users/me/terms` with the version of `GET /users/me/terms` once the user accepts them.",
  ),
  SANCTIONED: entry(
    403,
    "An administrator has taken this right from you for a while.",
    "Show the message, which says why, and `GET /users/me/sanctions`, where the user can appeal.",
  ),
  PURCHASE_LIMITED: entry(
    403,
    "You can't buy this now.",
    "Show the message, which says when it becomes possible. `Retry-After` has the seconds.",
  ),
  COINS_HELD: entry(
    403,
    "Coins that you have just bought can't be sent as gifts yet.",
    "Show the message, and try again later or send a smaller gift.",
  ),
  KYC_REQUIRED: entry(
    403,
    "You can't be paid before your identity has been checked.",
    "Start the check with `POST /kyc`, and try again once `GET /kyc` shows the level that the method requires.",
  ),
  BLOCKED: entry(
    403,
    "One of you has blocked the other.",
    "You can't interact with this user while the block is in place.",
  ),
  NOT_A_MEMBER: entry(403, "You aren't in this room or lobby.", "Join it first."),
  ROOM_PASSWORD_REQUIRED: entry(403, "This room requires a password.", "Join again with `password`."),
  ROOM_PASSWORD_INCORRECT: entry(403, "Incorrect room password.", "Ask the host for the password."),
  BANNED_FROM_ROOM: entry(
    403,
    "You are banned from this room.",
    "Wait until the ban expires, or ask the host to lift it.",
  ),
  NOT_OWNED: entry(403, "You don't own this item.", "Buy it first."),
  NOT_FOUND: entry(404, "The resource doesn't exist, or you don't have access to it.", "Check the ID."),
  METHOD_NOT_ALLOWED: entry(
    405,
    "This URL doesn't support the method of the request.",
    "Use one of the methods in the `Allow` header.",
  ),
  CONFLICT: entry(
    409,
    "The request conflicts with the current state of the resource.",
    "Reload the resource and try again.",
  ),
  USERNAME_TAKEN: entry(409, "This username is taken.", "Choose another username."),
  EMAIL_TAKEN: entry(
    409,
    "An account with this email address already exists.",
    "Log in, or use another email address.",
  ),
  MOBILE_TAKEN: entry(
    409,
    "An account with this mobile number already exists.",
    "Log in, or use another mobile number.",
  ),
  IDENTITY_TAKEN: entry(
    409,
    "Another account already uses this way to log in.",
    "Log in with it to use that account, or link another one.",
  ),
  LAST_IDENTITY: entry(
    409,
    "This is the only way to log in to your account.",
    "Link another one first, or delete the account.",
  ),
  ALREADY_OWNED: entry(409, "You already own this item.", "No action is needed."),
  ROOM_CLOSED: entry(409, "This room is closed.", "Join another room."),
  ROOM_FULL: entry(409, "This room is full.", "Try again later, or join another room."),
  SEAT_TAKEN: entry(409, "This seat is taken.", "Choose another seat."),
  SEAT_LOCKED: entry(409, "This seat is locked.", "Choose another seat."),
  ALREADY_SEATED: entry(409, "This user already has a seat.", "Leave the current seat first."),
  NO_FREE_SEAT: entry(409, "No seat is available.", "Wait until a seat becomes free or is unlocked."),
  NOT_SEATED: entry(409, "This action requires a seat.", "Request a seat with `seat:request`."),
  REQUEST_ALREADY_PENDING: entry(
    409,
    "You already have a pending request.",
    "Wait for the response, or cancel the request.",
  ),
  REQUEST_NOT_PENDING: entry(
    409,
    "The request is no longer pending: it was answered or cancelled, or it expired.",
    "Reload the list of requests.",
  ),
  LOBBY_NOT_OPEN: entry(409, "This lobby is no longer open.", "Create or join another lobby."),
  LOBBY_FULL: entry(409, "This lobby is full.", "Join another lobby."),
  NOT_ENOUGH_PLAYERS: entry(409, "There aren't enough players to start the game.", "Wait for more players to join."),
  PLAYERS_NOT_READY: entry(409, "Not all players are ready.", "Wait until every player is ready."),
  NOT_YOUR_TURN: entry(409, "It isn't your turn.", "Wait for the `game:state` event in which it is."),
  ILLEGAL_ACTION: entry(409, "The rules don't allow this action now.", "Choose one of the actions in `turn.allowed`."),
  SESSION_FINISHED: entry(409, "This game is over.", "Start a new game."),
  GAME_FAILED: entry(
    409,
    "The rules of this game failed, so it can't go on.",
    "Start another game, or tell the operator.",
  ),
  ORDER_NOT_PAYABLE: entry(409, "This order isn't awaiting payment.", "Create a new order."),
  IDEMPOTENCY_CONFLICT: entry(
    409,
    "This idempotency key was already used with a different request.",
    "Use a new `Idempotency-Key` for each new request.",
  ),
  REFUSED: entry(
    409,
    "An extension of this service refused this.",
    "Read the message. Codes that aren't in this list are those of extensions, and mean the same.",
  ),
  PAYLOAD_TOO_LARGE: entry(413, "The request body is too large.", "Send a smaller body."),
  UNSUPPORTED_MEDIA_TYPE: entry(415, "The content type isn't supported.", "Send `Content-Type: application/json`."),
  RATE_LIMITED: entry(429, "Too many requests.", "Wait the number of seconds in the `Retry-After` header, then retry."),
  INTERNAL_ERROR: entry(
    500,
    "Internal server error.",
    "Try again. If the error persists, contact support with `error.request_id`.",
  ),
  MAINTENANCE: entry(503, "The service is down for maintenance.", "Try again later."),
  VOICE_NOT_CONFIGURED: entry(
    503,
    "Voice isn't configured on this server.",
    "The operator must set LIVEKIT_URL, LIVEKIT_API_KEY, and LIVEKIT_API_SECRET.",
  ),
  ENGINE_UNAVAILABLE: entry(
    503,
    "The service is overloaded, or a system it depends on can't be reached.",
    "Retry after `Retry-After` seconds with the same `Idempotency-Key` or `client_id`: the request may already have taken effect.",
  ),
} as const satisfies Record<string, ErrorCodeEntry>;

export type ErrorCode = keyof typeof errorCodes;

/** Returns the entry of a code. Hooks outside of this process refuse with codes that aren't in the table. */
export const entryOfCode = (code: ErrorCode): ErrorCodeEntry => errorCodes[code] ?? errorCodes.REFUSED;

/** Adds the codes of an extension, whose names begin with its own. @throws OperatorError for one that exists */
export function addErrorCodes(codes: Readonly<Record<string, ErrorCodeEntry>>): void {
  for (const [code, added] of Object.entries(codes)) {
    if (Object.hasOwn(errorCodes, code)) throw new OperatorError(`the error code ${code} exists`);
    (errorCodes as Record<string, ErrorCodeEntry>)[code] = added;
  }
}

/** The codes for the errors of Express's body parsers, by their status. */
export const codesOfBodies: Readonly<Record<number, ErrorCode>> = {
  400: "MALFORMED_JSON",
  413: "PAYLOAD_TOO_LARGE",
  415: "UNSUPPORTED_MEDIA_TYPE",
};
