import { glob, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import ts from "typescript-5";
import { onlyValue, ruleTexts, wholeInput } from "#shared/contracts/rule-texts.ts";
import { errorCodes } from "#shared/kernel/error-codes.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Calls whose arguments are texts of errors. */
const callers = /^(DomainError|illegal|invalidFields|consume|wrongStatus|invalidAction)$/;
/** Files whose functions return such texts. */
const sources = /\/(password-policy|post-webhook|relations\.errors)\.ts$/;
/** The API that speaks English only, and files that pass on texts of others. */
const exempt =
  /^shared\/(extensions\/|extension\/game|main\/extensions\/every)|^(api\/(catalogue|docs)\/|shared\/(testing|client)\/|loadtest\/|engine\/core\/server-error|shared\/domain\/catalogue\/form|shared\/kernel\/(domain-error|translate))|\.test\.ts$/;

/** A sentence, or what is wrong with a field. Not a code, a name, or a statement. */
const isText = (text: string): boolean =>
  /^[\w{][^\n]* [^\n]*$/.test(text) && !/\b(SELECT|UPDATE|DELETE FROM|INSERT)\b/.test(text);

export interface ErrorTexts {
  /** The English texts of errors: the keys of their translations. */
  readonly keys: ReadonlySet<string>;
  /** Where a text is put together by code, so that it has no key. */
  readonly computed: readonly string[];
}

/** Finds the texts of errors in the sources, and the names of fields' kinds that they are filled with. */
export async function findErrorTexts(): Promise<ErrorTexts> {
  const keys = new Set<string>([
    ...Object.values(errorCodes).map(({ meaning }) => meaning),
    ...Object.values(ruleTexts),
  ]);
  for (const text of [onlyValue, wholeInput]) keys.add(text);
  const computed: string[] = [];

  for await (const path of glob("{api,engine,shared}/**/*.ts", { cwd: root })) {
    if (exempt.test(path)) continue;
    const content = await readFile(root + path, "utf8");
    if (!sources.test(path) && !/DomainError|illegal\(|invalidFields|FieldText|consume\(|pattern|one: "/.test(content))
      continue;
    const file = ts.createSourceFile(path, content, ts.ScriptTarget.Latest, true);
    const visit = (node: ts.Node): void => {
      if (ts.isStringLiteralLike(node) && isErrorText(node, path)) keys.add(node.text);
      if (ts.isTemplateExpression(node) && insideCall(node) && !isPlainValue(node))
        computed.push(`${path}: ${node.getText().slice(0, 80)}`);
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return { keys, computed };
}

/** Is this literal the text of an error, or the name of a kind of field or record in one? */
function isErrorText(node: ts.StringLiteralLike, path: string): boolean {
  const { parent } = node;
  if (ts.isPropertyAssignment(parent) && parent.name.getText() === "one") return true;
  if (
    ts.isPropertyAssignment(parent) &&
    parent.name.getText() === "name" &&
    insideCall(node, /^(error|helpers\.error)$/)
  )
    return true;
  if (
    ts.isCallExpression(parent) &&
    parent.arguments[1] === node &&
    /\.pattern$|^matching$/.test(parent.expression.getText())
  )
    return true;
  if (!isText(node.text)) return false;
  if (sources.test(path) && !insideCall(node, /./) && !ts.isBinaryExpression(parent)) return isReturned(node);
  if (ts.isPropertyAssignment(parent) && parent.name.getText() === "text") return true;
  if (ts.isVariableDeclaration(parent) && node.text.endsWith(".") && path.startsWith("shared/")) return true;
  return insideCall(node) && !isPlainValue(node);
}

/** Is the node returned, or listed in an object, rather than kept in a variable? */
function isReturned(node: ts.Node): boolean {
  for (let at = node.parent; at; at = at.parent) {
    if (ts.isReturnStatement(at) || ts.isPropertyAssignment(at)) return true;
    if (ts.isVariableDeclaration(at) || ts.isFunctionLike(at)) return false;
  }
  return false;
}

/** Is the node an argument of such a call, outside of the values that fill the text? */
function insideCall(node: ts.Node, names = callers): boolean {
  for (let at = node; at.parent; at = at.parent) {
    const { parent } = at;
    if (ts.isArrowFunction(parent) || ts.isFunctionDeclaration(parent)) return false;
    if ((ts.isCallExpression(parent) || ts.isNewExpression(parent)) && parent.expression !== at)
      if (names.test(parent.expression.getText())) return true;
  }
  return false;
}

/** Is the node in `values`, or the key of something? */
function isPlainValue(node: ts.Node): boolean {
  for (let at = node; at.parent; at = at.parent)
    if (ts.isPropertyAssignment(at.parent) && /^(values|details|field)$/.test(at.parent.name.getText())) return true;
    else if (ts.isNewExpression(at.parent)) return false;
  return (
    ts.isCallExpression(node.parent) &&
    node.parent.arguments[1] === node &&
    node.parent.expression.getText() === "consume"
  );
}
