import { randomBytes } from "node:crypto";
import { directionOf, type Language } from "#shared/kernel/languages.ts";
import type { BuiltFiles } from "./built-pages.ts";
import { type Html, html } from "./html.ts";
import type { Words } from "./words.ts";

export interface MenuGroup {
  readonly title: string;
  readonly items: readonly { readonly href: string; readonly label: string }[];
}

export interface Page {
  readonly title: string;
  /** Path of the page, to mark it in the navigation. */
  readonly path: string;
  readonly main: Html;
  /** The contents of the page, beside it. A page with a menu can load scripts, and has a search box. */
  readonly menu?: readonly MenuGroup[];
  /** Beside the pages' own style and before it. */
  readonly styles?: readonly string[];
  readonly scripts?: readonly string[];
  /** Scripts that import others. They run after `scripts`. */
  readonly modules?: readonly string[];
}

const navigation = [
  ["/docs/guides", "Guides"],
  ["/docs", "Reference"],
  ["/docs/events", "Events"],
  ["/docs/timeline", "Timeline"],
  ["/docs/errors", "Errors"],
  ["/docs/admin", "Admin"],
  ["/docs/catalogue", "Catalogue"],
] as const;

const style = "/docs/assets/docs.css";
const pageModule = "/docs/assets/docs.js";

/** A whole page with the navigation of the documents. */
export function layout({ title, path, main, menu, styles = [], scripts = [], modules = [] }: Page): string {
  const links = navigation.map(([href, label]) =>
    href === path ? html`<a href="${href}" aria-current="page">${label}</a>` : html`<a href="${href}">${label}</a>`,
  );
  return documentOf(
    "en",
    title,
    [...styles, style],
    [
      ...scripts.map((src) => html`<script src="${src}" defer></script>\n`),
      ...(menu ? [pageModule, ...modules] : []).map((src) => html`<script type="module" src="${src}"></script>\n`),
    ],
    html`<header><a class="name" href="/">Hubbub</a><nav aria-label="Documentation">${links}</nav>${menu ? search : ""}</header>
${menu ? html`<div class="with-menu">\n${sideMenu(menu)}\n<div>${main}</div>\n</div>` : main}`,
  );
}

/** Filled by the script, which finds operations, events, errors, and guides. */
const search = html`<search><input type="search" id="find" placeholder="Search" aria-label="Search the documentation"
 autocomplete="off" role="combobox" aria-expanded="false" aria-controls="found" aria-autocomplete="list">
<ul id="found" class="found" role="listbox" aria-label="Results" hidden></ul></search>`;

/** Folded where there is no room beside the text; the script unfolds it elsewhere. */
const sideMenu = (groups: readonly MenuGroup[]): Html => html`<details class="menu"><summary>On this page</summary>
<nav aria-label="On this page">${groups.map(
  ({ title, items }) => html`<strong>${title}</strong>
<ul>${items.map(({ href, label }) => html`<li><a href="${href}">${label}</a></li>\n`)}</ul>
`,
)}</nav></details>`;

/** The style of pages that are a form. */
export const formStyle = "/docs/assets/form.css";

/** A whole page for users of the app: without navigation, and hidden from search engines. */
export const barePage = ({ language }: Words, title: string, ownStyle: string, main: Html): string =>
  documentOf(language, title, [style, ownStyle], [html`<meta name="robots" content="noindex">\n`], main);

/** Returns the nonce of a page, to be used for one response. */
export const makeNonce = (): string => randomBytes(18).toString("base64");

/**
 * A page that its scripts fill: see `vite.config.ts`.
 * @param nonce allows the style element here, and those that the scripts add; scripts read it from the element, other
 *   pages can't
 */
export const builtPage = (
  { language, t }: Words,
  title: string,
  { scripts, styles }: BuiltFiles,
  nonce: string,
): string =>
  documentOf(
    language,
    title,
    [],
    [
      html`<meta property="csp-nonce" nonce="${nonce}">\n`,
      html`<style nonce="${nonce}">${startingStyle}</style>\n`,
      ...scripts.map((src) => html`<script type="module" src="${src}"></script>\n`),
    ],
    // Shown until the program is there. The styles follow it, because nothing after them is painted before they are
    // there, and precede what the program adds, which changes them.
    html`<p class="starting">${title}</p>
${linksTo(styles)}<div id="root"></div>
<noscript>${t("This page needs JavaScript.")}</noscript>`,
  );

const startingStyle = html`.starting { margin: 40vh 0; font: 1.6rem system-ui, sans-serif; text-align: center; }
.starting:has(~ #root:not(:empty)) { display: none; }`;

const linksTo = (styles: readonly string[]): Html =>
  html`${styles.map((href) => html`<link rel="stylesheet" href="${href}">\n`)}`;

/** Everything a page loads comes from this server. */
const documentOf = (
  language: Language,
  title: string,
  styles: readonly string[],
  head: readonly Html[],
  body: Html,
): string =>
  html`<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="/docs/assets/icon.svg" type="image/svg+xml">
${linksTo(styles)}
${head}
</head>
<body>
${body}
</body>
</html>
`.markup;
