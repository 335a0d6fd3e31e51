import { spawn } from "node:child_process";
import { once } from "node:events";
import { glob, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { allMigrations } from "../db/migrate.ts";
import { previousReleaseFile } from "./previous-release.ts";

/**
 * `npm run release:record`: runs the tests, and writes what this release needs of the database to
 * `previous-release.json`. The migrations of the next release are checked against it by a test, which runs last: it
 * would judge this release by the one before.
 */
const itsTest = "shared/db/previous-release.test.ts";
const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));

const withoutTexts = (statement: string): string => statement.replace(/'(?:[^']|'')*'/g, "");

/** Statements of one kind have the same words: other values, orders, and numbers of parameters need nothing else. */
const kindOf = (statement: string): string =>
  [...new Set(withoutTexts(statement).match(/[a-z_]\w*/gi))]
    .filter((word) => !/^(asc|desc)$/i.test(word))
    .sort()
    .join(" ");

/** Returns one statement of each kind, the shortest. Several in one text can't be planned. */
function oneOfEachKind(statements: readonly string[]): string[] {
  const single = statements.filter((text) => !/;\s*\S/.test(withoutTexts(text)));
  const kinds = new Map<string, string>();
  for (const text of single.toSorted((one, other) => other.length - one.length)) kinds.set(kindOf(text), text);
  return [...kinds.values()].sort();
}

/** Writes the file from the statements recorded in a folder. */
export async function writeRelease(folder: string): Promise<number> {
  const recorded: string[] = [];
  for await (const file of glob(join(folder, "*.jsonl")))
    recorded.push(...(await readFile(file, "utf8")).split("\n").filter(Boolean));
  const statements = oneOfEachKind([...new Set(recorded)].map((line) => JSON.parse(line) as string));
  const release = { migrations: await allMigrations(), statements };
  await writeFile(previousReleaseFile, `${JSON.stringify(release, undefined, 2)}\n`);
  return statements.length;
}

async function runTests(args: readonly string[], folder: string): Promise<number> {
  const environment = { ...process.env, STATEMENTS: folder };
  const tests = spawn(process.execPath, [here("run.ts"), ...args], { env: environment, stdio: "inherit" });
  const [code] = (await once(tests, "exit")) as [number];
  return code;
}

async function main(paths: readonly string[]): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "statements-"));
  const recording = [`--ignore=**/${itsTest}`, `--require=${here("record-statements.ts")}`];
  const code = await runTests([...paths, ...recording], folder);
  if (code === 0) console.log(`Recorded ${await writeRelease(folder)} statements.`);
  await rm(folder, { recursive: true });
  return code || runTests([itsTest], folder);
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
