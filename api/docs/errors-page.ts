import { STATUS_CODES } from "node:http";
import { type ErrorCode, errorCodes } from "#shared/kernel/error-codes.ts";
import { type Html, html } from "../web/html.ts";
import { layout } from "../web/layout.ts";
import { prose } from "./prose.ts";

/** Returns the page `/docs/errors`: all error codes by HTTP status, each with its name as an anchor. */
export function errorsPage(): string {
  const codes = Object.keys(errorCodes) as ErrorCode[];
  const groups = [...Map.groupBy(codes, (code) => errorCodes[code].status)].sort(([a], [b]) => a - b);
  return layout({
    title: "Errors · Hubbub",
    path: "/docs/errors",
    menu: groups.map(([status, members]) => ({
      title: `${status} ${STATUS_CODES[status] ?? ""}`,
      items: members.map((code) => ({ href: `#${code}`, label: code })),
    })),
    main: html`<main class="page">
<h1>Errors</h1>
<p class="lead">Every error has one of these codes, over REST and in realtime replies alike. Handle errors by
<code>code</code>. The <code>message</code> is for humans and may change.</p>
<pre tabindex="0">{ "success": false, "error": { "code": "NOT_FOUND", "message": "…", "doc_url": "…" } }</pre>
${groups.map(([status, members]) => group(status, members))}
</main>`,
  });
}

const group = (status: number, codes: readonly ErrorCode[]): Html => html`<section>
<h2 id="${status}">${status} <small>${STATUS_CODES[status] ?? ""}</small></h2>
<dl>${codes.map(
  (code) => html`<div id="${code}">
<dt><a href="#${code}">${code}</a></dt>
<dd>${errorCodes[code].meaning}</dd>
<dd class="remedy">${prose(errorCodes[code].remedy)}</dd>
</div>
`,
)}</dl>
</section>
`;
