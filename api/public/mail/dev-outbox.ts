import { Router } from "express";
import { checkInput } from "#shared/contracts/check-input.ts";
import { line, object, oneOf, optional } from "#shared/contracts/fields.ts";
import { type KeptMessage, listMessages } from "#shared/domain/mail/outbox.ts";
import { type Locals, sendJson } from "../../http/respond.ts";
import { type Html, html } from "../../web/html.ts";
import { layout } from "../../web/layout.ts";
import { sendPage } from "../../web/send-page.ts";

const path = "/dev/outbox";

const query = object({ format: optional(oneOf("json", "html")), to: optional(line(1, 254)) });

/**
 * Mail and text messages that nobody carries, the newest 100, with their codes and links: for whoever develops with the
 * service, so never in production. JSON, or a page for browsers. Not below `/api/v1`, so plain Express.
 */
export function devOutbox(): Router {
  const router = Router();
  router.get(path, async (req, res) => {
    (res.locals as Locals).route = path;
    const { format, to } = checkInput(query, { ...req.query }, { stripUnknown: true });
    const messages = await listMessages(to);
    res.vary("Accept");
    if ((format ?? req.accepts(["json", "html"])) === "html") return sendPage(res, 200, outboxPage(messages));
    res.setHeader("Cache-Control", "no-store");
    sendJson(res, 200, { success: true, data: { items: messages } });
  });
  return router;
}

const outboxPage = (messages: readonly KeptMessage[]): string =>
  layout({
    title: "Mail outbox · Hubbub",
    path,
    main: html`<main class="page">
<h1>Mail outbox</h1>
<p class="lead">What would have been sent. Nobody carries mail unless <code>SMTP_URL</code> is set, nor text messages
unless <code>SMS_WEBHOOK_URL</code> is.</p>
${messages.length === 0 ? [html`<p class="quiet">Nothing yet: register somebody.</p>`] : messages.map(article)}
<p class="quiet">Kept for a day. <a href="${path}?format=json">The same as JSON</a>, with the mails' HTML;
<code>?to=</code> takes a recipient.</p>
</main>`,
  });

const article = ({ channel, recipient, subject, text, created_at }: KeptMessage): Html => html`<article>
<h2>${subject ?? "Text message"}</h2>
<p class="quiet">${channel === "mail" ? "Mail" : "SMS"} to ${recipient}, <time datetime="${created_at}">${created_at}</time></p>
<pre class="letter">${withLinks(text)}</pre>
</article>
`;

/** Addresses in a text can be followed. */
const withLinks = (text: string): Html[] =>
  text
    .split(/(https?:\/\/\S+)/)
    .map((part, index) => (index % 2 === 1 ? html`<a href="${part}">${part}</a>` : html`${part}`));
