import { pageOf } from "#shared/contracts/fields.ts";
import { adminAccount, adminLoggedIn, adminSession, mfaEnrollment, recoveryCodes } from "#shared/contracts/views.ts";
import { endAdminSession, getAdminMe, listAdminSessions } from "#shared/domain/operations/admins/admin-sessions.ts";
import { changeAdminPassword } from "#shared/domain/operations/admins/change-admin-password.ts";
import { logInAdmin } from "#shared/domain/operations/admins/log-in-admin.ts";
import {
  confirmSecondFactor,
  disableSecondFactor,
  enrollSecondFactor,
} from "#shared/domain/operations/admins/second-factor.ts";
import { adminRead, adminWrite } from "../../../http/admin-route.ts";
import { type Route, route } from "../../../http/route.ts";
import * as schemas from "./access.schemas.ts";

const own = { tag: "Access", permission: "none" } as const;

const codeLimit = { points: 10, seconds: 600, by: "admin" } as const;

const secondFactorRoutes = (): Route[] => [
  adminWrite({
    ...own,
    id: "enrollSecondFactor",
    method: "post",
    path: "/mfa/enroll",
    summary: "Set up a second factor",
    description:
      "Returns a secret for an authenticator app (TOTP). It takes effect when a code confirms it. Requires your password, which a stolen token doesn't contain.",
    extension: true,
    rateLimit: codeLimit,
    body: schemas.enrollBody,
    response: mfaEnrollment,
    errors: ["INVALID_CREDENTIALS", "CONFLICT"],
    audit: { action: "admin.enroll_mfa", target: () => ({ type: "admin" }) },
    handler: ({ caller, body }) => enrollSecondFactor(caller, body.password),
  }),
  adminWrite({
    ...own,
    id: "confirmSecondFactor",
    method: "post",
    path: "/mfa/confirm",
    summary: "Confirm a second factor",
    description:
      "From then on, logging in requires a code. Returns recovery codes, which work once each if you lose your phone.",
    extension: true,
    rateLimit: codeLimit,
    body: schemas.appCodeBody,
    response: recoveryCodes,
    errors: ["CODE_INVALID", "CONFLICT"],
    audit: { action: "admin.enable_mfa", target: () => ({ type: "admin" }) },
    handler: ({ caller, body }) => confirmSecondFactor(caller, body.code),
  }),
  adminWrite({
    ...own,
    id: "disableSecondFactor",
    method: "post",
    path: "/mfa/disable",
    summary: "Disable your second factor",
    description: "From then on, your password alone logs you in. Your recovery codes stop working.",
    extension: true,
    rateLimit: codeLimit,
    body: schemas.appCodeBody,
    response: adminAccount,
    errors: ["CODE_INVALID"],
    audit: { action: "admin.disable_mfa", target: () => ({ type: "admin" }) },
    handler: async ({ caller, body }) => {
      await disableSecondFactor(caller, body.code);
      return { ...(await getAdminMe(caller)), mfa_enabled: false };
    },
  }),
];

/** Logging in, and what concerns the administrator's own account. */
export const accessRoutes = (): Route[] => [
  ...secondFactorRoutes(),
  route({
    id: "logInAdmin",
    method: "post",
    path: "/login",
    tag: "Access",
    auth: "anyone",
    inMaintenance: true,
    summary: "Log in",
    description:
      "Returns an admin token, which is valid for 60 minutes. All failures have the same response and take the same time. After 10 failures in a row, further attempts from the same address are rejected for 15 minutes. Successes and failures are written to the audit log.",
    rateLimit: { points: 30, seconds: 60, by: "ip" },
    body: schemas.adminLoginBody,
    response: adminLoggedIn,
    errors: ["INVALID_CREDENTIALS", "MFA_REQUIRED"],
    handler: ({ body, ip, userAgent, requestId }) => logInAdmin(body, { ip, userAgent, requestId }),
  }),
  adminWrite({
    ...own,
    id: "logOutAdmin",
    method: "post",
    path: "/logout",
    summary: "Log out",
    description: "Ends the session of the token.",
    extension: true,
    response: schemas.endedSession,
    audit: { action: "admin.end_session", target: () => ({ type: "admin_session" }) },
    handler: async ({ caller }) => {
      await endAdminSession(caller, caller.sessionId);
      return { id: caller.sessionId };
    },
  }),
  adminRead({
    ...own,
    id: "getAdminAccount",
    method: "get",
    path: "/me",
    summary: "Get your account",
    description: "Includes what your role allows you to do.",
    extension: true,
    response: adminAccount,
    handler: ({ caller }) => getAdminMe(caller),
  }),
  adminWrite({
    ...own,
    id: "changeAdminPassword",
    method: "post",
    path: "/me/password",
    summary: "Change your password",
    description: "Ends your other sessions.",
    extension: true,
    rateLimit: { points: 10, seconds: 600, by: "admin" },
    body: schemas.changePasswordBody,
    response: adminAccount,
    errors: ["INVALID_CREDENTIALS", "CONFLICT"],
    audit: { action: "admin.change_password", target: () => ({ type: "admin" }) },
    handler: async ({ caller, body }) => {
      await changeAdminPassword(caller, body);
      return getAdminMe(caller);
    },
  }),
  adminRead({
    ...own,
    id: "listAdminSessions",
    method: "get",
    path: "/me/sessions",
    summary: "List your sessions",
    description: "Your active sessions, newest first.",
    extension: true,
    query: schemas.sessionsQuery,
    response: pageOf(adminSession),
    handler: ({ caller, query }) => listAdminSessions(caller, query),
  }),
  adminWrite({
    ...own,
    id: "endAdminSession",
    method: "delete",
    path: "/me/sessions/:id",
    summary: "End a session",
    description: "Its token no longer works.",
    extension: true,
    params: schemas.sessionParams,
    response: schemas.endedSession,
    audit: { action: "admin.end_session", target: ({ params }) => ({ type: "admin_session", id: params.id }) },
    handler: async ({ caller, params }) => {
      await endAdminSession(caller, params.id);
      return { id: params.id };
    },
  }),
];
