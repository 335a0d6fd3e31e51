import { view } from "#shared/contracts/fields.ts";
import { me } from "#shared/contracts/views.ts";
import { refreshSession } from "#shared/domain/sessions/refresh-session.ts";
import { getMe } from "#shared/domain/users/profile.queries.ts";
import { type Route, route } from "../../http/route.ts";
import { logIn, logOut, registerAccount } from "./auth.handlers.ts";
import {
  type LoginBody,
  loggedIn,
  loginBody,
  type RefreshTokenBody,
  type RegisterBody,
  refreshTokenBody,
  registerBody,
  tokens,
} from "./auth.schemas.ts";

const tag = "Auth";

export const authRoutes = (): Route[] => [
  route<object, object, RegisterBody>({
    method: "post",
    path: "/auth/register",
    tag,
    summary: "Make an account",
    description: "Opens a wallet and puts the signup bonus into it, when the settings give one.",
    auth: "anyone",
    rateLimit: { points: 30, seconds: 600, by: "ip" },
    body: registerBody,
    response: loggedIn,
    status: 201,
    errors: ["USERNAME_TAKEN", "EMAIL_TAKEN", "MOBILE_TAKEN"],
    handler: registerAccount,
  }),
  route<object, object, LoginBody>({
    method: "post",
    path: "/auth/login",
    tag,
    summary: "Log in by username or e-mail address",
    description:
      "After 10 wrong passwords in a row the same address waits until 15 minutes are over; other addresses do not. That an account is suspended is told only after the right password.",
    auth: "anyone",
    rateLimit: { points: 60, seconds: 60, by: "ip" },
    body: loginBody,
    response: loggedIn,
    errors: ["INVALID_CREDENTIALS", "ACCOUNT_SUSPENDED"],
    handler: logIn,
  }),
  route<object, object, RefreshTokenBody>({
    method: "post",
    path: "/auth/refresh",
    tag,
    summary: "Trade a refresh token for new tokens",
    description:
      "Each refresh token is for one use. Sent again within 10 seconds, as two tabs do, it gives a successor of its own; later it ends the session.",
    auth: "anyone",
    body: refreshTokenBody,
    response: tokens,
    errors: ["REFRESH_TOKEN_INVALID", "ACCOUNT_SUSPENDED"],
    handler: ({ body }) => refreshSession(body.refreshToken),
  }),
  route<object, object, RefreshTokenBody>({
    method: "post",
    path: "/auth/logout",
    inMaintenance: true,
    tag,
    summary: "End the session that a refresh token belongs to",
    auth: "anyone",
    body: refreshTokenBody,
    response: view({}),
    errors: ["REFRESH_TOKEN_INVALID"],
    handler: logOut,
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
];
