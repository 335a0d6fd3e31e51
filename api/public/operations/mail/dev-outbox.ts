import { Router } from "express";
import { checkInput } from "#shared/contracts/check-input.ts";
import { line, object, oneOf, optional } from "#shared/contracts/fields.ts";
import { type KeptMessage, listMessages } from "#shared/domain/identity/mail/outbox.ts";
import { type Locals, sendJson } from "../../../http/respond.ts";
import { type Html, html } from "../../../web/html.ts";
import { layout } from "../../../web/layout.ts";
import { sendPage } from "../../../web/send-page.ts";

/** Below `/dev`. */
const path = "/outbox";
const url = `/dev${path}`;

const query = object({ format: optional(oneOf("json", "html")), to: optional(line(1, 254)) });

/**
 * Returns a router that shows the newest 100 emails and text messages that were not sent, with their codes and links.
 * For development only, never in production. Returns JSON, or a page to browsers. Not under `/api/v1`, so plain
 * Express.
 */
export function devOutbox(): Router {
  const router = Router();
  router.get(path, async (req, res) => {
    (res.locals as Locals).route = url;
    const { format, to } = checkInput(query, { ...req.query }, { stripUnknown: true });
    const messages = await listMessages(to);
    res.vary("Accept");
    if ((format ?? req.accepts(["json", "html"])) === "html") return sendPage(res, 200, outboxPage(messages));
    sendJson(res, 200, { success: true, data: { items: messages } });
  });
  return router;
}

const outboxPage = (messages: readonly KeptMessage[]): string =>
  layout({
    title: "Mail outbox · Hubbub",
    path: url,
    main: html`<main class="page">
<h1>Mail outbox</h1>
<p class="lead">Messages that were not sent, because <code>SMTP_URL</code> (for email) or <code>SMS_WEBHOOK_URL</code> (for text
messages) is not set.</p>
${messages.length === 0 ? [html`<p class="quiet">No messages yet. Register a user to see one.</p>`] : messages.map(article)}
<p class="quiet">Messages are kept for one day. <a href="${url}?format=json">View as JSON</a>, including the HTML of emails. Filter by recipient with
<code>?to=</code>.</p>
</main>`,
  });

const article = ({ channel, recipient, subject, text, created_at }: KeptMessage): Html => html`<article>
<h2>${subject ?? "Text message"}</h2>
<p class="quiet">${channel === "mail" ? "Email" : "SMS"} to ${recipient}, <time datetime="${created_at}">${created_at}</time></p>
<pre class="letter">${withLinks(text)}</pre>
</article>
`;

/** Turns URLs in a text into links. */
const withLinks = (text: string): Html[] =>
  text
    .split(/(https?:\/\/\S+)/)
    .map((part, index) => (index % 2 === 1 ? html`<a href="${part}">${part}</a>` : html`${part}`));
