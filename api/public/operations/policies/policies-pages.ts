import { Router } from "express";
import { Marked } from "marked";
import { policyKeys } from "#shared/contracts/views.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { sanitized } from "#shared/domain/catalogue/products/sanitize.ts";
import type { CallLimit } from "../../../http/rate-limit.ts";
import type { Locals } from "../../../http/respond.ts";
import { Html, html } from "../../../web/html.ts";
import { barePage, formStyle } from "../../../web/layout.ts";
import { sendPage } from "../../../web/send-page.ts";
import { wordsOf } from "../../../web/words.ts";
import { policyPages, presentPolicies } from "./policies.presenter.ts";

const markdown = new Marked();

/** Returns a router for `/terms`, `/guidelines`, and `/privacy`: the texts of `GET /settings/privacy` as pages. */
export function policiesPages(limit: CallLimit): Router {
  const router = Router();
  for (const key of policyKeys)
    router.get(policyPages[key], async (req, res) => {
      (res.locals as Locals).route = policyPages[key];
      await limit.count(req, null);
      const words = await wordsOf(res);
      const { t } = words;
      const { sections } = await presentPolicies(words.language);
      const { title, body_markdown } = sections.find((section) => section.key === key)!;
      const body = new Html(sanitized(await markdown.parse(body_markdown)));
      const others = sections.filter((section) => section.key !== key);
      const links = others.map((other) => html`<li><a href="${policyPages[other.key]}">${other.title}</a></li>\n`);
      const version = setting("terms_version");
      const note = version ? html`<p><small>${t("Version {{version}}", { version })}</small></p>` : "";
      const main = html`<main class="text"><h1>${title}</h1>\n${body}\n<ul>${links}</ul>\n${note}</main>`;
      sendPage(res, 200, barePage(words, title, formStyle, main));
    });
  return router;
}
