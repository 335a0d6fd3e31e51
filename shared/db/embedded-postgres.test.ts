import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import pg from "pg";
import { until } from "#shared/testing/until.ts";
import { type EmbeddedPostgres, findEmbeddedPostgres, startEmbeddedPostgres } from "./embedded-postgres.ts";
import { findPostmaster } from "./postmaster.ts";

const module = new URL("embedded-postgres.ts", import.meta.url).href;
const isRoot = process.getuid?.() === 0;

async function ask(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query({ text: statement, rowMode: "array" })).rows.flat();
  } finally {
    await client.end();
  }
}

/** Another process that starts a server on the folder and waits to be killed. */
async function startElsewhere(folder: string): Promise<ChildProcess> {
  const script = `import { startEmbeddedPostgres } from "${module}";
    await startEmbeddedPostgres(process.argv[1]); console.log("ready"); setInterval(() => {}, 1e6);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script, folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout as NodeJS.ReadableStream, "data");
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

describe("the embedded PostgreSQL", function () {
  this.timeout(60_000);
  let folder: string;
  const started: EmbeddedPostgres[] = [];
  const start = async () => {
    const server = await startEmbeddedPostgres(folder, { durable: false });
    started.push(server);
    return server;
  };
  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), "embedded-")), "postgres");
  });
  afterEach(async () => {
    for (const server of started.splice(0)) await server.stop();
  });

  /** A server with one row committed, whose starter is killed; its number. */
  async function leaveOrphan(): Promise<number> {
    const starter = await startElsewhere(folder);
    const { url } = (await findEmbeddedPostgres(folder)) ?? { url: "" };
    await ask(url, "CREATE TABLE kept AS SELECT 'committed' AS word");
    await kill(starter);
    return (await findPostmaster(join(folder, "data")))?.pid ?? 0;
  }

  it("is PostgreSQL 18 with Unicode, on 127.0.0.1 only, with a password, and keeps what was written", async () => {
    const first = await start();
    expect(
      await ask(
        first.url,
        "SELECT current_setting('server_version_num')::int / 10000, current_setting('listen_addresses')",
      ),
    ).to.deep.equal([18, "127.0.0.1"]);
    expect(await ask(first.url, "SELECT lower('ÀÉ'), 'ÀÉ' ILIKE 'àé'")).to.deep.equal(["àé", true]);
    expect(new URL(first.url).password).to.have.length.of.at.least(32);
    const stranger = Object.assign(new URL(first.url), { password: "guessed" }).href;
    expect(await ask(stranger, "SELECT 1").catch((error: { code: string }) => error.code)).to.equal("28P01");
    await ask(first.url, "CREATE TABLE kept AS SELECT 'written' AS word");
    expect(await findEmbeddedPostgres(folder)).to.deep.equal({ url: first.url });
    await first.stop();
    expect(await findEmbeddedPostgres(folder)).to.equal(undefined);
    const second = await start();
    expect(await ask(second.url, "SELECT word FROM kept")).to.deep.equal(["written"]);
  });

  it("is durable by default", async () => {
    const server = await startEmbeddedPostgres(folder);
    started.push(server);
    const settings = await ask(
      server.url,
      "SELECT current_setting('fsync'), current_setting('synchronous_commit'), current_setting('full_page_writes')",
    );
    expect(settings).to.deep.equal(["on", "on", "on"]);
  });

  it("stops a server that a killed service left behind, and starts", async () => {
    const orphan = await leaveOrphan();
    const { url: oldUrl } = (await findEmbeddedPostgres(folder)) ?? { url: "" };
    const server = await start();
    expect((await findPostmaster(join(folder, "data")))?.pid).to.not.equal(orphan);
    expect(await ask(oldUrl, "SELECT 1").catch((error: { code: string }) => error.code)).to.equal("ECONNREFUSED");
    expect(await ask(server.url, "SELECT word FROM kept")).to.deep.equal(["committed"]);
  });

  it("recovers when it was killed itself", async () => {
    process.kill(await leaveOrphan(), "SIGKILL");
    const server = await start();
    expect(await ask(server.url, "SELECT word FROM kept")).to.deep.equal(["committed"]);
  });

  it("ignores a lock whose pid belongs to another program, and leaves that program alone", async () => {
    process.kill(await leaveOrphan(), "SIGKILL");
    const other = spawn("sleep", ["60"]);
    const lock = join(folder, "data", "postmaster.pid");
    const [, ...rest] = (await readFile(lock, "utf8")).split("\n");
    await writeFile(lock, [other.pid, ...rest].join("\n"));
    const server = await start();
    expect(await ask(server.url, "SELECT word FROM kept")).to.deep.equal(["committed"]);
    expect(other.exitCode).to.equal(null);
    await kill(other);
  });

  it("reports when it exits by itself", async () => {
    const server = await start();
    process.kill((await findPostmaster(join(folder, "data")))?.pid ?? 0, "SIGINT");
    await server.ended;
    await until("nothing is found", async () => !(await findEmbeddedPostgres(folder)));
  });

  it("sets the folder up again after an interrupted attempt", async () => {
    await mkdir(join(folder, "data.new", "base"), { recursive: true });
    await start();
    expect(await readdir(folder)).to.have.members(["data", "log", "password"]);
  });

  it("rejects data of another version, naming both", async () => {
    await (await start()).stop();
    await writeFile(join(folder, "data", "PG_VERSION"), "17\n");
    const failure = await startEmbeddedPostgres(folder).catch((error: Error) => error.message);
    expect(failure).to.include("PostgreSQL 17").and.include("PostgreSQL 18");
  });

  it("shows the end of its log when it cannot start", async () => {
    await (await start()).stop();
    await writeFile(join(folder, "data", "postgresql.auto.conf"), "no_such_setting = 1\n");
    const failure = await startEmbeddedPostgres(folder).catch((error: Error) => error.message);
    expect(failure).to.include("no_such_setting");
  });

  if (isRoot) {
    it("runs for root as the folder's owner, even below folders that only root may enter", async () => {
      await (await start()).stop();
      const closed = join(folder, "..");
      await chmod(closed, 0o700);
      await chown(join(folder, "data"), 0, 0); // As a copy made by root is.
      const server = await start();
      expect(await ask(server.url, "SELECT 1")).to.deep.equal([1]);
      await server.stop();
      await chmod(closed, 0o755);
      expect(await ask((await start()).url, "SELECT 1")).to.deep.equal([1]);
    });
  }
});
