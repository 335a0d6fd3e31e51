import { execFile } from "node:child_process";
import { copyFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "chai";

const root = fileURLToPath(new URL("..", import.meta.url));

/** What the text around the code speaks of: a table of its own, and what reads and writes it. */
const raffleState = `
import type { Tx } from "#shared/db/transaction.ts";
export interface RaffleRow { readonly id: string; readonly epoch: number; readonly entries: readonly string[] }
export declare function claimRaffle(id: string): Promise<RaffleRow>;
export declare function saveRaffle(tx: Tx, next: RaffleRow): Promise<void>;
`;

/** An addition of the guide: to the top of a file, which may be new, or into something that the file declares. */
interface Addition {
  readonly file: string;
  readonly into: string | undefined;
  readonly code: string;
}

/** Returns the additions of blocks of code: `// path` or `// path, in Name`, and the lines that follow. */
const additionsIn = (markdown: string): Addition[] =>
  [...markdown.matchAll(/^```ts\n([\s\S]*?)^```/gm)].flatMap(([, block = ""]) =>
    [...block.matchAll(/^\/\/ (\S+\.ts)(?:, in (\w+))?\n([\s\S]*?)(?=^\/\/ \S+\.ts|$(?![\s\S]))/gm)].map(
      ([, file, into, code]) => ({ file: file!, into, code: code! }),
    ),
  );

/** Puts code at the beginning of an interface, an object, or the object that a function returns. */
function added(text: string, { file, into, code }: Addition): string {
  if (!into) return code + text;
  const place = new RegExp(`(?:(?:interface|const) ${into}\\b.*\\{[ \\n]|function ${into}\\([\\s\\S]*?return \\{\\n)`);
  expect(text, file).to.match(place);
  return text.replace(place, (opening) => `${opening}${code}`);
}

describe("the engine's README", () => {
  it("shows a kind of actor that compiles", async () => {
    await mkdir(join(root, "dist"), { recursive: true });
    const folder = await mkdtemp(join(root, "dist/engine-readme-"));
    const notTest = (path: string) => !/\.test\.ts$/.test(path);
    try {
      for (const part of ["shared", "engine", "api"])
        await cp(join(root, part), join(folder, part), { recursive: true, filter: notTest });
      for (const file of ["package.json", "tsconfig.json"]) await copyFile(join(root, file), join(folder, file));
      const additions = additionsIn(await readFile(join(root, "engine/README.md"), "utf8"));
      expect(additions).to.have.length(8);
      for (const addition of additions) {
        const file = join(folder, addition.file);
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, added(await readFile(file, "utf8").catch(() => ""), addition));
      }
      const state = join(folder, "shared/domain/live/raffles/raffle-state.ts");
      await mkdir(dirname(state), { recursive: true });
      await writeFile(state, raffleState);
      const files = ["engine/server.ts", "shared/testing/no-engine.ts"];
      await writeFile(join(folder, "guide.json"), JSON.stringify({ extends: "./tsconfig.json", include: [], files }));

      const compiled = promisify(execFile)(join(root, "node_modules/.bin/tsc"), ["-p", "guide.json"], { cwd: folder });

      expect(await compiled.catch(({ stdout }) => ({ stdout }))).to.have.property("stdout", "");
    } finally {
      await rm(folder, { recursive: true });
    }
  }).timeout(60_000);
});
