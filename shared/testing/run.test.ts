import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { serverVariable } from "./database.ts";
import { runProgram } from "./spawned-service.ts";

/** Test files by their expected outcome. */
const kinds = {
  passes: 'describe("one", () => { it("passes", () => {}); });',
  fails: 'describe("one", () => { before(() => { throw new Error("planted"); }); it("is not reached", () => {}); });',
  throws: 'throw new Error("planted");',
  dies: 'describe("one", () => { it("dies", () => process.exit(0)); });',
  rejects: `describe("one", () => { it("leaves a rejection", async () => {
    void Promise.reject(new Error("planted")); await new Promise((resolve) => setTimeout(resolve, 10)); }); });`,
  isEmpty: "export const nothing = 1;",
};

describe("the test runner", function () {
  this.timeout(60_000);
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "run-"));
    for (const [kind, text] of Object.entries(kinds)) await writeFile(join(folder, `${kind}.test.ts`), text);
  });

  const sameServer = { [serverVariable]: process.env[serverVariable] ?? "" };
  const runOn = async (server: typeof sameServer | Record<string, never>, ...options: string[]) => {
    const { exitCode, output } = await runProgram(["shared/testing/run.ts", ...options], server);
    return { exitCode, output, last: output.trimEnd().split("\n").at(-1) };
  };
  const run = async (...named: (keyof typeof kinds)[]) => {
    const { exitCode, last } = await runOn(sameServer, ...named.map((kind) => join(folder, `${kind}.test.ts`)));
    return [exitCode, last];
  };

  it("passes if all tests pass, on a server of its own", async () => {
    const { exitCode, last } = await runOn({}, join(folder, "passes.test.ts"));

    expect([exitCode, last]).to.deep.equal([0, "1 passed, 0 failed"]);
  });

  it("fails tests that don't finish or leave an unhandled rejection", async () => {
    const outcome = await run("passes", "fails", "throws", "dies", "rejects");
    expect(outcome).to.deep.equal([1, "2 passed, 4 failed"]);
  });

  it("passes options on to mocha", async () => {
    const file = join(folder, "passes.test.ts");
    const search = (pattern: string) => runOn(sameServer, file, "-g", pattern);
    const [fitting, other] = await Promise.all([search("passes"), search("no test is called this")]);

    expect([fitting.exitCode, fitting.last]).to.deep.equal([0, "1 passed, 0 failed"]);
    expect([other.exitCode, other.last]).to.deep.equal([1, "0 passed, 1 failed"]);
  });

  it("fails if a file has no tests or doesn't exist", async () => {
    expect(await run("passes", "isEmpty")).to.deep.equal([1, "1 passed, 1 failed"]);
    const { exitCode, output, last } = await runOn(sameServer, join(folder, "nowhere"));
    expect([exitCode, last]).to.deep.equal([1, "0 passed, 1 failed"]);
    expect(output).to.include("There is no test file or folder").and.not.include("    at ");
  });
});
