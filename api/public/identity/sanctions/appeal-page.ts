import express, { type NextFunction, type Request, type Response, Router } from "express";
import { checkInput } from "#shared/contracts/check-input.ts";
import { assertNotInMaintenance } from "#shared/domain/base/settings/maintenance.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { appealSanction } from "#shared/domain/identity/sanctions/appeals.ts";
import { type Appealable, appealPath, findAppealable } from "#shared/domain/operations/appeals/appeal-link.ts";
import type { CallLimit } from "../../../http/rate-limit.ts";
import { type Locals, toDomainError } from "../../../http/respond.ts";
import { type Html, html } from "../../../web/html.ts";
import { barePage, formStyle } from "../../../web/layout.ts";
import { sendPage } from "../../../web/send-page.ts";
import { type Words, wordsOf } from "../../../web/words.ts";
import { appealBody } from "./sanctions.schemas.ts";

/**
 * Returns a router for the page behind the link in an email to a user who is kept out: a form without scripts, which
 * files their appeal. A link that isn't ours, was used, or is about nothing that holds gets the page of addresses that
 * aren't found. `limit` counts an attempt by the caller's address, together with those of the operation.
 */
export function appealPage(limit: CallLimit): Router {
  const router = Router();
  router.get(appealPath(), (req, res, next) =>
    withLink(req, res, next, async (words, appealable) => sendPage(res, 200, formPage(words, appealable))),
  );
  router.post(appealPath(), express.urlencoded({ extended: false, limit: "32kb" }), (req, res, next) =>
    withLink(req, res, next, (words, appealable) => submitForm(req, res, words, appealable, limit)),
  );
  return router;
}

async function withLink(
  req: Request,
  res: Response,
  next: NextFunction,
  show: (words: Words, appealable: Appealable) => Promise<void>,
): Promise<void> {
  (res.locals as Locals).route = appealPath();
  const { id, signature } = req.params as { id: string; signature: string };
  const appealable = await findAppealable(id, signature);
  if (!appealable) return next();
  await show(await wordsOf(res), appealable);
}

async function submitForm(
  req: Request,
  res: Response,
  words: Words,
  appealable: Appealable,
  limit: CallLimit,
): Promise<void> {
  const { t, messageOf } = words;
  const { text } = { ...req.body } as Record<string, unknown>;
  try {
    assertNotInMaintenance();
    await limit.count(req, null);
    const input = checkInput(appealBody, { text });
    await appealSanction({ userId: appealable.user_id }, appealable.id, input.text);
  } catch (error) {
    const expected = toDomainError(error);
    if (!expected) throw error;
    return sendPage(res, expected.status, formPage(words, appealable, { text, problem: messageOf(expected) }));
  }
  const title = t("Your appeal was sent");
  const note = t("Another person decides. You get an email that says what was decided, and why.");
  sendPage(res, 200, page(words, title, html`<h1>${title}</h1><p class="lead" role="status">${note}</p>`));
}

const page = (words: Words, title: string, main: Html): string =>
  barePage(words, `${title} · ${setting("app_name")}`, formStyle, html`<main class="form narrow">${main}</main>`);

function formPage(
  words: Words,
  { reason, until }: Appealable,
  { text = "", problem }: { readonly text?: unknown; readonly problem?: string } = {},
): string {
  const { t } = words;
  const title = t("Appeal a decision");
  const date = until?.slice(0, 16).replace("T", " ");
  const holds = date ? t("It holds until {{date}} (UTC).", { date }) : t("It holds until it is reversed.");
  return page(
    words,
    title,
    html`<h1>${title}</h1>
<p class="lead">${t("The reason")}: <q dir="auto">${reason}</q></p>
<p>${holds}</p>
<form method="post">
${problem ? [html`<p class="problem" role="alert">${problem}</p>`] : []}
<label>${t("Why it is wrong")}<textarea name="text" rows="8" maxlength="2000" dir="auto" required>${String(text)}</textarea></label>
<button>${t("Send the appeal")}</button>
</form>`,
  );
}
