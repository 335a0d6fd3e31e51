import express, { type Request, type Response, Router } from "express";
import { checkInput } from "#shared/contracts/check-input.ts";
import { assertNotInMaintenance } from "#shared/domain/base/settings/maintenance.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { resetPagePath } from "#shared/domain/identity/accounts/password-reset.ts";
import { resetPassword } from "#shared/domain/identity/accounts/reset-password.ts";
import { callerAddress } from "../../../http/caller-address.ts";
import type { CallLimit } from "../../../http/rate-limit.ts";
import { type Locals, toDomainError } from "../../../http/respond.ts";
import { type Html, html } from "../../../web/html.ts";
import { barePage, formStyle } from "../../../web/layout.ts";
import { sendPage } from "../../../web/send-page.ts";
import { type Words, wordsOf } from "../../../web/words.ts";
import { resetPasswordBody } from "./auth.schemas.ts";

/**
 * Returns a router for the page behind the link in a reset email, unless the app has its own: a form without scripts.
 * `limit` counts an attempt by the caller's address, together with those of `POST /auth/reset-password`.
 */
export function resetPasswordPage(limit: CallLimit): Router {
  const router = Router();
  router.get(resetPagePath, async (req, res) => {
    (res.locals as Locals).route = resetPagePath;
    const words = await wordsOf(res);
    const { token } = req.query;
    if (typeof token === "string" && token !== "") return sendPage(res, 200, formPage(words, token));
    const { t } = words;
    const text = t("Open it from the email, or request a new one in the app.");
    sendPage(res, 400, notePage(words, t("This link is incomplete"), text));
  });
  router.post(resetPagePath, express.urlencoded({ extended: false, limit: "4kb" }), async (req, res) => {
    (res.locals as Locals).route = resetPagePath;
    await submitForm(req, res, limit);
  });
  return router;
}

async function submitForm(req: Request, res: Response, limit: CallLimit): Promise<void> {
  const { token, password, repeated } = { ...req.body } as Record<string, unknown>;
  const words = await wordsOf(res);
  const { t, messageOf } = words;
  const again = (status: number, problem: string) =>
    sendPage(res, status, formPage(words, String(token ?? ""), problem));
  try {
    assertNotInMaintenance();
    await limit.count(req, null);
    const input = checkInput(resetPasswordBody, { token, password });
    if (repeated !== password) return again(400, t("The passwords don't match."));
    await resetPassword(input.token, input.password, callerAddress(req));
  } catch (error) {
    const expected = toDomainError(error);
    if (!expected) throw error;
    if (expected.code !== "CODE_INVALID") return again(expected.status, messageOf(expected));
    const text = t("It has already been used, or it is more than 30 minutes old. Request a new one in the app.");
    return sendPage(res, expected.status, notePage(words, t("This link is no longer valid"), text));
  }
  const text = t("All your devices were logged out. Log in with the new password.");
  sendPage(res, 200, notePage(words, t("Your password was changed"), text));
}

const page = (words: Words, title: string, main: Html): string =>
  barePage(words, `${title} · ${setting("app_name")}`, formStyle, html`<main class="form narrow">${main}</main>`);

const notePage = (words: Words, title: string, text: string): string =>
  page(words, title, html`<h1>${title}</h1><p class="lead" role="status">${text}</p>`);

function formPage(words: Words, token: string, problem?: string): string {
  const { t } = words;
  const title = t("Choose a new password");
  return page(
    words,
    title,
    html`<h1>${title}</h1>
<form method="post" action="${resetPagePath}">
<input type="hidden" name="token" value="${token}">
${problem ? [html`<p class="problem" role="alert">${problem}</p>`] : []}
<label>${t("New password")}<input type="password" name="password" autocomplete="new-password" minlength="8" maxlength="128" required></label>
<label>${t("Confirm password")}<input type="password" name="repeated" autocomplete="new-password" required></label>
<button>${t("Change password")}</button>
</form>`,
  );
}
