import { fileURLToPath } from "node:url";
import express, { type Request, type Response, Router } from "express";
import { checkInput } from "#shared/contracts/check-input.ts";
import { resetPagePath } from "#shared/domain/accounts/password-reset.ts";
import { resetPassword } from "#shared/domain/accounts/reset-password.ts";
import { assertNotInMaintenance } from "#shared/domain/settings/maintenance.ts";
import { setting } from "#shared/domain/settings/settings.ts";
import { callerAddress } from "../../http/caller-address.ts";
import type { CallLimit } from "../../http/rate-limit.ts";
import { type Locals, toDomainError } from "../../http/respond.ts";
import { type Html, html } from "../../web/html.ts";
import { barePage } from "../../web/layout.ts";
import { sendPage } from "../../web/send-page.ts";
import { resetPasswordBody } from "./auth.schemas.ts";

const assets = fileURLToPath(new URL("./static", import.meta.url));

/**
 * Returns a router for the page behind the link in a reset email, unless the app has its own: a form without scripts.
 * `limit` counts an attempt by the caller's address, together with those of `POST /auth/reset-password`.
 */
export function resetPasswordPage(limit: CallLimit): Router {
  const router = Router();
  router.use(`${resetPagePath}/assets`, express.static(assets, { index: false, redirect: false }));
  router.get(resetPagePath, (req, res) => {
    (res.locals as Locals).route = resetPagePath;
    const { token } = req.query;
    if (typeof token === "string" && token !== "") return sendPage(res, 200, formPage(token));
    sendPage(res, 400, notePage("This link is incomplete", "Open it from the email, or request a new one in the app."));
  });
  router.post(resetPagePath, express.urlencoded({ extended: false, limit: "4kb" }), async (req, res) => {
    (res.locals as Locals).route = resetPagePath;
    await submitForm(req, res, limit);
  });
  return router;
}

async function submitForm(req: Request, res: Response, limit: CallLimit): Promise<void> {
  const { token, password, repeated } = { ...req.body } as Record<string, unknown>;
  const again = (status: number, problem: string) => sendPage(res, status, formPage(String(token ?? ""), problem));
  try {
    assertNotInMaintenance();
    await limit.count(req, null);
    const input = checkInput(resetPasswordBody, { token, password });
    if (repeated !== password) return again(400, "The passwords don't match.");
    await resetPassword(input.token, input.password, callerAddress(req));
  } catch (error) {
    const expected = toDomainError(error);
    if (!expected) throw error;
    if (expected.code !== "CODE_INVALID") return again(expected.status, expected.message);
    const text = "It has already been used, or it is more than 30 minutes old. Request a new one in the app.";
    return sendPage(res, expected.status, notePage("This link is no longer valid", text));
  }
  sendPage(
    res,
    200,
    notePage("Your password was changed", "All your devices were logged out. Log in with the new password."),
  );
}

const page = (title: string, main: Html): string =>
  barePage(`${title} · ${setting("app_name")}`, `${resetPagePath}/assets/reset.css`, main);

const notePage = (title: string, text: string): string =>
  page(title, html`<main class="reset"><h1>${title}</h1><p class="lead" role="status">${text}</p></main>`);

const formPage = (token: string, problem?: string): string =>
  page(
    "Choose a new password",
    html`<main class="reset">
<h1>Choose a new password</h1>
<form method="post" action="${resetPagePath}">
<input type="hidden" name="token" value="${token}">
${problem ? [html`<p class="problem" role="alert">${problem}</p>`] : []}
<label>New password<input type="password" name="password" autocomplete="new-password" minlength="8" maxlength="128" required></label>
<label>Confirm password<input type="password" name="repeated" autocomplete="new-password" required></label>
<button>Change password</button>
</form>
</main>`,
  );
