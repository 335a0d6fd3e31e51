import { html } from "../web/html.ts";
import { layout } from "../web/layout.ts";

const links = [
  ["/docs", "API reference", "Every operation, with examples, limits and the errors it can answer."],
  [
    "/docs/events",
    "Realtime events",
    "Every event over Socket.IO and Colyseus, both ways, with payloads and examples.",
  ],
  ["/docs/errors", "Error codes", "What each code means and what to do about it."],
  ["/openapi.json", "OpenAPI document", "The same as the reference, for tools: OpenAPI 3.1."],
  ["/asyncapi.json", "AsyncAPI document", "The same as the page of events, for tools: AsyncAPI 3.0."],
  ["/healthz", "Health", "Whether the process answers."],
  ["/readyz", "Readiness", "Whether it can serve, and what is missing if not."],
] as const;

/** `/`: where to go from here. */
export const indexPage = (version: string): string =>
  layout({
    title: "Hubbub",
    path: "/",
    main: html`<main class="page">
<h1>Hubbub</h1>
<p class="lead">The backend of a social live-audio app: voice rooms, seats, chat, gifts and coins.</p>
<ul class="links">${links.map(
      ([href, label, about]) => html`<li><a href="${href}">${label}</a><span>${about}</span></li>\n`,
    )}</ul>
<p class="quiet">Version ${version}. REST is below <code>/api/v1</code>, Socket.IO at <code>/socket.io</code>.</p>
</main>`,
  });
