import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readdir, readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { findPostmaster } from "#shared/db/postmaster.ts";
import { clock, daysMs } from "#shared/kernel/clock.ts";
import { findClaim } from "#shared/start/data-folder.ts";
import { runOnServer, serverVariable } from "#shared/testing/database.ts";
import { FakeStripe } from "#shared/testing/fakes/fake-stripe.ts";
import { startRedis } from "#shared/testing/redis.ts";
import { until } from "#shared/testing/until.ts";

const main = fileURLToPath(new URL("main.ts", import.meta.url));

interface Run {
  readonly child: ChildProcess;
  /** What it has printed so far, on both streams. */
  readonly output: () => string;
  /** Resolves when it says that it is ready, or ends. */
  readonly ready: Promise<void>;
  readonly exitCode: Promise<number | null>;
}

/** What a start inherits from the test run: nothing that configures the service. */
const inherited = () => {
  const { PATH = "", TMPDIR = "", NODE_COMPILE_CACHE = "" } = process.env;
  return { PATH, TMPDIR, NODE_COMPILE_CACHE };
};

/** Runs main.ts as `npm start` and the other scripts do, with this environment. */
function run(args: string[], environment: Record<string, string>, input = ""): Run {
  const env = { ...inherited(), NODE_ENV: "test", DEMO_BOTS: "off", DRAIN_SECONDS: "0", PORT: "0", ...environment };
  const child = spawn(process.execPath, [main, ...args], { env, stdio: ["pipe", "pipe", "pipe"] });
  child.stdin.on("error", () => undefined).end(input);
  const exitCode = once(child, "close").then(([code]) => code as number | null);
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  void exitCode.then(() => resolve());
  let output = "";
  const take = (chunk: Buffer) => {
    output += chunk.toString();
    if (output.includes('"msg":"ready"')) resolve();
  };
  child.stdout.on("data", take);
  child.stderr.on("data", take);
  return { child, output: () => output, ready, exitCode };
}

async function toEnd(
  args: string[],
  environment: Record<string, string>,
  input?: string,
): Promise<{ code: number | null; output: string }> {
  const { exitCode, output } = run(args, environment, input);
  return { code: await exitCode, output: output() };
}

describe("the process", function () {
  this.timeout(60_000);
  let folder: string;
  let template: string;
  const running: Run[] = [];
  const newFolder = async () => join(await mkdtemp(join(tmpdir(), "service-")), "data");
  before("makes a folder that has been started with", async () => {
    template = await newFolder();
    const { child, ready, exitCode } = run([], { DATA_DIR: template });
    await ready;
    child.kill("SIGTERM");
    await exitCode;
  });
  beforeEach(async () => {
    folder = await newFolder();
  });
  afterEach(async () => {
    for (const { child, exitCode } of running.splice(0)) {
      child.kill("SIGTERM");
      await exitCode;
    }
  });

  async function start(environment: Record<string, string> = {}): Promise<Run & { url: string }> {
    const started = run([], { DATA_DIR: folder, ...environment });
    running.push(started);
    await started.ready;
    const url = /"url":"([^"]+)"/.exec(started.output())?.[1];
    if (!url) throw new Error(`The service did not start:\n${started.output()}`);
    return { ...started, url };
  }
  /** Starts again with a folder that has been started with, which is quicker. */
  async function startAgain(): Promise<Run & { url: string }> {
    await cp(template, folder, { recursive: true });
    return start();
  }
  const postmaster = () => findPostmaster(join(folder, "postgres", "data"));

  it("starts with an empty folder, prints its URLs and what isn't configured, and stops gracefully", async () => {
    const { url, child, exitCode, output } = await start({ NODE_ENV: "development" });
    expect((await fetch(`${url}/healthz`)).status).to.equal(200);
    for (const text of [
      `${url}/api/v1`,
      `${url}/docs`,
      "ada / ",
      "grace / ",
      "demo-admin@example.com / ",
      "Voice",
      "not configured",
      "Redis",
    ])
      expect(output()).to.include(text);
    child.kill("SIGTERM");
    expect(await exitCode).to.equal(0);
    expect(await postmaster()).to.equal(undefined);
    expect((await toEnd(["ledger-check"], { DATA_DIR: folder })).output).to.include("The ledger is consistent.");
  });

  it("stops gracefully while starting", async () => {
    const { child, exitCode } = run([], { DATA_DIR: folder });
    await until("the database is there", postmaster, 30_000);
    child.kill("SIGINT");
    expect(await exitCode).to.equal(0);
    expect(await postmaster()).to.equal(undefined);
  });

  it("stops when its parent npm is killed", async () => {
    await cp(template, folder, { recursive: true });
    const env = { ...inherited(), NODE_ENV: "test", PORT: "0", DATA_DIR: folder, npm_lifecycle_event: "start" };
    // Like npm, this process runs the service as a child, which survives when its parent is killed.
    const npm = spawn("sh", ["-c", `"${process.execPath}" "${main}" & wait`], { env, stdio: "ignore" });
    await until("the service answers", async () => (await findClaim(folder))?.url, 30_000);
    npm.kill("SIGKILL");
    await until("the service has ended", async () => !(await findClaim(folder)) && !(await postmaster()), 10_000);
  });

  it("rejects a second start on its folder and names its URL", async () => {
    const { url, child } = await startAgain();
    const second = await toEnd(["start"], { DATA_DIR: folder });
    expect(second.code).to.equal(1);
    expect(second.output).to.include(url).and.include(`process ${child.pid}`).and.include("DATA_DIR");
    expect(second.output).to.not.include("    at ");
    expect((await fetch(`${url}/healthz`)).status).to.equal(200);
  });

  it("reports a port in use, and leaves nothing behind", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as { port: number };
    const refused = await toEnd([], { DATA_DIR: folder, PORT: `${port}` });
    other.close();
    expect(refused.code).to.equal(1);
    expect(refused.output).to.include(`Port ${port} on 127.0.0.1 is already in use`).and.not.include("    at ");
    expect(await readdir(folder), "no database was made").to.deep.equal([]);
  });

  it("lets commands use its database while it is running", async () => {
    await startAgain();
    const ledger = await toEnd(["ledger-check"], { DATA_DIR: folder });
    expect(ledger).to.deep.equal({ code: 0, output: "The ledger is consistent.\n" });
    const made = await toEnd(["create-admin", "--email", "root@example.com"], { DATA_DIR: folder });
    expect(made.output).to.match(/^Created the administrator root@example\.com in the .+\. Password: \S{20}\n$/);
    expect(made.output).to.include(`embedded database in ${folder}`);
    const email = ["--email", "other@example.com"];
    const chosen = await toEnd(
      ["create-admin", ...email, "--password-stdin"],
      { DATA_DIR: folder },
      "a long password\n",
    );
    expect(chosen).to.have.property("code", 0);
    expect(chosen.output).to.include("other@example.com").and.not.include("assword");
    expect((await toEnd(["migrate"], { DATA_DIR: folder })).output).to.equal("No pending migrations.\n");
    expect(await postmaster()).to.not.equal(undefined);
  });

  it("compares a day of payments with the providers' books, and exits with what differs", async () => {
    await cp(template, folder, { recursive: true });
    const stripe = await FakeStripe.start();
    const { secretKey, webhookSecret, credentials } = stripe;
    const keys = { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret };
    const environment = { DATA_DIR: folder, ...keys, STRIPE_BASE_URL: credentials.baseUrl };
    const day = new Date(clock.now() - daysMs(1)).toISOString().slice(0, 10);
    const reconcile = (...args: string[]) => toEnd(["payments-reconcile", ...args], environment);

    const intent = stripe.payAt(Math.floor(clock.now() / 1000) - 86_400);
    const found = await reconcile("--day", day);
    expect(found.output).to.include(`stripe, ${day} UTC: 1 entries, 1 differences, 1 of them left.`);
    const finding = JSON.parse(/^\{"provider".*$/m.exec(found.output)![0]);
    expect(finding).to.include({ kind: "missing_here", provider_id: intent.id, amount_there: 9_900, status: "open" });
    expect(found.code).to.equal(1);

    stripe.intents.clear();
    const nothing = await reconcile();
    expect(nothing.output).to.include(`stripe, ${day} UTC: 0 entries, 0 differences, 0 of them left.`);
    expect(nothing.code).to.equal(0);
    for (const wrong of [new Date(clock.now()).toISOString().slice(0, 10), "2026-02-30"]) {
      const { code, output } = await reconcile("--day", wrong);
      expect(output).to.include(`"${wrong}" isn't a day that is over, such as ${day}.`);
      expect(code).to.equal(1);
    }
    await stripe.stop();
  });

  it("restarts after it was killed, with and without its database", async () => {
    await cp(template, folder, { recursive: true });
    for (const killDatabase of [false, true]) {
      const { child, exitCode } = await start();
      const database = (await postmaster())?.pid ?? 0;
      child.kill("SIGKILL");
      await exitCode;
      if (killDatabase) process.kill(database, "SIGKILL");
    }
    const { url } = await start();
    expect((await fetch(`${url}/healthz`)).status).to.equal(200);
  });

  it("exits with code 1 when its database stops", async () => {
    const { exitCode, output } = await startAgain();
    process.kill((await postmaster())?.pid ?? 0, "SIGINT");
    expect(await exitCode).to.equal(1);
    expect(output()).to.include("the embedded database stopped unexpectedly");
  });

  it("creates the first administrator in production, shows no secrets, and adds no demo data", async () => {
    const secret = "s".repeat(32);
    const admin = { ADMIN_EMAIL: "first@example.com", ADMIN_PASSWORD: "a long password" };
    const { output } = await start({ NODE_ENV: "production", JWT_SECRET: secret, ENCRYPTION_KEY: secret, ...admin });
    expect(output()).to.include("first@example.com").and.not.include("Demo logins");
    expect(output()).to.not.include(secret).and.not.include("a long password");
    const refused = await toEnd(["create-admin", "--email", "first@example.com"], { DATA_DIR: folder });
    expect(refused.output).to.include("already");
    expect(
      (await toEnd(["seed"], { DATA_DIR: folder, NODE_ENV: "production", JWT_SECRET: secret, ENCRYPTION_KEY: secret }))
        .code,
    ).to.equal(1);
  });

  it("reports all errors of the environment without a stack", async () => {
    const { code, output } = await toEnd([], { DATA_DIR: folder, PORT: "-1", LOG_LEVEL: "loud" });
    expect(code).to.equal(1);
    expect(output).to.include("PORT").and.include("LOG_LEVEL").and.not.include("    at ");
  });

  it("names mistyped commands and variables, and folders that can't be made", async () => {
    const command = await toEnd(["migrat"], {});
    const variable = await toEnd(["config"], { JWT_SECERT: "s".repeat(32), PGPORT: "5432" });
    // Before the database is asked.
    const made = await toEnd([], { DATA_DIR: "/proc/none/data", DATABASE_URL: "postgres://hubbub@127.0.0.1:1/none" });

    expect(command.code).to.equal(1);
    expect(command.output).to.include('Unknown command "migrat". Did you mean "migrate"?');
    expect((await toEnd(["backup"], {})).output).to.include("Example: npm run backup -- hubbub.sql.gz");
    expect(variable.output).to.include("JWT_SECERT is ignored. Did you mean JWT_SECRET?").and.not.include("PGPORT");
    expect(made.code).to.equal(1);
    expect(made.output).to.include("Can't use the data folder /proc/none/data").and.not.include("    at ");
  });

  it("reports an unreachable database without its password", async () => {
    const url = "postgres://someone:hunter2@127.0.0.1:1/nothing";
    const { code, output } = await toEnd([], { DATA_DIR: folder, DATABASE_URL: url });
    expect(code).to.equal(1);
    expect(output)
      .to.include("127.0.0.1:1")
      .and.include("DATABASE_URL")
      .and.not.include("hunter2")
      .and.not.include("    at ");
  });

  it("reports an unusable Redis server without its password", async () => {
    const redis = await startRedis();
    try {
      for (const [host, reason] of [
        ["127.0.0.1:1", "ECONNREFUSED"],
        [`127.0.0.1:${redis.port}`, "WRONGPASS"],
      ] as const) {
        const { code, output } = await toEnd([], { DATA_DIR: folder, REDIS_URL: `redis://someone:hunter2@${host}` });
        expect(code).to.equal(1);
        expect(output).to.include(host).and.include("REDIS_URL").and.include(reason);
        expect(output).to.not.include("hunter2").and.not.include("    at ");
      }
    } finally {
      await redis.stop();
    }
  });

  it("rejects a database with another encoding, without a stack", async () => {
    const server = process.env[serverVariable] ?? "";
    await runOnServer(
      server,
      "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' LOCALE_PROVIDER libc TEMPLATE template0",
    );
    const latin = Object.assign(new URL(server), { pathname: "/latin" }).href;
    const { code, output } = await toEnd(["migrate"], { DATA_DIR: folder, DATABASE_URL: latin });
    expect(code).to.equal(1);
    expect(output).to.include("LATIN1").and.include("UTF8").and.not.include("    at ");
  });

  it("prints its configuration and .env.example", async () => {
    expect((await toEnd(["config"], { DATA_DIR: folder, PORT: "4711" })).output).to.include("PORT=4711\n");
    const committed = await readFile(new URL(".env.example", import.meta.url), "utf8");
    expect((await toEnd(["config", "--example"], {})).output).to.equal(committed);
  });

  it("writes the documents without a database", async () => {
    const { code, output } = await toEnd(["openapi", folder], { PUBLIC_URL: "https://api.example.com" });
    expect(output).to.include(join(folder, "openapi.json"));
    expect(code).to.equal(0);

    const read = async (name: string) => JSON.parse(await readFile(join(folder, name), "utf8"));
    expect(await read("openapi.json")).to.have.nested.property("paths./rooms.get.operationId", "listRooms");
    expect(await read("asyncapi.json")).to.have.nested.property("servers.socketIo.host", "api.example.com");
  });
});
