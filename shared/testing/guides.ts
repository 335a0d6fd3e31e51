import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, "docs/guides");
const printedAddress = "http://127.0.0.1:3000";
const client = pathToFileURL(join(root, "shared/client/client.ts")).href;
const run = promisify(execFile);

/** A guide as it is printed. */
export interface PrintedGuide {
  readonly file: string;
  readonly text: string;
}

/** Returns the guides to developers, which are tried. Those to operators have numbers from 50. */
export const printedGuides = (): PrintedGuide[] =>
  readdirSync(folder)
    .filter((file) => Number.parseInt(file, 10) < 50)
    .map((file) => ({ file, text: readFileSync(join(folder, file), "utf8") }));

/** Returns the blocks of one language, together: they continue each other, unless `between` says otherwise. */
export const blocksOf = ({ text }: PrintedGuide, language: string, between = "\n"): string =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))]
    .map(([, code]) => code)
    .join(between);

/** Runs the shell script and the program of a guide against a service. Returns what they print. */
export async function tryGuide(guide: PrintedGuide, url: string): Promise<string> {
  const [script, program] = ["bash", "js"].map((language) => blocksOf(guide, language).replaceAll(printedAddress, url));
  const printed: string[] = [];
  if (script) printed.push((await run("bash", ["-euo", "pipefail", "-c", script], { timeout: 20_000 })).stdout);
  if (program) {
    // In the repository, where the libraries are.
    const file = join(root, `.guide-${process.pid}.mjs`);
    await writeFile(file, program.replaceAll('"@hubbub/client"', JSON.stringify(client)));
    try {
      printed.push((await run(process.execPath, [file], { timeout: 20_000 })).stdout);
    } finally {
      await rm(file);
    }
  }
  return printed.join("");
}
