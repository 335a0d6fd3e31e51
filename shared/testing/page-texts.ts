import { glob, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import ts from "typescript-5";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Calls `look` with each node of the sources of a page. */
async function eachNode(folder: string, look: (node: ts.Node, path: string) => void): Promise<void> {
  for await (const path of glob(`${folder}/*.{ts,tsx}`, { cwd: root })) {
    const source = await readFile(root + path, "utf8");
    const visit = (node: ts.Node): void => {
      look(node, path);
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX));
  }
}

/** Returns the English texts of a page, which are the keys of its translations: the literals of its `t` and `key`. */
export async function findPageTexts(folder: string): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  const add = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) texts[node.text] = node.text;
    if (ts.isConditionalExpression(node)) for (const branch of [node.whenTrue, node.whenFalse]) add(branch);
  };
  await eachNode(folder, (node) => {
    if (ts.isCallExpression(node) && /^(t|key)$/.test(node.expression.getText()) && node.arguments[0])
      add(node.arguments[0]);
  });
  return texts;
}

/**
 * Returns the words that templates of `html` contain themselves, outside of code: they would be in English for
 * everyone.
 */
export async function findUntranslated(folder: string, exempt: RegExp): Promise<string[]> {
  const found: string[] = [];
  await eachNode(folder, (node, path) => {
    if (exempt.test(path) || !ts.isTaggedTemplateExpression(node) || node.tag.getText() !== "html") return;
    const { template } = node;
    const parts = ts.isTemplateExpression(template)
      ? [template.head, ...template.templateSpans.map(({ literal }) => literal)]
      : [template];
    const markup = parts.map(({ text }) => text).join("0");
    const shown = markup.match(/(?<= (?:placeholder|title|aria-label|alt)=")[^"]+/g) ?? [];
    const text = markup.replace(/<(code|title)>.*?<\/\1>|<[^>]*>/gs, " ");
    for (const [word] of [text, ...shown].join(" ").matchAll(/\p{L}{2,}.*/gu)) found.push(`${path}: ${word}`);
  });
  return found;
}

const shownAttributes = /^(aria-label|title|placeholder|label|description|alt)$/;

/** Returns the words that the JSX of pages contains itself, outside of calls: they would be in English for everyone. */
export async function findUntranslatedInJsx(folder: string): Promise<string[]> {
  const found = new Set<string>();
  const add = (node: ts.Node | undefined): void => {
    if (!node) return;
    if (ts.isJsxExpression(node)) add(node.expression);
    if (ts.isConditionalExpression(node)) for (const branch of [node.whenTrue, node.whenFalse]) add(branch);
    if (ts.isBinaryExpression(node)) add(node.right);
    const texts = ts.isTemplateExpression(node)
      ? [node.head, ...node.templateSpans.map(({ literal }) => literal)].map(({ text }) => text)
      : ts.isStringLiteralLike(node) || ts.isJsxText(node)
        ? [node.text]
        : [];
    for (const text of texts) if (/\p{L}{2}/u.test(text)) found.add(text.trim());
  };
  await eachNode(folder, (node) => {
    const isChild = node.parent && (ts.isJsxElement(node.parent) || ts.isJsxFragment(node.parent));
    if (isChild && (ts.isJsxText(node) || ts.isJsxExpression(node))) add(node);
    if (ts.isJsxAttribute(node) && shownAttributes.test(node.name.getText())) add(node.initializer);
  });
  return [...found].sort();
}

/** Returns the declarations of style sheets that name the left or right side: they are wrong from right to left. */
export async function findPhysicalSides(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const path of glob(`${folder}/*.css`, { cwd: root }))
    for (const [declaration] of (await readFile(root + path, "utf8")).matchAll(
      /^\s+(?:(?:margin|padding|border|inset)-)?(?:left|right):.*|text-align: (?:left|right)/gm,
    ))
      found.push(`${path}: ${declaration.trim()}`);
  return found;
}
