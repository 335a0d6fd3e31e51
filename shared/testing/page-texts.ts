import { glob, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import ts from "typescript-5";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Returns the English texts of a page, which are the keys of its translations: the literals of its `t` and `key`. */
export async function findPageTexts(folder: string): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  const add = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) texts[node.text] = node.text;
    if (ts.isConditionalExpression(node)) for (const branch of [node.whenTrue, node.whenFalse]) add(branch);
  };
  for await (const path of glob(`${folder}/*.{ts,tsx}`, { cwd: root })) {
    const source = await readFile(root + path, "utf8");
    const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node) && /^(t|key)$/.test(node.expression.getText()) && node.arguments[0])
        add(node.arguments[0]);
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return texts;
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
