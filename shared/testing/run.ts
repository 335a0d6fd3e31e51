import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, glob, mkdir, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import pLimit from "p-limit";
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
 * `npm test [-- paths] [mocha's options]`: runs the given test files (or all) in three parallel processes against a
 * PostgreSQL server in a temporary folder; `POSTGRES=16` or `17` takes that release instead of 18. The last line of
 * output is `N passed, N failed`. Stops and deletes everything that it or a test started, also after Ctrl-C.
 */
const root = fileURLToPath(new URL("../../", import.meta.url));
/** Of all tests: each has services of its own on the server. */
const maxConnections = 400;
/** The folder of an extension, if `extension.ts` runs its tests. */
const tested = process.env.HUBBUB_TESTED_EXTENSION;
const skipped = ["node_modules", ".data", ".git"];
const mochaArguments = [
  "--parallel",
  // One more than the cores of a small machine: files often wait for services that they start.
  "--jobs=3",
  "--forbid-only",
  "--forbid-pending",
  "--timeout=60000",
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

async function prepareServer(folder: string): Promise<EmbeddedPostgres> {
  const release = process.env.POSTGRES;
  const programs = release ? { programs: await olderPrograms(release) } : {};
  const server = await startEmbeddedPostgres(folder, { durable: false, maxConnections, ...programs });
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
  // The tests of an extension end with mocha's own lines.
  if (tested) {
    const preload = `--import=${here("../main/extensions/guard-tests.ts")}`;
    return startProcess([preload, mocha, "--no-config", "--timeout=60000", ...options, ...files], environment);
  }
  const ours = [`--reporter=${here("reporter.ts")}`, `--require=${here("unhandled-rejections.ts")}`];
  return startProcess([mocha, ...mochaArguments, ...ours, ...options, ...files], environment);
}

const startProcess = (given: readonly string[], environment: Record<string, string>): ChildProcess =>
  spawn(process.execPath, given, {
    cwd: root,
    env: { ...process.env, NODE_ENV: "test", NODE_COMPILE_CACHE: compileCache, ...environment },
    stdio: ["ignore", "inherit", "inherit"],
    detached: true,
  });

function endGroup(mocha: ChildProcess): boolean {
  try {
    if (mocha.pid) process.kill(-mocha.pid, "SIGKILL");
    return mocha.pid !== undefined;
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

/** A run of mocha: what a test starts or writes is in its folder, and gone afterwards. */
interface Run {
  readonly options: readonly string[];
  readonly environment: Record<string, string>;
  /** The processes that lead the groups that run now. */
  readonly leaders: Set<ChildProcess>;
  interrupted: boolean;
}

/** @returns undefined if the run ended early */
async function runFiles(files: readonly string[], folder: string, run: Run): Promise<Counts | undefined> {
  if (run.interrupted) return undefined;
  await mkdir(folder);
  const result = join(folder, "result.json");
  const mocha = startMocha(files, run.options, { ...run.environment, [resultVariable]: result, TMPDIR: folder });
  run.leaders.add(mocha);
  const [code] = (await once(mocha, "exit")) as [number | null];
  run.leaders.delete(mocha);
  if (endGroup(mocha) && !run.interrupted) console.log("\nSome processes that tests started were still there.");
  await endServers(folder);
  if (tested) return { passed: 1, failed: code === 0 ? 0 : 1 };
  const counts = await readCounts(result);
  if (code !== 0 && counts?.failed === 0) console.log("\nNo test failed, but a file has none.");
  // A run that ended early, or with an empty test file, has not passed.
  return counts && { ...counts, failed: Math.max(counts.failed, code === 0 ? 0 : 1) };
}

/**
 * Files run in three worker processes. The files of a worker share a database. Files named `*.alone.test.ts` watch
 * global state that other tests change, and therefore have a process and a database of their own: they run one by one
 * beside the workers, which often wait.
 */
async function runAll(files: readonly string[], folder: string, run: Run): Promise<(Counts | undefined)[]> {
  const isAlone = (file: string) => file.endsWith(".alone.test.ts");
  const together = files.filter((file) => !isAlone(file));
  const limit = pLimit(1);
  return Promise.all([
    ...(together.length > 0 ? [runFiles(together, join(folder, "0"), run)] : []),
    ...files.filter(isAlone).map((file, nth) => limit(() => runFiles([file], join(folder, `${nth + 1}`), run))),
  ]);
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
  const run: Run = { options: [...zero, ...options], environment: {}, leaders: new Set(), interrupted: false };
  const interrupt = () => {
    run.interrupted = true;
    for (const mocha of run.leaders) endGroup(mocha);
  };
  process.on("SIGINT", interrupt).on("SIGTERM", interrupt);
  let server: EmbeddedPostgres | undefined;
  let results: (Counts | undefined)[] = [];
  try {
    await chmod(folder, 0o755);
    // A run inside a run shares its server.
    if (!process.env[serverVariable]) server = await prepareServer(join(folder, "postgres"));
    if (server) run.environment[serverVariable] = server.url;
    results = await runAll(files, folder, run);
  } finally {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  }
  const sum = (key: keyof Counts) => results.reduce((total, counts) => total + (counts?.[key] ?? 0), 0);
  const [passed, failed] = [sum("passed"), sum("failed")];
  const succeeded = failed === 0 && passed > 0 && !run.interrupted && results.every((counts) => counts);
  if (!tested) console.log(`${passed} passed, ${Math.max(failed, succeeded ? 0 : 1)} failed`);
  if (run.interrupted) return 130;
  return succeeded ? 0 : 1;
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
