import { isClientEvent } from "#shared/contracts/client-events.ts";
import { serverEvents } from "#shared/contracts/events.ts";
import { type Html, html } from "../web/html.ts";
import { layout } from "../web/layout.ts";
import { keyOf } from "./asyncapi.ts";
import recorded from "./timeline.json" with { type: "json" };

interface ReceivedEvent {
  readonly event: string;
  /** Counted from the first event of the run. */
  readonly seq?: number;
}

/** A recorded run of a room. */
export interface Timeline {
  readonly people: readonly string[];
  readonly steps: readonly {
    readonly by: string;
    /** A client event, or a REST call such as `DELETE /rooms/:id`. */
    readonly call: string;
    readonly payload?: Readonly<Record<string, unknown>>;
    /** `success`, or an error code. */
    readonly reply: string;
    /** What each person received, in order. */
    readonly received: Readonly<Record<string, readonly ReceivedEvent[]>>;
  }[];
}

/** Returns the page `/docs/timeline`: who called what in a recorded room, and what each member received. */
export function timelinePage(): string {
  const { people, steps } = recorded as unknown as Timeline;
  return layout({
    title: "A room's timeline · Hubbub",
    path: "/docs/timeline",
    menu: [
      {
        title: "Steps",
        items: steps.map(({ by, call }, index) => ({ href: `#step-${index + 1}`, label: `${by}: ${call}` })),
      },
    ],
    main: html`<main class="page">
<h1>A room's timeline</h1>
<p class="lead">Recorded from a real room: Ada is its host. Each row is a call with its reply, and below it are the events that each
member received because of it, with their <code>seq</code>.</p>
<p>A client that has seen event 4 and then receives event 6 has missed one, and calls <a href="/docs/events#request.room.sync"><code>room:sync</code></a>
with the last <code>seq</code> that it knows. <code>presence:update</code> and <code>notification:new</code> are left out: they don't
belong to the room.</p>
<ol class="timeline">
${steps.map(
  ({ by, call, payload, reply, received }, index) => html`<li id="step-${index + 1}">
<p><b>${by}</b> ${callLink(call)} <span class="reply">→ ${reply}</span></p>
${payload ? html`<pre tabindex="0">${JSON.stringify(payload)}</pre>` : ""}
<div class="lanes">${people.map((person) => lane(person, received[person] ?? []))}</div>
</li>
`,
)}
</ol>
</main>`,
  });
}

const lane = (person: string, events: readonly ReceivedEvent[]): Html => html`<div>
<span>${person} receives</span>
${
  events.length === 0
    ? html`<span class="quiet">nothing</span>`
    : html`<ol>${events.map(({ event, seq }) => html`<li>${eventLink(event)}${seq === undefined ? "" : html` <small>seq ${seq}</small>`}</li>`)}</ol>`
}
</div>`;

const callLink = (call: string): Html =>
  isClientEvent(call)
    ? html`<a href="/docs/events#${keyOf("request", call)}"><code>${call}</code></a>`
    : html`<code>${call}</code>`;

const eventLink = (event: string): Html =>
  Object.hasOwn(serverEvents, event)
    ? html`<a href="/docs/events#${keyOf("push", event as keyof typeof serverEvents)}"><code>${event}</code></a>`
    : html`<code>${event}</code>`;
