import { type Html, html } from "../web/html.ts";

const marked = /`([^`]+)`|\[([^\]]+)\]\(([^)]+)\)/g;

/** Renders a text with `code` between backticks and links written as [words](address). */
export function prose(text: string): Html[] {
  const parts: Html[] = [];
  let end = 0;
  for (const { 0: whole, 1: code, 2: words, 3: address, index } of text.matchAll(marked)) {
    parts.push(html`${text.slice(end, index)}`);
    parts.push(code ? html`<code>${code}</code>` : html`<a href="${address!}">${words!}</a>`);
    end = index + whole.length;
  }
  return [...parts, html`${text.slice(end)}`];
}
