import { escapeHtml } from "#shared/kernel/escape-html.ts";

/** Markup that is safe to send: made only by `html`. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

type Part = string | number | Html | readonly Html[];

/** A template of markup whose values are escaped, unless they are markup themselves. Attributes need their quotes. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  const shown = parts.map((part) => {
    if (part instanceof Html) return part.markup;
    return typeof part === "object" ? part.map(({ markup }) => markup).join("") : escapeHtml(String(part));
  });
  return new Html(String.raw({ raw: strings }, ...shown));
}
