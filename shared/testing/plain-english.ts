import { glob, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/**
 * `npm run check`: rejects words that don't belong in our texts (see `plainWords` for what to write instead). Prints
 * file, line, and word of each, and exits with code 1 if there are any.
 */
const root = fileURLToPath(new URL("../../", import.meta.url));

/** The rejected words, and what to write instead. */
const plainWords: Readonly<Record<string, string>> = {
  nobody: "no one, no user, or the passive voice",
  somebody: "a user",
  whoever: "anyone who, the user who",
  whomever: "the user whom",
  he: "they",
  him: "them",
  his: "their",
  himself: "themselves",
  anew: "again",
  "no more": "no longer",
};

// A quoted word is a value, such as 'nobody' in SQL. "No more than" is fine.
const rejected = new RegExp(`(?<!['"\`])\\b(${Object.keys(plainWords).join("|")})\\b(?! than)`, "gi");

/** Sources, whose strings and comments are checked. */
const sources = "{*.ts,{api,engine,loadtest,migrations,shared}/**/*.{ts,tsx}}";
const exempt = /^shared\/(testing\/plain-english(\.test)?|domain\/identity\/accounts\/reserved-usernames)\.ts$/;

/** Files that are checked as a whole. */
const documents =
  "{*.md,docs/**/*.md,{api,engine,shared,shared/client}/README.md,.env.example,Dockerfile,docker-compose.yml,.ci/run,{api,shared}/**/{texts,templates}/*}";

export interface Finding {
  readonly line: number;
  readonly word: string;
}

interface Text {
  readonly offset: number;
  readonly text: string;
}

/** A token after which a slash divides, unless it is a keyword. */
const operand = /[\w$)\]}]$/;
const keyword = /^(return|typeof|case|in|of|await|yield|void|delete|throw)$/;
const token =
  /(?<comment>\/\/.*|\/\*[\s\S]*?\*\/)|(?<string>"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*')|(?<regex>\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/)|[\w$]+|[\s\S]/y;
const chunk = /(?<text>(?:\\[\s\S]|\$(?!\{)|[^`\\$])*)(?<end>`|\$\{)/y;

/** Splits a TypeScript source into its comments and the texts of its string and template literals. */
export function splitSource(source: string): { strings: Text[]; comments: Text[] } {
  const strings: Text[] = [];
  const comments: Text[] = [];
  /** Depth of braces in each template literal around the current position. */
  const templates: number[] = [];
  let previous = "";

  const readChunk = (at: number): number => {
    chunk.lastIndex = at;
    const { 0: whole, groups } = chunk.exec(source) ?? { 0: source.slice(at), groups: undefined };
    strings.push({ offset: at, text: groups?.text ?? "" });
    if (groups?.end === "${") templates.push(0);
    return at + whole.length;
  };

  for (let at = 0; at < source.length; ) {
    token.lastIndex = at;
    const { 0: whole, groups = {} } = token.exec(source)!;
    const isDivision = groups.regex && operand.test(previous) && !keyword.test(previous);
    const length = isDivision ? 1 : whole.length;
    const depth = templates.at(-1);

    if (groups.comment) comments.push({ offset: at, text: whole });
    else if (groups.string) strings.push({ offset: at, text: whole.slice(1, -1) });
    else if (whole.trim()) previous = whole;

    at += length;
    if (whole === "`") at = readChunk(at);
    else if (whole === "}" && depth === 0) {
      templates.pop();
      at = readChunk(at);
    } else if (depth !== undefined && (whole === "{" || whole === "}"))
      templates[templates.length - 1] = depth + (whole === "{" ? 1 : -1);
  }
  return { strings, comments };
}

/** Removes code from Markdown, and keeps its line breaks. */
const withoutCode = (text: string): string =>
  text.replace(/```[\s\S]*?```|`[^`]*`/g, (code) => code.replace(/[^\n]/g, " "));

/** Finds the rejected words of a file. A string without a space is a value and not prose. */
export function findWords(path: string, content: string): Finding[] {
  const { strings, comments } = path.endsWith(".ts")
    ? splitSource(content)
    : { strings: [{ offset: 0, text: withoutCode(content) }], comments: [] };
  const texts = [...strings.filter(({ text }) => text.includes(" ")), ...comments];
  return texts.flatMap(({ offset, text }) =>
    [...text.matchAll(rejected)].map(({ 0: word, index }) => ({
      line: content.slice(0, offset + index).split("\n").length,
      word,
    })),
  );
}

async function check(): Promise<void> {
  let count = 0;
  for (const pattern of [sources, documents])
    for await (const path of glob(pattern, { cwd: root })) {
      if (exempt.test(path)) continue;
      const content = await readFile(`${root}${path}`, "utf8");
      for (const { line, word } of findWords(path, content)) {
        console.error(`${path}:${line}: "${word}": write ${plainWords[word.toLowerCase()]}`);
        count += 1;
      }
    }
  if (count > 0) process.exitCode = 1;
}

if (import.meta.main) await check();
