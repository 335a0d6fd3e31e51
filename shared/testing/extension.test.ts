import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "chai";
import { blocksOf } from "./guides.ts";
import { runProgram } from "./spawned-service.ts";

const guideOf = (name: string) => fileURLToPath(new URL(`../../docs/guides/${name}.md`, import.meta.url));

describe("npm run extension", function () {
  this.timeout(120_000);
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "hubbub-extension-"));
  });
  after(() => rm(folder, { recursive: true }));

  const { HUBBUB_TEST_SERVER = "" } = process.env;
  const extension = (...args: string[]) => runProgram(["shared/testing/extension.ts", ...args], { HUBBUB_TEST_SERVER });

  /** Returns what the compiler prints. */
  async function compile(args: string[]): Promise<string> {
    const compiler = fileURLToPath(new URL("../../node_modules/.bin/tsc", import.meta.url));
    const ended = promisify(execFile)(compiler, args, { cwd: folder });
    return (await ended.catch(({ stdout }: { stdout: string }) => ({ stdout }))).stdout;
  }

  it("makes an extension anywhere, with a test that passes", async () => {
    const place = join(folder, "tea-time");
    expect((await extension("new", place)).exitCode).to.equal(0);
    const { exitCode, output } = await extension("test", place);
    expect(output.trim()).to.match(/2 passing \(\w+\)$/);
    expect(exitCode).to.equal(0);
    expect(await compile(["-p", place])).to.equal("");
  });

  it("says what is wrong with a folder", async () => {
    expect((await extension("new", join(folder, "Tea"))).output).to.match(/^The folder Tea must be named .+\n$/);
    expect((await extension("test", join(folder, "nowhere"))).output).to.match(/^There is no folder .+\n$/);
  });

  it("fails with a test that fails", async () => {
    const place = join(folder, "bad");
    await mkdir(place);
    await writeFile(join(place, "bad.test.ts"), 'it("fails", () => { throw new Error("no"); });');
    const { exitCode, output } = await extension("test", place);
    expect(exitCode).to.equal(1);
    expect(output).to.include("1 failing");
  });

  it("stands in a typed client of one's own", async () => {
    const place = join(folder, "client");
    const extensions = fileURLToPath(new URL("../main/extensions/every-part", import.meta.url));
    const made = await runProgram(["main.ts", "client-types", place], { HUBBUB_EXTENSIONS: extensions });
    expect(made.exitCode, made.output).to.equal(0);
    await symlink(fileURLToPath(new URL("../../node_modules", import.meta.url)), join(folder, "node_modules"));
    await writeFile(
      join(place, "program.ts"),
      `import { createClient } from "./client.ts";
       const hubbub = createClient({ url: "https://hubbub.example" });
       export const titles = async () => (await hubbub.request("listEveryPartNotes")).map(({ title }) => title.trim());
       // @ts-expect-error: a note has a title.
       void hubbub.request("writeEveryPartNote", { body: {} });
       // @ts-expect-error: there is no such operation.
       void hubbub.request("listEveryOtherNotes");
       hubbub.on("every_part:knocked", ({ user_id }) => user_id.trim());`,
    );
    const options = ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "--skipLibCheck"];
    const program = join(place, "program.ts");
    expect(await compile([...options, "--allowImportingTsExtensions", "--types", "", program])).to.equal("");
  });

  it("doesn't write operations of extensions into the client of the service", async () => {
    const extensions = fileURLToPath(new URL("../main/extensions/every-part", import.meta.url));
    const { exitCode, output } = await runProgram(["main.ts", "client-types"], { HUBBUB_EXTENSIONS: extensions });
    expect([exitCode, output]).to.deep.equal([
      1,
      "With HUBBUB_EXTENSIONS, name a folder to write a client of your own to: npm run client:types -- my-client\n",
    ]);
  });

  for (const [name, file] of [
    ["applause", "55-extensions"],
    ["lottery", "56-coins"],
    ["duel", "57-own-games"],
  ] as const)
    it(`runs ${name} of the guide as it is printed`, async () => {
      const place = join(folder, name);
      const guide = guideOf(file);
      const text = await readFile(guide, "utf8");
      const files = blocksOf({ file: guide, text }, "typescript", "\0")
        .split("\0")
        .flatMap((block) => {
          const [, path] = /^\/\/ (\S+\.ts)\n/.exec(block) ?? [];
          return path ? [[path, block] as const] : [];
        });
      expect(files).to.have.length(3);
      for (const [path, block] of files) {
        await mkdir(dirname(join(place, path)), { recursive: true });
        await writeFile(join(place, path), block);
      }
      const { output } = await extension("test", place);
      expect(output.trim()).to.match(/2 passing \(\w+\)$/);
    });
});
