import { empty, object, pageOf, pageQuery } from "#shared/contracts/fields.ts";
import { loggedIn, loginSession, me, tokens } from "#shared/contracts/views.ts";
import { countLogin } from "#shared/domain/identity/accounts/count-login.ts";
import { login } from "#shared/domain/identity/accounts/login.ts";
import { register } from "#shared/domain/identity/accounts/register.ts";
import { requestPasswordReset, requestVerification } from "#shared/domain/identity/accounts/request-message.ts";
import { resetPassword } from "#shared/domain/identity/accounts/reset-password.ts";
import { verifyAddress } from "#shared/domain/identity/accounts/verify-address.ts";
import { endOwnSession, endSession } from "#shared/domain/identity/sessions/end-session.ts";
import { refreshSession } from "#shared/domain/identity/sessions/refresh-session.ts";
import { listSessions } from "#shared/domain/identity/sessions/sessions.queries.ts";
import { getMe } from "#shared/domain/identity/users/profile.queries.ts";
import { languageAccepted } from "#shared/kernel/languages.ts";
import { type Route, routeOf } from "../../../http/route.ts";
import * as schemas from "./auth.schemas.ts";

const open = routeOf("Auth", "anyone");
const route = routeOf("Auth", "user");

const codeLimit = { points: 30, seconds: 600, by: "ip" } as const;
const messageLimit = { points: 10, seconds: 600, by: "ip" } as const;
const revealsNothing =
  "The response and its timing are the same whether or not an account exists. A recipient gets at most 10 messages per hour, 5 of them requested from one network, and 20 per day.";

/** Sets a new password; the page behind the link in the email shares its rate limit. */
export const resetPasswordRoute = open({
  id: "resetPassword",
  method: "post",
  path: "/auth/reset-password",
  summary: "Reset a password",
  description:
    "Sets a new password with the token from the reset email. All sessions of the account end and their connections are closed, so log in again afterwards. If the new password is rejected, you can use the token again.",
  rateLimit: codeLimit,
  body: schemas.resetPasswordBody,
  response: empty,
  errors: ["CODE_INVALID"],
  handler: ({ body, ip }) => resetPassword(body.token, body.password, ip),
});

const accountRoutes = (): Route[] => [
  open({
    id: "registerAccount",
    method: "post",
    path: "/auth/register",
    summary: "Register an account",
    description:
      "Creates the account with its wallet and logs in. A verification code is sent to the email address, and another one to the mobile number if there is one. The signup bonus is credited once the first of them is verified, or at once if the settings say so, as in development. An address or number is taken if an account has verified it, or if it was first registered in the last 60 minutes. After that, an unverified claim does not keep others from registering with it; it belongs to the account that verifies it first.",
    rateLimit: { points: 30, seconds: 600, by: "ip" },
    body: schemas.registerBody,
    response: schemas.registered,
    status: 201,
    errors: ["USERNAME_TAKEN", "EMAIL_TAKEN", "MOBILE_TAKEN", "CONTENT_BLOCKED", "SANCTIONED"],
    handler: ({ body: { device, ...form }, ip, userAgent, headers }) => {
      const language = languageAccepted(headers["accept-language"]);
      // English is what everyone gets who has chosen nothing.
      const from = { ip, userAgent, deviceId: device?.id };
      return register({ ...form, ...(language && language !== "en" && { language }) }, from);
    },
  }),
  open({
    id: "verifyEmail",
    method: "post",
    path: "/auth/verify-email",
    summary: "Verify an email address",
    description:
      "Verifies the address with the code that was emailed to it. It then belongs to the account that the message names, and other accounts' claims to it lapse. The first verified address or number earns the signup bonus, if the settings say so. An access token is optional: with it, your attempts are counted apart from everyone else's, and only a code for your account is correct. Each code works once. The error is the same for an incorrect, expired, or used code and for an unknown address.",
    rateLimit: codeLimit,
    body: schemas.verifyEmailBody,
    response: empty,
    errors: ["CODE_INVALID"],
    handler: ({ body, caller, ip }) =>
      verifyAddress("verify_email", body.email, body.code, { ip, userId: caller?.userId }),
  }),
  open({
    id: "verifyMobile",
    method: "post",
    path: "/auth/verify-mobile",
    summary: "Verify a mobile number",
    description:
      "Verifies the number with the code that was texted to it. It then belongs to the account that the message names, and other accounts' claims to it lapse. The first verified address or number earns the signup bonus, if the settings say so. An access token is optional: with it, your attempts are counted apart from everyone else's, and only a code for your account is correct. Each code works once. The error is the same for an incorrect, expired, or used code and for an unknown number.",
    rateLimit: codeLimit,
    body: schemas.verifyMobileBody,
    response: empty,
    errors: ["CODE_INVALID"],
    handler: ({ body, caller, ip }) =>
      verifyAddress("verify_mobile", body.mobile, body.code, { ip, userId: caller?.userId }),
  }),
  open({
    id: "resendVerificationCode",
    method: "post",
    path: "/auth/resend-verification",
    summary: "Resend a verification code",
    description: `Sends a new code, which replaces the previous one, to the account of the access token if you send one and it has this address, otherwise to the account that registered the address first. Nothing is sent if the address is already verified. ${revealsNothing}`,
    extension: true,
    rateLimit: messageLimit,
    body: schemas.resendVerificationBody,
    response: empty,
    handler: ({ body, caller, ip }) => requestVerification(body, { ip, userId: caller?.userId }),
  }),
  open({
    id: "requestPasswordReset",
    method: "post",
    path: "/auth/forgot-password",
    summary: "Request a password reset",
    description: `Emails a link to set a new password. ${revealsNothing}`,
    rateLimit: messageLimit,
    body: schemas.forgotPasswordBody,
    response: empty,
    handler: ({ body, ip }) => requestPasswordReset(body.email, { ip }),
  }),
  resetPasswordRoute,
];

const sessionRoutes = (): Route[] => [
  open({
    id: "logIn",
    method: "post",
    path: "/auth/login",
    summary: "Log in",
    description:
      "Opens a session with your username or email address and password. An email address stands for the account that has verified it; until one has, for the account that registered it first. After 10 incorrect passwords in a row, you can't log in from the same IP address for 15 minutes; other addresses aren't affected. A suspended account is revealed only to those who send its correct password. An account with a second factor is asked for a code of it: MFA_REQUIRED. Logging in cancels a pending deletion of the account: `user.status` is `active` again.",
    rateLimit: { points: 60, seconds: 60, by: "ip" },
    body: schemas.loginBody,
    response: loggedIn,
    errors: ["INVALID_CREDENTIALS", "MFA_REQUIRED", "ACCOUNT_SUSPENDED", "SANCTIONED"],
    handler: ({ body: { device, ...credentials }, ip, userAgent }) =>
      countLogin("password", login(credentials, { ip, userAgent, deviceId: device?.id })),
  }),
  open({
    id: "refreshTokens",
    method: "post",
    path: "/auth/refresh",
    summary: "Refresh your tokens",
    description:
      "Exchanges a refresh token for a new access token and the next refresh token. Each refresh token works once. Repeating the call within 10 seconds returns the same successor, so a lost response or a refresh from two tabs at once does no harm. Reusing the token later ends the session.",
    body: schemas.refreshTokenBody,
    response: tokens,
    errors: ["REFRESH_TOKEN_INVALID", "ACCOUNT_SUSPENDED"],
    handler: ({ body, ip }) => refreshSession(body.refreshToken, ip),
  }),
  open({
    id: "logOut",
    method: "post",
    path: "/auth/logout",
    inMaintenance: true,
    summary: "Log out",
    description:
      "Ends the session that the refresh token belongs to: its tokens stop working and its connections are closed. Succeeds even if you have already logged out.",
    body: schemas.refreshTokenBody,
    response: empty,
    errors: ["REFRESH_TOKEN_INVALID"],
    handler: ({ body }) => endSession(body.refreshToken),
  }),
  route({
    id: "getCurrentUser",
    method: "get",
    path: "/auth/me",
    summary: "Get the current user",
    description: "Returns the owner of the access token, with settings and wallet. The same as `GET /users/me`.",
    response: me,
    handler: ({ caller }) => getMe(caller.userId),
  }),
  route({
    id: "listLoginSessions",
    method: "get",
    path: "/auth/sessions",
    summary: "List your login sessions",
    description: "Lists the active sessions on all your devices, most recently used first.",
    extension: true,
    query: object(pageQuery),
    response: pageOf(loginSession),
    handler: ({ caller, query }) => listSessions(caller, query),
  }),
  route({
    id: "endLoginSession",
    method: "delete",
    path: "/auth/sessions/:id",
    blocks: "none",
    summary: "End a login session",
    description:
      "Logs out one of your devices: its tokens stop working and its connections are closed. You can also end the session that makes the request.",
    extension: true,
    params: schemas.sessionParams,
    response: empty,
    handler: ({ caller, params }) => endOwnSession(caller, params.id),
  }),
];

export const authRoutes = (): Route[] => [...accountRoutes(), ...sessionRoutes()];
