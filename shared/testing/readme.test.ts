import { execFile } from "node:child_process";
import { copyFile, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "chai";
import { createDatabase } from "./database.ts";
import { blocksOf, printedGuides, tryGuide } from "./guides.ts";
import { type SpawnedService, spawnService, stopServices } from "./spawned-service.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const printed = "http://127.0.0.1:3000";
const run = promisify(execFile);

/** Runs the tour as printed, except for the port. */
describe("the tour", () => {
  let folder: string;
  let service: SpawnedService;
  let blocks: { language: string; code: string }[];

  before(async function () {
    this.timeout(60_000);
    folder = await mkdtemp(join(tmpdir(), "hubbub-readme-"));
    service = await spawnService({
      DATABASE_URL: await createDatabase({ migrated: true }),
      DATA_DIR: folder,
      NODE_ENV: "development",
    });
    const tour = (await readFile(join(root, "docs/tour.md"), "utf8")).replaceAll(printed, service.url);
    blocks = [...tour.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(([, language = "", code = ""]) => ({ language, code }));
  });
  after(async () => {
    await stopServices("SIGTERM");
    await rm(folder, { recursive: true, force: true });
  });

  it("works with curl, Socket.IO, and Colyseus", async function () {
    this.timeout(60_000);
    const [shell, sockets, native] = blocks;
    const say = 'echo "TOKEN=$GRACE"; echo "ROOM=$ROOM"';
    const { stdout } = await run("bash", ["-euo", "pipefail", "-c", `${shell?.code}\n${say}`], { env: process.env });
    const lines = stdout.trim().split("\n");
    expect(lines.slice(0, 5)).to.deep.equal(["host", "member", "approved", "30", "30"]);
    expect(Number(lines[5])).to.be.greaterThan(0);
    const env = { ...process.env, ...Object.fromEntries(lines.slice(6).map((line) => line.split(/=(.*)/s))) };
    expect(await watch(sockets?.code ?? "", env, /stored as \S+/)).to.match(
      /in the room with .*ada.*room:new_message/s,
    );
    expect(await watch(native?.code ?? "", env, /success: true/)).to.match(/seats: \S+ - \S+ -/);
  });

  it("shows an administrator how to set up a second factor, suspend a user and adjust a balance", async function () {
    this.timeout(60_000);
    const shell = blocks.filter(({ language }) => language === "bash")[1];
    const { stdout } = await run("bash", ["-euo", "pipefail", "-c", shell?.code ?? ""], { env: process.env });

    expect(stdout.trim().split("\n")).to.deep.equal([
      "false",
      "0",
      "suspended",
      "active",
      "approved",
      "user.adjust_balance user.reactivate user.suspend",
      "7",
    ]);
  });

  it("orders a top-up from the catalogue", async function () {
    this.timeout(60_000);
    const walk = blocks.find(({ code }) => code.includes("/catalogue"));
    const { stdout } = await run("bash", ["-euo", "pipefail", "-c", walk?.code ?? ""], { env: process.env });
    const [field, first, again, status, card, code, checkout, balances] = stdout.trim().split("\n");
    expect(field).to.equal("Player_Id");
    // The sandbox delivers it meanwhile.
    expect(status).to.be.oneOf(["placed", "processing", "completed"]);
    expect(card).to.match(/^Order \d+ has been placed\.$/);
    expect(code).to.match(/^DEMO-[0-9A-F-]+$/);
    expect(checkout).to.include("/sandbox/checkout/");
    expect(balances).to.match(/^\d+$/);
    expect(first).to.match(/^Order \d+ has been placed\.$/);
    expect(again).to.equal(first);
  });

  for (const guide of printedGuides())
    it(`prints what the guide ${guide.file} says`, async function () {
      this.timeout(60_000);

      expect(await tryGuide(guide, service.url)).to.equal(blocksOf(guide, "text").replaceAll("\n\n", "\n"));
    });

  it("installs the client in a new folder, as the first guide says, and runs the guide there", async function () {
    this.timeout(60_000);
    const [first] = printedGuides();
    const checkout = join(folder, "beside", "hubbub");
    await mkdir(checkout, { recursive: true });
    for (const file of ["package.json", "tsconfig.json", "LICENSE"])
      await copyFile(join(root, file), join(checkout, file));
    await cp(join(root, "shared/client"), join(checkout, "shared/client"), { recursive: true });
    await symlink(join(root, "node_modules"), join(checkout, "node_modules"));
    const [, install = ""] = blocksOf(first!, "sh", "\0").split("\0");
    const program = blocksOf(first!, "js").replaceAll(printed, service.url);
    const env = { ...process.env, npm_config_audit: "false", npm_config_offline: "true" };

    await run("bash", ["-euo", "pipefail", "-c", install], { cwd: checkout, env });
    await writeFile(join(checkout, "../first-room/first-room.mjs"), program);
    const { stdout } = await run("node", ["first-room.mjs"], { cwd: join(checkout, "../first-room") });

    expect(stdout).to.equal(blocksOf(first!, "text").replaceAll("\n\n", "\n"));
  });

  /** Runs a snippet in the folder that the README names, until its output matches. */
  async function watch(code: string, env: NodeJS.ProcessEnv, until: RegExp): Promise<string> {
    const file = join(root, `.readme-${process.pid}.mjs`);
    await writeFile(file, code);
    try {
      const running = run(process.execPath, [file], { env, timeout: 10_000 });
      let output = "";
      running.child.stdout?.on("data", (chunk: Buffer) => {
        output += chunk;
        if (until.test(output)) running.child.kill();
      });
      await running.catch(() => undefined); // Killed by the test.
      return output;
    } finally {
      await rm(file);
    }
  }
});
