import { html } from "../web/html.ts";
import { layout } from "../web/layout.ts";
import { menuOfGuides } from "./guides.ts";

const links = [
  ["/docs/guides", "Guides", "How to build an app on it, from the first room to payments. Each is tried as printed."],
  ["/docs", "API reference", "All REST operations, with examples, rate limits, and errors."],
  [
    "/docs/events",
    "Realtime events",
    "All client and server events over Socket.IO and Colyseus, with schemas and examples.",
  ],
  ["/docs/timeline", "A room's timeline", "Who calls what in a room, and which events each member receives."],
  ["/docs/errors", "Error codes", "What each error code means, and what to do about it."],
  ["/docs/admin", "Admin API reference", "The operations of administrators."],
  ["/docs/catalogue", "Catalogue API reference", "The operations of resellers' programs."],
  ["/openapi.json", "OpenAPI document", "The API reference in OpenAPI 3.1, for tools."],
  ["/admin.openapi.json", "Admin OpenAPI document", "The admin API reference in OpenAPI 3.1, for tools."],
  ["/catalogue/openapi.json", "Catalogue OpenAPI document", "The catalogue API reference in OpenAPI 3.1, for tools."],
  ["/asyncapi.json", "AsyncAPI document", "The realtime events in AsyncAPI 3.0, for tools."],
  ["/healthz", "Health", "Whether the process is running."],
] as const;

interface Card {
  readonly href: string;
  readonly label: string;
  readonly about: string;
  readonly picture: string;
}

const firstRoom: Card = {
  href: "/docs/guides/first-room",
  label: "Your first room",
  about: "From an empty folder to two people who talk, in a few minutes.",
  picture: "room.svg",
};
const console: Card = {
  href: "/admin",
  label: "Console",
  about: "Where administrators run the app: reports, users, money, settings.",
  picture: "console.jpg",
};

const readiness = ["/readyz", "Readiness", "Whether the process can serve requests and, if not, why."] as const;
const demo: Card = {
  href: "/demo",
  label: "Demo",
  about: "Two people in one room, side by side: seats, chat, gifts, games, and coins, live.",
  picture: "demo.jpg",
};
const outbox = [
  "/dev/outbox",
  "Mail outbox",
  "Emails and text messages that were not sent, with their codes and links.",
] as const;

/** Which of the pages that production doesn't have are served. */
export interface PagesHere {
  readonly devPages: boolean;
  readonly readiness?: unknown;
}

/** Returns the page `/`, with links to all other pages. */
export const indexPage = (version: string, here: PagesHere): string =>
  layout({
    title: "Hubbub",
    path: "/",
    main: html`<main class="page">
<h1>Hubbub</h1>
<p class="lead">The backend of a social live-audio app: voice rooms, seats, chat, gifts, and coins.</p>
<ul class="cards">${[...(here.devPages ? [demo] : []), firstRoom, console].map(
      ({ href, label, about, picture }) =>
        html`<li><a href="${href}"><img src="/docs/pictures/${picture}" alt="" width="320" height="215"><strong>${label}</strong></a><span>${about}</span></li>\n`,
    )}</ul>
<ul class="links">${[...links, ...(here.readiness ? [readiness] : []), ...(here.devPages ? [outbox] : [])].map(
      ([href, label, about]) => html`<li><a href="${href}">${label}</a><span>${about}</span></li>\n`,
    )}</ul>
<p class="quiet">Version ${version}. The REST API is at <code>/api/v1</code>, Socket.IO at <code>/socket.io</code>.</p>
</main>`,
  });

/** Returns the page of an address that doesn't exist, with the search. */
export const missingPage = (): string =>
  layout({
    title: "Not found · Hubbub",
    path: "",
    menu: menuOfGuides(),
    main: html`<main class="page">
<h1>This page doesn't exist</h1>
<p>Search above, or begin at <a href="/">the first page</a>, <a href="/docs/guides">the guides</a>, or
<a href="/docs">the API reference</a>.</p>
</main>`,
  });
