import type { ActionSpec } from "#shared/contracts/actions.ts";
import { blockRules } from "#shared/contracts/block-rules.ts";
import { type ClientEvent, clientEvents, errorCodesOfEvent } from "#shared/contracts/client-events.ts";
import type { EventSpec } from "#shared/contracts/event-spec.ts";
import { type ServerEvent, serverEvents } from "#shared/contracts/events.ts";
import type { ErrorCode } from "#shared/kernel/error-codes.ts";
import { type Html, html } from "../web/html.ts";
import { layout } from "../web/layout.ts";
import { keyOf } from "./asyncapi.ts";
import { principles, type Transport, transports } from "./asyncapi-transports.ts";
import { demoButtons } from "./demo-buttons.ts";
import { exampleOf, examplesOf } from "./example-of.ts";
import { type NamedSchemas, toJsonSchema } from "./json-schema.ts";
import { prose } from "./prose.ts";
import { schemaBlock, schemaTable } from "./schema-table.ts";

/** Returns the page `/docs/events`: all events in both directions, from the tables that the transports use. */
export function eventsPage(hasDemo: boolean): string {
  const named: NamedSchemas = new Map();
  const sent = Object.keys(clientEvents) as ClientEvent[];
  const received = Object.keys(serverEvents) as ServerEvent[];
  const sections = [
    html`<h2 id="send">Client events</h2>
<p>If you pass an acknowledgement callback, you receive a reply to each event. Otherwise you receive an <code>error</code>
event if it fails. All events can also fail with ${codeList(commonTo(sent))}.</p>
${sent.map((event) => sentEvent(event, commonTo(sent), named))}`,
    html`<h2 id="receive">Server events</h2>
${received.map((event) => receivedEvent(event, named))}`,
  ];
  return layout({
    title: "Events · Hubbub",
    path: "/docs/events",
    menu: [
      { title: "Events", items: parts },
      { title: "Client events", items: eventItems("request", sent) },
      { title: "Server events", items: eventItems("push", received) },
      { title: "Schemas", items: [...named.keys()].map((name) => ({ href: `#${name}`, label: name })) },
    ],
    modules: ["/docs/assets/play.js"],
    main: html`<main class="page">
<h1>Events</h1>
<p class="lead">The realtime events that clients send and receive, over Socket.IO or as native Colyseus clients. Also
available as an <a href="/asyncapi.json">AsyncAPI 3.0 document</a>.</p>
${hasDemo ? demoButtons("/docs", ["ada", "grace"]) : ""}
<h2 id="connect">Connect</h2>
${principles.map((text) => html`<p>${prose(text)}</p>\n`)}
${Object.values(transports).map(transportSection)}
${sections}
<h2 id="shapes">Schemas</h2>
${[...named].map(
  ([name, schema]) => html`<section class="event" id="${name}">
<h3><a href="#${name}">${name}</a></h3>
${typeof schema.description === "string" ? html`<p>${prose(schema.description)}</p>\n` : ""}${schemaBlock(schema)}
</section>
`,
)}
${stream}
</main>`,
  });
}

const parts = [
  { href: "#connect", label: "Connect" },
  { href: "#send", label: "Client events" },
  { href: "#receive", label: "Server events" },
  { href: "#shapes", label: "Schemas" },
];

/** What the forms below have sent and received. The script shows it. */
const stream = html`<aside class="stream" aria-label="Received events" hidden>
<details><summary>Received events <b></b> <output>Not connected.</output></summary>
<label data-missing="Log in as Ada above, or enter an access token.">Access token <input autocomplete="off" placeholder="of the login above, or another"></label>
<ol aria-live="polite"></ol>
</details>
</aside>`;

function transportSection({ title, summary, description, snippet }: Transport): Html {
  return html`<section>
<h3>${title}</h3>
<p>${prose(`${summary} ${description}`)}</p>
<pre tabindex="0">${snippet}</pre>
</section>
`;
}

const eventItems = (kind: "request" | "push", events: readonly string[]) =>
  events.map((event) => ({ href: `#${keyOf(kind, event)}`, label: event }));

function sentEvent(event: ClientEvent, common: readonly ErrorCode[], named: NamedSchemas): Html {
  const { payload, reply, by, blocks = "none", origin, ...texts }: ActionSpec = clientEvents[event];
  const own = errorCodesOfEvent(event).filter((code) => !common.includes(code));
  return html`${heading(keyOf("request", event), event, origin, texts)}
<p class="who"><b>Allowed for</b> ${by}</p>
${blocks === "none" ? "" : html`<p>${prose(blockRules[blocks].text)}</p>`}
<h4>Payload</h4>
${schemaTable(toJsonSchema(payload, "input", named))}
<h4>Reply</h4>
${schemaBlock(toJsonSchema(reply, "output", named))}
${own.length > 0 ? html`<p>Errors: ${codeList(own)}.</p>` : ""}
${example([
  ...examplesOf(payload).map(({ value }): NamedPart => [event, value]),
  ["acknowledgement", { success: true, data: exampleOf(reply) }],
])}
${sendForm(event, examplesOf(payload)[0]!.value)}
</section>
`;
}

/** Sends the event. The script shows it, and puts the reply into the output. */
const sendForm = (event: ClientEvent, payload: unknown): Html => html`<form class="send" data-event="${event}" hidden>
<label>Payload of <code>${event}</code><textarea rows="4" spellcheck="false">${JSON.stringify(payload, null, 2)}</textarea></label>
<button>Send</button>
<output></output>
</form>`;

function receivedEvent(event: ServerEvent, named: NamedSchemas): Html {
  const { payload, to, origin, ...texts }: EventSpec = serverEvents[event];
  return html`${heading(keyOf("push", event), event, origin, texts)}
<p class="who"><b>Sent to</b> ${to}</p>
<h4>Payload</h4>
${schemaTable(toJsonSchema(payload, "output", named))}
${example([[event, exampleOf(payload)]])}
</section>
`;
}

const heading = (
  key: string,
  event: string,
  origin: string,
  { summary, description }: { readonly summary: string; readonly description?: string },
): Html => html`<section class="event" id="${key}">
<h3><a href="#${key}">${event}</a>${origin === "extension" ? html` <small title="Version 1 of the API, as other servers may have it, doesn't include this">extension</small>` : ""}</h3>
<p>${prose(summary)}.</p>${
  description
    ? html`
<p>${prose(description)}</p>`
    : ""
}`;

type NamedPart = readonly [name: string, value: unknown];

const example = (parts: readonly NamedPart[]): Html => html`<details><summary>Example</summary>
${parts.map(([name, value]) => html`<p><code>${name}</code></p><pre tabindex="0">${JSON.stringify(value, null, 2)}</pre>`)}
</details>`;

/** Returns the error codes common to all of these events. */
const commonTo = (events: readonly ClientEvent[]): ErrorCode[] =>
  events.map(errorCodesOfEvent).reduce((common, codes) => common.filter((code) => codes.includes(code)));

const codeList = (codes: readonly ErrorCode[]): Html =>
  html`${codes.map((code, index) => html`${index > 0 ? ", " : ""}<a href="/docs/errors#${code}"><code>${code}</code></a>`)}`;
