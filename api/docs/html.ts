/** Markup that is safe to send: made only by `html`. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

type Part = string | number | Html | readonly Html[];

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

const escapeText = (text: string): string => text.replace(/[&<>"']/g, (char) => entities[char]!);

/** A template of markup whose values are escaped, unless they are markup themselves. Attributes need their quotes. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  const shown = parts.map((part) => {
    if (part instanceof Html) return part.markup;
    return typeof part === "object" ? part.map(({ markup }) => markup).join("") : escapeText(String(part));
  });
  return new Html(String.raw({ raw: strings }, ...shown));
}
