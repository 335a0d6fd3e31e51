import { object, pageOf, pageQuery } from "#shared/contracts/fields.ts";
import { loginSession, me } from "#shared/contracts/views.ts";
import { refreshSession } from "#shared/domain/sessions/refresh-session.ts";
import { listSessions } from "#shared/domain/sessions/sessions.queries.ts";
import { getMe } from "#shared/domain/users/profile.queries.ts";
import type { PageQuery } from "#shared/kernel/page.ts";
import { type Route, route } from "../../http/route.ts";
import * as handlers from "./auth.handlers.ts";
import * as schemas from "./auth.schemas.ts";

const tag = "Auth";
const anyone = { tag, auth: "anyone", method: "post" } as const;
const codeLimit = { points: 30, seconds: 600, by: "ip" } as const;
const messageLimit = { points: 10, seconds: 600, by: "ip" } as const;
const sameAnswer =
  "The answer, and the time that it takes, is the same for an address that no account has. At most 5 messages an hour go to one address.";

/** Sets a new password; the page behind the link in the mail has the same limit. */
export const resetPasswordRoute = route({
  ...anyone,
  path: "/auth/reset-password",
  summary: "Set a new password by the link that was mailed",
  description: "Every session of the account ends, and its connections are closed.",
  rateLimit: codeLimit,
  body: schemas.resetPasswordBody,
  response: object({}),
  errors: ["CODE_INVALID"],
  handler: handlers.setNewPassword,
});

export const authRoutes = (): Route[] => [
  route({
    method: "post",
    path: "/auth/register",
    tag,
    summary: "Make an account",
    description:
      "Opens a wallet and puts the signup bonus into it, when the settings give one. A code to verify the e-mail address is mailed, and one for the mobile number is sent when there is one.",
    auth: "anyone",
    rateLimit: { points: 30, seconds: 600, by: "ip" },
    body: schemas.registerBody,
    response: schemas.loggedIn,
    status: 201,
    errors: ["USERNAME_TAKEN", "EMAIL_TAKEN", "MOBILE_TAKEN"],
    handler: handlers.registerAccount,
  }),
  route({
    method: "post",
    path: "/auth/login",
    tag,
    summary: "Log in by username or e-mail address",
    description:
      "After 10 wrong passwords in a row the same address waits until 15 minutes are over; other addresses do not. That an account is suspended is told only after the right password. An account that waits for its deletion is active again: `user.status` says so.",
    auth: "anyone",
    rateLimit: { points: 60, seconds: 60, by: "ip" },
    body: schemas.loginBody,
    response: schemas.loggedIn,
    errors: ["INVALID_CREDENTIALS", "ACCOUNT_SUSPENDED"],
    handler: handlers.logIn,
  }),
  route({
    method: "post",
    path: "/auth/refresh",
    tag,
    summary: "Trade a refresh token for new tokens",
    description:
      "Each refresh token is for one use. Sent again within 10 seconds, as two tabs do, it gives a successor of its own; later it ends the session.",
    auth: "anyone",
    body: schemas.refreshTokenBody,
    response: schemas.tokens,
    errors: ["REFRESH_TOKEN_INVALID", "ACCOUNT_SUSPENDED"],
    handler: ({ body }) => refreshSession(body.refreshToken),
  }),
  route({
    method: "post",
    path: "/auth/logout",
    inMaintenance: true,
    tag,
    summary: "End the session that a refresh token belongs to",
    auth: "anyone",
    body: schemas.refreshTokenBody,
    response: object({}),
    errors: ["REFRESH_TOKEN_INVALID"],
    handler: handlers.logOut,
  }),
  route({
    method: "get",
    path: "/auth/me",
    tag,
    summary: "Yourself, with settings and wallet",
    auth: "user",
    response: me,
    handler: ({ caller }) => getMe(caller.userId),
  }),
  route({
    ...anyone,
    path: "/auth/verify-email",
    summary: "Show by a code that an e-mail address is yours",
    description:
      "A code is good once. One answer to every wrong, old or used code, and to an address that no account has.",
    rateLimit: codeLimit,
    body: schemas.verifyEmailBody,
    response: object({}),
    errors: ["CODE_INVALID"],
    handler: handlers.verifyEmail,
  }),
  route({
    ...anyone,
    path: "/auth/verify-mobile",
    summary: "Show by a code that a mobile number is yours",
    description:
      "A code is good once. One answer to every wrong, old or used code, and to a number that no account has.",
    rateLimit: codeLimit,
    body: schemas.verifyMobileBody,
    response: object({}),
    errors: ["CODE_INVALID"],
    handler: handlers.verifyMobile,
  }),
  route({
    ...anyone,
    path: "/auth/resend-verification",
    summary: "Ask for a new code",
    description: `The code before it is no longer good. Nothing is sent when there is nothing to verify. ${sameAnswer}`,
    extension: true,
    rateLimit: messageLimit,
    body: schemas.resendBody,
    response: object({}),
    handler: handlers.resendVerification,
  }),
  route({
    ...anyone,
    path: "/auth/forgot-password",
    summary: "Ask for a mail with a link to choose a new password",
    description: sameAnswer,
    rateLimit: messageLimit,
    body: schemas.forgotPasswordBody,
    response: object({}),
    handler: handlers.forgotPassword,
  }),
  resetPasswordRoute,
  route<object, PageQuery>({
    method: "get",
    path: "/auth/sessions",
    tag,
    summary: "Where you are logged in",
    description: "Sessions that can still be used, the one used last first.",
    auth: "user",
    extension: true,
    query: object(pageQuery),
    response: pageOf(loginSession),
    handler: ({ caller, query }) => listSessions(caller, query),
  }),
  route<schemas.SessionParams>({
    method: "delete",
    path: "/auth/sessions/:id",
    tag,
    summary: "Log a device out",
    description: "Its tokens are refused and its connections closed. It may be the session that asks.",
    auth: "user",
    extension: true,
    params: schemas.sessionParams,
    response: object({}),
    handler: handlers.endSessionById,
  }),
];
