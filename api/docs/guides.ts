import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Marked, type Tokens } from "marked";
import { assert } from "#shared/kernel/assert.ts";
import { escapeHtml } from "#shared/kernel/escape-html.ts";
import { publicAddress } from "#shared/kernel/public-address.ts";
import { Html, html } from "../web/html.ts";
import { layout, type MenuGroup } from "../web/layout.ts";
import type { SearchEntry } from "./search-index.ts";

const folder = new URL("../../docs/", import.meta.url);

/** The groups of guides, each the Markdown files that a pattern finds. Their order is that of the names. */
const groups = [
  { title: "For app developers", pattern: "guides/*.md" },
  { title: "For operators and contributors", pattern: "*.md" },
] as const;

/** The address in the files. Readers see that of the service. */
const printedAddress = "http://127.0.0.1:3000";

/** A part of a guide, from a heading to the next one. */
interface Section {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

export interface Guide {
  /** The file's name without its number and `.md`. */
  readonly slug: string;
  readonly group: string;
  readonly title: string;
  readonly body: Html;
  /** The first is the guide's beginning. */
  readonly sections: readonly Section[];
}

/** Returns the anchor of a heading, as GitHub makes it. */
const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");

const slugOf = (file: string): string => file.replace(/^.*\//, "").replace(/^\d+-/, "").replace(/\.md$/, "");
const hrefOf = (slug: string): string => `/docs/guides/${slug}`;

/** The files are our own, so their markup is trusted. Links to other guides lead to their pages. */
const markdown = new Marked({
  renderer: {
    heading({ tokens, depth, text }) {
      const id = anchorOf(plain(text));
      return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    code: ({ text, lang = "text" }) =>
      `<pre tabindex="0"><code class="language-${escapeHtml(lang)}">${escapeHtml(text)}\n</code></pre>\n`,
    // A drawing becomes a part of the page.
    image: ({ href }) => readFileSync(new URL(href, folder), "utf8"),
    link({ href, tokens }) {
      // Other files of the repository aren't served.
      if (href.startsWith("../")) return this.parser.parseInline(tokens);
      const [, file, anchor = ""] = /^(?!\w+:)([^#]+\.md)(#.*)?$/.exec(href) ?? [];
      const target = file ? `${hrefOf(slugOf(file))}${anchor}` : href;
      return `<a href="${target}">${this.parser.parseInline(tokens)}</a>`;
    },
    table({ header, rows }) {
      const row = (cells: readonly Tokens.TableCell[], tag: "th" | "td") =>
        `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join("")}</tr>\n`;
      const body = rows.map((cells) => row(cells, "td")).join("");
      return `<div class="scroll"><table><thead>${row(header, "th")}</thead><tbody>${body}</tbody></table></div>\n`;
    },
  },
});

/** Removes the marks of Markdown from a line. */
const plain = (text: string): string => text.replace(/[`*]|\[([^\]]*)\]\([^)]*\)/g, "$1");

function readGuide(group: string, file: URL): Guide {
  const source = readFileSync(file, "utf8").replaceAll(printedAddress, publicAddress());
  const sections: Section[] = [];
  for (const token of markdown.lexer(source)) {
    if (token.type === "heading") {
      const title = plain(token.text);
      sections.push({ id: anchorOf(title), title, text: "" });
      continue;
    }
    const last = sections.at(-1);
    if (last) sections[sections.length - 1] = { ...last, text: `${last.text} ${plain(token.raw)}`.slice(0, 1000) };
  }
  const first = sections[0];
  assert(first, `${file.pathname} begins with a heading`);
  const body = new Html(markdown.parse(source) as string);
  return { slug: slugOf(file.pathname), group, title: first.title, body, sections };
}

let read: readonly Guide[] | undefined;

/** Returns all guides. They are read once, when the first is shown. */
export function guides(): readonly Guide[] {
  read ??= groups.flatMap(({ title, pattern }) =>
    globSync(pattern, { cwd: fileURLToPath(folder) })
      .sort()
      .map((name) => readGuide(title, new URL(name, folder))),
  );
  return read;
}

/** Returns the guides by group; those for app developers come first. */
export const menuOfGuides = (): MenuGroup[] =>
  groups.map(({ title }) => ({
    title,
    items: guides()
      .filter(({ group }) => group === title)
      .map(({ slug, title: label }) => ({ href: hrefOf(slug), label })),
  }));

/** Returns the page `/docs/guides`: the list of all guides. */
export function guidesPage(): string {
  return layout({
    title: "Guides · Hubbub",
    path: "/docs/guides",
    menu: menuOfGuides(),
    main: html`<main class="page">
<h1>Guides</h1>
${menuOfGuides().map(
  ({ title, items }) => html`<h2>${title}</h2>
<ul>${items.map(({ href, label }) => html`<li><a href="${href}">${label}</a></li>\n`)}</ul>
`,
)}</main>`,
  });
}

/** Returns the page of a guide. */
export function guidePage({ title, body, sections }: Guide): string {
  const here = sections.slice(1).map(({ id, title: label }) => ({ href: `#${id}`, label }));
  return layout({
    title: `${title} · Hubbub`,
    path: "/docs/guides",
    menu: [{ title, items: here }, ...menuOfGuides()],
    main: html`<main class="page guide">
${body}</main>`,
  });
}

/** Returns what the search of the documents finds: each part of each guide. */
export const guideEntries = (): SearchEntry[] =>
  guides().flatMap(({ slug, title, sections }) =>
    sections.map((section, index) => ({
      label: index === 0 ? title : `${title}: ${section.title}`,
      kind: "guide" as const,
      href: index === 0 ? hrefOf(slug) : `${hrefOf(slug)}#${section.id}`,
      text: section.text,
    })),
  );
