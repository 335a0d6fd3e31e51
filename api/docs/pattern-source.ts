import type { Described, JsonSchema } from "./json-schema.ts";

/**
 * What JSON Schema can hold of a regular expression: its source, read with the flag `u`. The flags `i` and `s` are
 * written into the source; the others have no form there.
 * @param literal as `describe()` gives it: `/source/flags`
 * @throws for a flag that cannot be said
 */
export function patternSource(literal: string): string {
  const end = literal.lastIndexOf("/");
  const flags = literal.slice(end + 1);
  const beyond = flags.replace(/[uis]/g, "");
  if (!literal.startsWith("/") || beyond) throw new Error(`JSON Schema cannot say the flags of ${literal}.`);
  const source = literal.slice(1, end);
  return rewrite(source, { foldCase: flags.includes("i"), dotAll: flags.includes("s") });
}

/**
 * An escape, a range of letters, the head of a group, a letter, a dot, or a bracket; everything else stays as it is.
 */
const token =
  /\\(?:u\{\w+\}|u\w{4}|x\w{2}|[pPk][{<][^}>]*[}>]|c[A-Za-z]|.)|[a-z]-[a-z]|[A-Z]-[A-Z]|\(\?(?:<\w+>|<?[=!:])|[A-Za-z.[\]]/gs;

function rewrite(source: string, { foldCase, dotAll }: { foldCase: boolean; dotAll: boolean }): string {
  let inClass = false;
  return source.replace(token, (found) => {
    if (found === "[") inClass = true;
    if (found === "]") inClass = false;
    if (found === "." && !inClass && dotAll) return "[\\s\\S]";
    if (!foldCase || !/^[A-Za-z]/.test(found)) return found;
    const both = `${found.toLowerCase()}${found.toUpperCase()}`;
    // A range outside a class is three characters, of which the first and the last have a case.
    if (found.length === 1) return inClass ? both : `[${both}]`;
    if (inClass) return both;
    return [...found].map((char) => (char === "-" ? char : `[${char.toLowerCase()}${char.toUpperCase()}]`)).join("");
  });
}

/** Formats of Joi's that JSON Schema does not know, as patterns. */
const formatPatterns: Record<string, string> = { hex: "^[0-9a-fA-F]+$" };

/**
 * Joi's own output loses a pattern's flags.
 * @throws for a pattern beside a conversion of the case, which changes more letters than a pattern can say
 */
export function fillPatterns(node: JsonSchema, described: Described): void {
  const rules = described.rules ?? [];
  const converts = rules.some(({ name }) => name === "case");
  const patterns: JsonSchema[] = rules
    .filter(({ name }) => name === "pattern")
    .map(({ args }) => {
      if (converts) throw new Error("Joi converts the case before it matches: use a `custom` behind the pattern.");
      const schema = { pattern: patternSource(args?.regex ?? "") };
      return args?.options && "invert" in args.options ? { not: schema } : schema;
    });
  const formatPattern = formatPatterns[String(node.format)];
  if (formatPattern) {
    delete node.format;
    patterns.push({ pattern: formatPattern });
  }
  delete node.pattern;
  delete node.allOf;
  if (patterns.length === 1) Object.assign(node, patterns[0]);
  if (patterns.length > 1) node.allOf = patterns;
}
