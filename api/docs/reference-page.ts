import { html } from "../web/html.ts";
import { layout } from "../web/layout.ts";

/** Returns a page with Swagger UI for the document of an API. A script file starts it, because the CSP allows no inline scripts. */
export const referencePage = ({ title, path, file }: { title: string; path: string; file: string }): string =>
  layout({
    title: `${title} · Hubbub`,
    path,
    styles: ["/docs/assets/swagger-ui.css", "/docs/assets/reference.css"],
    scripts: ["/docs/assets/swagger-ui-bundle.js", "/docs/assets/start-reference.js"],
    main: html`<div id="reference" data-url="/${file}"></div>
<noscript><main class="page"><p>This page requires JavaScript. You can also read the <a href="/${file}">OpenAPI document</a>.</p></main></noscript>`,
  });
