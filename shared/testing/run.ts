import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, glob, mkdir, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../db/embedded-postgres.ts";
import { migrate } from "../db/migrate.ts";
import { findPostmaster, stopPostmaster } from "../db/postmaster.ts";
import { OperatorError } from "../kernel/operator-error.ts";
import { makeBundle } from "../main/make-bundle.ts";
import { currentBundle } from "../start/bundle.ts";
import { compileCache } from "./compile-cache.ts";
import { runOnServer, serverVariable, templateName } from "./database.ts";
import { olderPrograms } from "./older-postgres.ts";
import { type Counts, resultVariable } from "./reporter.ts";
import { ensureTools } from "./tools.ts";

/**
 * `npm test [-- paths] [mocha's options]`: runs the given test files (or all) in two parallel processes against a
 * PostgreSQL server in a temporary folder; `POSTGRES=16` or `17` takes that release instead of 18. The last line of
 * output is `N passed, N failed`. Stops and deletes everything that it or a test started, also after Ctrl-C.
 */
const root = fileURLToPath(new URL("../../", import.meta.url));
const skipped = ["node_modules", ".data", ".git"];
const mochaArguments = [
  "--parallel",
  "--jobs=2",
  "--forbid-only",
  "--forbid-pending",
  "--timeout=20000",
  "--no-config",
];

async function findFiles(paths: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  for (const path of paths.length > 0 ? paths : [root]) {
    const isFolder = await stat(path).then(
      (entry) => entry.isDirectory(),
      () => {
        throw new OperatorError(`There is no test file or folder ${path}.`);
      },
    );
    const pattern = isFolder ? join(path, "**/*.test.ts") : path;
    const exclude = (name: string) => skipped.some((folder) => name.split("/").includes(folder));
    for await (const file of glob(pattern, { exclude })) found.add(file);
  }
  return [...found].sort();
}

/**
 * Files run in two worker processes. The files of a worker share a database. Files named `*.alone.test.ts` watch global
 * state that other tests change, and therefore run alone.
 */
function groupsOf(files: readonly string[]): string[][] {
  const isAlone = (file: string) => file.endsWith(".alone.test.ts");
  const together = files.filter((file) => !isAlone(file));
  return [...(together.length > 0 ? [together] : []), ...files.filter(isAlone).map((file) => [file])];
}

async function prepareServer(folder: string): Promise<EmbeddedPostgres> {
  const release = process.env.POSTGRES;
  const programs = release ? { programs: await olderPrograms(release) } : {};
  const server = await startEmbeddedPostgres(folder, { durable: false, ...programs });
  await runOnServer(server.url, `CREATE DATABASE ${templateName}`);
  await migrate(Object.assign(new URL(server.url), { pathname: `/${templateName}` }).href);
  return server;
}

/** Starts mocha as the leader of a process group, so that all its children can be stopped with it. */
function startMocha(
  files: readonly string[],
  options: readonly string[],
  environment: Record<string, string>,
): ChildProcess {
  const mocha = join(dirname(fileURLToPath(import.meta.resolve("mocha"))), "bin/mocha.js");
  const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));
  const ours = [`--reporter=${here("reporter.ts")}`, `--require=${here("unhandled-rejections.ts")}`];
  return spawn(process.execPath, [mocha, ...mochaArguments, ...ours, ...options, ...files], {
    cwd: root,
    env: { ...process.env, NODE_ENV: "test", NODE_COMPILE_CACHE: compileCache, ...environment },
    stdio: ["ignore", "inherit", "inherit"],
    detached: true,
  });
}

function endGroup(mocha: ChildProcess | undefined): boolean {
  try {
    if (mocha?.pid) process.kill(-mocha.pid, "SIGKILL");
    return mocha?.pid !== undefined;
  } catch {
    return false; // The process group is empty.
  }
}

/** Returns the database servers that tests started (in separate processes) in subfolders of the run's folder. */
async function endServers(folder: string): Promise<void> {
  for await (const lock of glob(join(folder, "**/postmaster.pid"))) {
    const server = await findPostmaster(dirname(lock));
    if (server) await stopPostmaster(server.pid, dirname(lock));
  }
}

/** Splits the arguments: paths come first, then options, which mocha gets. */
function split(given: readonly string[]): { paths: string[]; options: string[] } {
  const first = given.findIndex((argument) => argument.startsWith("-"));
  const end = first === -1 ? given.length : first;
  return { paths: given.slice(0, end), options: given.slice(end) };
}

async function main(given: readonly string[]): Promise<number> {
  const { paths, options } = split(given);
  // A file without tests is a mistake, unless `-g` has left its tests out.
  const zero = options.length === 0 ? ["--fail-zero"] : [];
  const files = await findFiles(paths);
  await ensureTools();
  // So many services start sooner from the bundle.
  if (paths.length === 0 && !currentBundle()) await makeBundle();
  const folder = await mkdtemp(join(tmpdir(), "hubbub-test-"));
  let mocha: ChildProcess | undefined;
  let server: EmbeddedPostgres | undefined;
  let interrupted = false;
  const interrupt = () => {
    interrupted = true;
    endGroup(mocha);
  };
  process.on("SIGINT", interrupt).on("SIGTERM", interrupt);
  const result = join(folder, "result.json");
  let exitCode = 1;
  const total = { passed: 0, failed: 0 };
  try {
    await chmod(folder, 0o755);
    const temporary = join(folder, "tmp");
    await mkdir(temporary);
    // A run inside a run shares its server.
    if (!process.env[serverVariable]) server = await prepareServer(join(folder, "postgres"));
    const environment = {
      ...(server && { [serverVariable]: server.url }),
      [resultVariable]: result,
      TMPDIR: temporary,
    };
    exitCode = 0;
    for (const group of groupsOf(files)) {
      if (interrupted) break;
      await rm(result, { force: true });
      mocha = startMocha(group, [...zero, ...options], environment);
      const [code] = (await once(mocha, "exit")) as [number | null];
      if (endGroup(mocha) && !interrupted) console.log("\nSome processes that tests started were still there.");
      await endServers(temporary);
      const counts = await readCounts(result);
      // A run that ended early, or with an empty test file, has not passed.
      if (code !== 0 || !counts) exitCode = 1;
      if (code !== 0 && counts?.failed === 0) console.log("\nNo test failed, but a file has none.");
      total.passed += counts?.passed ?? 0;
      total.failed += counts?.failed ?? 0;
    }
    if (interrupted || total.passed + total.failed === 0) exitCode = 1;
  } finally {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  }
  console.log(`${total.passed} passed, ${Math.max(total.failed, exitCode === 0 ? 0 : 1)} failed`);
  return interrupted ? 130 : exitCode;
}

async function readCounts(path: string): Promise<Counts | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as Counts;
  } catch {
    return undefined; // The run ended early.
  }
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof OperatorError ? error.message : error);
  console.log("0 passed, 1 failed");
  return 1;
});
