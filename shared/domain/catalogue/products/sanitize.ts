import sanitizeHtml from "sanitize-html";

const options: sanitizeHtml.IOptions = {
  allowedTags: [
    ..."h2 h3 h4 p br hr ul ol li strong b em i u s small blockquote pre code a img".split(" "),
    ..."table thead tbody tr th td".split(" "),
  ],
  allowedAttributes: { a: ["href", "title"], img: ["src", "alt", "width", "height"] },
  allowedSchemes: ["https", "http", "mailto"],
  allowProtocolRelative: false,
  transformTags: { a: sanitizeHtml.simpleTransform("a", { rel: "nofollow noopener" }) },
};
options.allowedAttributes = { ...options.allowedAttributes, a: ["href", "title", "rel"] };

/** What was sanitised already. Descriptions rarely change, and each is read often. */
const known = new Map<string, string>();
const knownMax = 5000;

/** Returns HTML without scripts, styles, event handlers, forms, frames, and addresses of other schemes. */
export function sanitized(html: string): string {
  const before = known.get(html);
  if (before !== undefined) return before;
  const [oldest] = known.size >= knownMax ? known.keys() : [];
  if (oldest !== undefined) known.delete(oldest);
  const safe = sanitizeHtml(html, options);
  known.set(html, safe);
  return safe;
}
