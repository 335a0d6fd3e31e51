import { execFile } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { createDatabase } from "../testing/database.ts";
import { type ClientProject, installClient } from "../testing/packed-client.ts";
import { spawnService, stopServices } from "../testing/spawned-service.ts";

const run = promisify(execFile);
const binaryOf = (name: string) => fileURLToPath(new URL(`../../node_modules/.bin/${name}`, import.meta.url));
const limitKb = 40;
const compilerOptions = {
  strict: true,
  target: "es2022",
  lib: ["es2022", "dom"],
  module: "nodenext",
  types: [],
  // The declarations of Colyseus' SDK have errors.
  skipLibCheck: true,
};
const viteConfig = 'export default { build: { lib: { entry: "page.js", formats: ["es"], fileName: "page" } } };';

/** Uses the types; each `@ts-expect-error` is an error of its own where the types let the next line pass. */
const uses = `
import { createClient, outcome, type LiveGame, type Session } from "@hubbub/client";
import { createAdmin } from "@hubbub/client/admin";

const hubbub = createClient({ url: "https://hubbub.example" });

// @ts-expect-error: a room has a name.
void hubbub.request("createRoom", { body: { category: "music" } });
// @ts-expect-error: its ID is missing.
void hubbub.request("getRoom");
// @ts-expect-error: it takes no query.
void hubbub.request("getRoom", { params: { id: "1" }, query: { page: 1 } });
// @ts-expect-error: there is no such operation.
void hubbub.request("getRooms");
// @ts-expect-error: an operation of administrators.
void hubbub.request("listReports");
void createAdmin().request("listReports", { query: { status: "open" } });
// @ts-expect-error: a typing indicator says whether.
void hubbub.send("typing:dm", { conversation_id: "1" });

hubbub.on("dm:new", ({ message }) => message.body.trim());
// @ts-expect-error: there is no such event.
hubbub.on("dm:newer", () => {});
// @ts-expect-error: a gift has a sender.
hubbub.on("gift:animation", ({ giver }) => giver);

export async function join(): Promise<string> {
  const { data: room, error } = await outcome(hubbub.rooms.join("1"));
  if (!error) {
    room.on("gift", ({ sender, combo }) => sender.full_name.repeat(combo));
    // @ts-expect-error: rooms have no such event.
    room.on("gifts", () => {});
    return room.state.seats.map(({ user }) => user?.full_name ?? "").join();
  }
  // @ts-expect-error: joining a room costs nothing.
  if (error.code === "INSUFFICIENT_BALANCE") return "";
  if (error.code === "ROOM_FULL") return error.message;
  // @ts-expect-error: the code is another one.
  return error.code === "ROOM_FULL" ? "" : error.code;
}

export function progressOf(session: Session): number[] {
  // @ts-expect-error: only some boards have players.
  session.board.players;
  return session.type === "ludo" ? session.board.players.flatMap(({ pieces }) => pieces) : [];
}
export const squareOf = (game: LiveGame<"snakes_and_ladders">) => game.state.board.runners[0]?.square;
// @ts-expect-error: a move names a piece.
export const move = (game: LiveGame) => game.act({ kind: "move" });
`;

describe("the package of the typed client", () => {
  let project: ClientProject;
  let blocks: { language: string; code: string }[];
  before(async function () {
    this.timeout(60_000);
    project = await installClient("@colyseus/sdk", "react", "@types/react", "csstype");
    const readme = await readFile(join(project.installed, "README.md"), "utf8");
    blocks = [...readme.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(([, language = "", code = ""]) => ({
      language,
      code,
    }));
  });
  after(() => project.remove());
  after(stopServices);

  it("has what its users need, and nothing else", async () => {
    const files = await readdir(project.installed);

    expect(files).to.include.members(["LICENSE", "README.md", "admin.d.ts", "admin.js", "client.d.ts", "client.js"]);
    expect(
      files.filter((file) => !/^(LICENSE|README\.md|package\.json|[\w.-]+(\.d\.ts|\.js))$/.test(file)),
    ).to.deep.equal([]);
    expect(files.join()).to.not.include("test");
  });

  it("compiles under `strict` without the types of Node, as its README says and as it is used", async () => {
    const modules = blocks.filter(({ language }) => language === "ts").map(({ code }) => code);
    expect(modules.length).to.be.greaterThan(5);
    const files = Object.fromEntries([uses, ...modules].map((code, index) => [`block-${index}.ts`, code]));
    for (const [name, code] of Object.entries(files)) await writeFile(join(project.folder, name), code);

    const settings = JSON.stringify({ compilerOptions, files: Object.keys(files) });
    await writeFile(join(project.folder, "tsconfig.json"), settings);
    const compiled = await run(binaryOf("tsc"), ["--noEmit"], { cwd: project.folder }).catch(
      ({ stdout }: { stdout: string }) => ({ stdout }),
    );

    expect(compiled.stdout).to.equal("");
  }).timeout(60_000);

  it("does in a quick start what its README says", async () => {
    const service = await spawnService({
      DATABASE_URL: await createDatabase({ migrated: true }),
      DATA_DIR: project.folder,
      NODE_ENV: "development",
    });
    const start = blocks.find(({ language }) => language === "js")?.code ?? "";
    await writeFile(join(project.folder, "start.mjs"), start.replaceAll("http://127.0.0.1:3000", service.url));

    const { stdout } = await run(process.execPath, ["start.mjs"], { cwd: project.folder, timeout: 20_000 });

    expect(stdout).to.match(/^grace: Good evening!\nGrace got 2 × \S.*\.\n$/);
  }).timeout(60_000);

  it(`weighs less than ${limitKb} KB in a browser, with its socket`, async () => {
    const page = { "page.js": 'export { createClient } from "@hubbub/client";', "vite.config.js": viteConfig };
    for (const [name, text] of Object.entries(page)) await writeFile(join(project.folder, name), text);
    await run(binaryOf("vite"), ["build"], { cwd: project.folder, env: { ...process.env, NODE_ENV: "production" } });
    const code = await readFile(join(project.folder, "dist/page.js"), "utf8");

    expect(code).to.include("room:sync");
    expect(code).to.not.match(/from ?"|require\(|process\.env/);
    expect(gzipSync(code).length / 1024).to.be.lessThan(limitKb);
  }).timeout(60_000);
});
