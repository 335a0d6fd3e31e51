import { html } from "../web/html.ts";
import { layout } from "../web/layout.ts";

/** `/docs`: Swagger UI over `/openapi.json`, started by a script file because no inline script may run. */
export const referencePage = (): string =>
  layout({
    title: "API reference · Hubbub",
    path: "/docs",
    styles: ["/docs/assets/swagger-ui.css", "/docs/assets/reference.css"],
    scripts: ["/docs/assets/swagger-ui-bundle.js", "/docs/assets/start-reference.js"],
    main: html`<div id="reference"></div>
<noscript><main class="page"><p>This page needs JavaScript. The same document is at <a href="/openapi.json">/openapi.json</a>.</p></main></noscript>`,
  });
