import type { DemoCaller } from "#shared/domain/operations/demo/demo-login.ts";
import type { Api } from "../http/api.ts";
import { html } from "../web/html.ts";
import { layout, type MenuGroup } from "../web/layout.ts";
import { demoButtons } from "./demo-buttons.ts";
import { menuOfGuides } from "./guides.ts";
import { downloadNames } from "./openapi.ts";

/** The page of the reference of an API. */
export interface Reference {
  readonly title: string;
  readonly path: string;
  /** Who the reader can be in development. */
  readonly callers: readonly DemoCaller[];
}

export const references: readonly Reference[] = [
  { title: "API reference", path: "/docs", callers: ["ada", "grace"] },
  { title: "Admin API reference", path: "/docs/admin", callers: ["admin"] },
  { title: "Catalogue API reference", path: "/docs/catalogue", callers: ["catalogue"] },
];

/** Returns the address of an operation in its reference. */
export const operationHref = (reference: string, { tag, id }: { readonly tag: string; readonly id: string }): string =>
  `${reference}#/${encodeURIComponent(tag)}/${id}`;

/**
 * Returns a page with Swagger UI for the document of an API. A script file starts it, because the CSP allows no inline
 * scripts.
 */
export function referencePage({ routes, document: { file } }: Api, reference: Reference, hasDemo: boolean): string {
  const { title, path, callers } = reference;
  const operations = [...Map.groupBy(routes, ({ tag }) => tag)].map(([tag, tagged]) => ({
    title: tag,
    items: tagged
      .flatMap((route) => (route.csv ? [route, { ...route, ...downloadNames(route) }] : [route]))
      .map((route) => ({ href: operationHref(path, route), label: route.summary })),
  }));
  const menu: MenuGroup[] = [...menuOfGuides().slice(0, 1), ...operations];
  return layout({
    title: `${title} · Hubbub`,
    path,
    menu,
    styles: ["/docs/assets/swagger-ui.css", "/docs/assets/reference.css"],
    scripts: ["/docs/assets/swagger-ui-bundle.js"],
    modules: ["/docs/assets/start-reference.js"],
    main: html`<div class="reference">
${hasDemo ? demoButtons(path, callers) : ""}
<div id="reference" data-url="/${file}"></div>
<noscript><p class="page">This page requires JavaScript. You can also read the <a href="/${file}">OpenAPI document</a>.</p></noscript>
</div>`,
  });
}
