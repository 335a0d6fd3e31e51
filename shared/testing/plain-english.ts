import { glob, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import ts from "typescript-5";

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

/** Splits a TypeScript source into its comments and the texts of its string literals, templates, and elements. */
export function splitSource(path: string, source: string): { strings: Text[]; comments: Text[] } {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, false);
  const strings: Text[] = [];
  const comments = new Map<number, Text>();
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateMiddleOrTemplateTail(node) || ts.isTemplateHead(node))
      strings.push({ offset: node.getStart(file), text: node.getText(file).replace(/^[`"'}]|([`"']|\$\{)$/g, "") });
    else if (ts.isJsxText(node)) strings.push({ offset: node.pos, text: node.text });
    else
      for (const child of node.getChildren(file)) {
        const end = child.end;
        const ranges = [ts.getLeadingCommentRanges(source, child.pos), ts.getTrailingCommentRanges(source, end)];
        if (!ts.isJsxText(child))
          for (const range of ranges.flatMap((found) => found ?? []))
            comments.set(range.pos, { offset: range.pos, text: source.slice(range.pos, range.end) });
        visit(child);
      }
  };
  visit(file);
  return { strings, comments: [...comments.values()] };
}

/** Removes code from Markdown, and keeps its line breaks. */
const withoutCode = (text: string): string =>
  text.replace(/```[\s\S]*?```|`[^`]*`/g, (code) => code.replace(/[^\n]/g, " "));

/** Finds the rejected words of a file. A string without a space is a value and not prose. */
export function findWords(path: string, content: string): Finding[] {
  const { strings, comments } = /\.tsx?$/.test(path)
    ? splitSource(path, content)
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
