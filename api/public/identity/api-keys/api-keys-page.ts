import express, { type Request, type Response, Router } from "express";
import { checkInput } from "#shared/contracts/check-input.ts";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import { assertNotInMaintenance } from "#shared/domain/base/settings/maintenance.ts";
import { login } from "#shared/domain/identity/accounts/login.ts";
import { createApiKey, deleteApiKey, listApiKeys } from "#shared/domain/identity/api-keys/api-keys.ts";
import {
  accessTokenSeconds,
  assertCallerActive,
  verifyAccessToken,
} from "#shared/domain/identity/sessions/access-token.ts";
import { endOwnSession } from "#shared/domain/identity/sessions/end-session.ts";
import { isFormToken, newVisit } from "#shared/domain/identity/sessions/page-token.ts";
import { publicAddress } from "#shared/kernel/public-address.ts";
import { callerAddress } from "../../../http/caller-address.ts";
import type { CallLimit } from "../../../http/rate-limit.ts";
import { type Locals, toDomainError } from "../../../http/respond.ts";
import { userAgentOf } from "../../../http/route.ts";
import { sendPage } from "../../../web/send-page.ts";
import { type Words, wordsOf } from "../../../web/words.ts";
import { loginBody } from "../auth/auth.schemas.ts";
import { apiKeyParams, createApiKeyBody } from "./api-keys.schemas.ts";
import { keysPage, loginPage, pagePath } from "./api-keys-views.ts";

/** The limits of the operations of the API that the forms stand for. */
interface Limits {
  readonly login: CallLimit;
  readonly create: CallLimit;
}

/**
 * Returns a router for the page on which users manage their API keys after a login: plain forms, without scripts. The
 * login is a cookie with an access token, which works for 15 minutes.
 */
export function apiKeysPage(limits: Limits): Router {
  const router = Router();
  const form = express.urlencoded({ extended: false, limit: "4kb" });
  router.get(pagePath, answer(showKeys));
  router.post(`${pagePath}/login`, form, answer(checked((visit) => logIn(visit, limits.login))));
  router.post(pagePath, form, answer(checked(loggedIn((visit, caller) => makeKey(visit, caller, limits.create)))));
  router.post(`${pagePath}/revoke`, form, answer(checked(loggedIn(revokeKey))));
  router.post(`${pagePath}/logout`, form, answer(checked(loggedIn(logOut))));
  return router;
}

/** A request for the page, with the cookie that identifies the browser. */
interface Visit {
  readonly req: Request;
  readonly res: Response;
  /** An access token, or random text before a login. */
  readonly cookie: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly words: Words;
}

type Step = (visit: Visit) => Promise<void>;

const cookieName = "hubbub_account";

const answer = (step: Step) => async (req: Request, res: Response) => {
  (res.locals as Locals).route = req.route.path;
  const [, sent] = new RegExp(`(?:^|; ?)${cookieName}=([^;]*)`).exec(req.headers.cookie ?? "") ?? [];
  const cookie = sent || newVisit();
  if (!sent) setCookie(res, cookie);
  // Their language is that of the page.
  (res.locals as Locals).caller = (await callerOf({ cookie })) ?? null;
  const visit = { req, res, cookie, fields: { ...req.body } as Record<string, unknown>, words: await wordsOf(res) };
  try {
    assertNotInMaintenance();
    await step(visit);
  } catch (error) {
    const expected = toDomainError(error);
    if (!expected) throw error;
    await showAgain(visit, expected.status, visit.words.messageOf(expected));
  }
};

/** `Lax`: no form of another site sends it, but a link to the page does. */
const setCookie = (res: Response, value: string): void => {
  res.cookie(cookieName, value, {
    httpOnly: true,
    sameSite: "lax",
    secure: publicAddress().startsWith("https:"),
    path: pagePath,
    maxAge: accessTokenSeconds * 1000,
  });
};

const callerOf = async ({ cookie }: Pick<Visit, "cookie">): Promise<UserPrincipal | undefined> => {
  try {
    const caller = await verifyAccessToken(cookie);
    assertCallerActive(caller);
    return caller;
  } catch {
    // Expired, revoked, or not a token: the page asks for a login.
    return undefined;
  }
};

/** Runs a step only if its form comes from a page that this browser got from us. */
const checked =
  (step: Step): Step =>
  async (visit) => {
    if (isFormToken(visit.fields.form_token, visit.cookie)) return step(visit);
    const { t } = visit.words;
    await showAgain(visit, 403, t("This form has expired. Send it again."));
  };

const loggedIn =
  (step: (visit: Visit, caller: UserPrincipal) => Promise<void>): Step =>
  async (visit) => {
    const caller = await callerOf(visit);
    if (caller) return step(visit, caller);
    const { res, cookie, words } = visit;
    const { t } = words;
    sendPage(res, 401, loginPage(words, cookie, t("Your login has expired. Log in again.")));
  };

async function showKeys(visit: Visit): Promise<void> {
  await showAgain(visit, 200);
}

/** Shows the page that the browser is on, with what went wrong. */
async function showAgain(visit: Visit, status: number, problem?: string): Promise<void> {
  const { res, cookie, words } = visit;
  const caller = await callerOf(visit);
  const markup = caller
    ? keysPage(words, cookie, await listApiKeys(caller.userId), { problem })
    : loginPage(words, cookie, problem);
  sendPage(res, status, markup);
}

async function logIn({ req, res, fields }: Visit, limit: CallLimit): Promise<void> {
  await limit.count(req, null);
  const { identifier, password, code } = fields;
  const { accessToken } = await login(checkInput(loginBody, { identifier, password, ...(code ? { code } : {}) }), {
    ip: callerAddress(req),
    userAgent: userAgentOf(req),
  });
  setCookie(res, accessToken);
  res.redirect(303, pagePath);
}

/** The secret is only in this answer, so it doesn't redirect. */
async function makeKey(visit: Visit, caller: UserPrincipal, limit: CallLimit): Promise<void> {
  const { req, res, cookie, fields, words } = visit;
  await limit.count(req, caller);
  const allowed_addresses = String(fields.allowed_addresses ?? "")
    .split(/[\s,]+/)
    .filter(Boolean);
  const made = await createApiKey(caller, checkInput(createApiKeyBody, { name: fields.name, allowed_addresses }));
  sendPage(res, 200, keysPage(words, cookie, await listApiKeys(caller.userId), { made }));
}

async function revokeKey({ res, fields }: Visit, caller: UserPrincipal): Promise<void> {
  await deleteApiKey(caller, checkInput(apiKeyParams, { id: fields.id }).id);
  res.redirect(303, pagePath);
}

async function logOut({ res }: Visit, caller: UserPrincipal): Promise<void> {
  await endOwnSession(caller, caller.sessionId);
  res.clearCookie(cookieName, { path: pagePath });
  res.redirect(303, pagePath);
}
