import { html } from "../web/html.ts";
import { layout } from "../web/layout.ts";

/** Returns the page `/docs`: Swagger UI for `/openapi.json`. A script file starts it, because the CSP allows no inline scripts. */
export const referencePage = (): string =>
  layout({
    title: "API reference · Hubbub",
    path: "/docs",
    styles: ["/docs/assets/swagger-ui.css", "/docs/assets/reference.css"],
    scripts: ["/docs/assets/swagger-ui-bundle.js", "/docs/assets/start-reference.js"],
    main: html`<div id="reference"></div>
<noscript><main class="page"><p>This page requires JavaScript. You can also read the <a href="/openapi.json">OpenAPI document</a>.</p></main></noscript>`,
  });
