import { type Html, html } from "./html.ts";

export interface Page {
  readonly title: string;
  /** Path of the page, to mark it in the navigation. */
  readonly path: string;
  readonly main: Html;
  /** Beside the pages' own style and before it. */
  readonly styles?: readonly string[];
  readonly scripts?: readonly string[];
}

const navigation = [
  ["/docs", "Reference"],
  ["/docs/events", "Events"],
  ["/docs/errors", "Errors"],
  ["/docs/admin", "Admin"],
] as const;

const style = "/docs/assets/docs.css";

/** A whole page with the navigation of the documents. */
export function layout({ title, path, main, styles = [], scripts = [] }: Page): string {
  const links = navigation.map(([href, label]) =>
    href === path ? html`<a href="${href}" aria-current="page">${label}</a>` : html`<a href="${href}">${label}</a>`,
  );
  return documentOf(
    title,
    [...styles, style],
    scripts.map((src) => html`<script src="${src}" defer></script>\n`),
    html`<header><a class="name" href="/">Hubbub</a><nav aria-label="Documentation">${links}</nav></header>
${main}`,
  );
}

/** A whole page for users of the app: without navigation, and hidden from search engines. */
export const barePage = (title: string, ownStyle: string, main: Html): string =>
  documentOf(title, [style, ownStyle], [html`<meta name="robots" content="noindex">\n`], main);

/** Everything a page loads comes from this server; nothing in it is inline. */
const documentOf = (title: string, styles: readonly string[], head: readonly Html[], body: Html): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="/docs/assets/icon.svg" type="image/svg+xml">
${styles.map((href) => html`<link rel="stylesheet" href="${href}">\n`)}
${head}
</head>
<body>
${body}
</body>
</html>
`.markup;
