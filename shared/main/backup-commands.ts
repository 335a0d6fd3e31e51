import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, rename, rm, stat } from "node:fs/promises";
import { PassThrough } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { type Command, InvalidArgumentError } from "commander";
import { readHead, restoreBackup, writeBackup } from "#shared/db/backup.ts";
import type { BackupHead } from "#shared/db/backup-tables.ts";
import { allMigrations, migrate } from "#shared/db/migrate.ts";
import { readFolderHead, restoreFolder, writeBackupFolder } from "#shared/db/parallel-backup.ts";
import { divideDatabase } from "#shared/db/partition-table.ts";
import { makePartitions } from "#shared/db/partitions.ts";
import { queryOne } from "#shared/db/query.ts";
import { checkAuditLog } from "#shared/domain/operations/admins/audit-chain.ts";
import { OperatorError } from "#shared/kernel/operator-error.ts";
import type { Config } from "#shared/start/config.ts";
import { withDatabase } from "#shared/start/service-database.ts";
import { databaseName } from "#shared/start/start-database.ts";
import manifest from "../../package.json" with { type: "json" };
import { configureAudit, ledgerDifferences } from "./audit-commands.ts";

const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** Adds the commands that save the database to a file and restore it. */
export function addBackupCommands(program: Command, readConfig: () => Config): void {
  program
    .command("backup")
    .description("write a consistent backup of the database to a file, also while the service is running")
    .argument("<file>", "file to write, such as hubbub.sql.gz")
    .option("--jobs <n>", `write a folder instead, over so many connections (1 to ${jobsMax})`, toJobs)
    .showHelpAfterError("Example: npm run backup -- hubbub.sql.gz")
    .action((file: string, { jobs }: { jobs?: number }) => backupCommand(readConfig(), file, jobs));
  program
    .command("restore")
    .description("restore a backup into an empty database, or a DATA_DIR that doesn't exist yet, and verify the result")
    .argument("<file>", "file or folder to read")
    .option("--jobs <n>", `connections that read a folder (1 to ${jobsMax})`, toJobs, 4)
    .showHelpAfterError("Example: DATA_DIR=restored npm run restore -- hubbub.sql.gz")
    .action((file: string, { jobs }: { jobs: number }) => restoreCommand(readConfig(), file, jobs));
}

const jobsMax = 16;

function toJobs(text: string): number {
  const jobs = Number(text);
  if (!Number.isInteger(jobs) || jobs < 1 || jobs > jobsMax)
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${jobsMax}.`);
  return jobs;
}

/** Where the bytes of media are, which no backup has. */
const storeOf = ({ media }: Config): string => media.s3?.url ?? media.folder;

/**
 * Only a complete backup has the name of the file, or of the folder if there are `jobs`. Only its owner can read it: it
 * contains personal data.
 */
async function backupCommand(config: Config, file: string, jobs?: number): Promise<void> {
  const unfinished = `${file}.part`;
  try {
    if (jobs) await makeFolder(file, unfinished);
    const tables = await withDatabase(config, { command: "backup", migrated: false }, (_applied, url) =>
      jobs ? writeBackupFolder(url, manifest.version, unfinished, jobs) : writeFileBackup(url, unfinished),
    );
    await rename(unfinished, file);
    print(`Wrote ${tables} ${jobs ? "parts" : "tables"} of the ${databaseName(config)} to ${file}.`);
    print(`Uploaded pictures and files aren't in it: also keep ${storeOf(config)}.`);
    if (!config.jwtSecret || !config.encryptionKeys)
      print(`Also keep the secrets in ${config.dataDir}: stored secrets can't be decrypted without them.`);
  } finally {
    await rm(unfinished, { force: true, recursive: jobs !== undefined });
  }
}

async function makeFolder(folder: string, unfinished: string): Promise<void> {
  if (await stat(folder).catch(() => undefined))
    throw new OperatorError(`${folder} exists. Write to a folder that doesn't exist yet.`);
  await rm(unfinished, { force: true, recursive: true });
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
}

async function writeFileBackup(url: string, file: string): Promise<number> {
  const text = new PassThrough();
  const written = pipeline(text, createGzip(), createWriteStream(file, { mode: 0o600, flush: true }));
  const made = writeBackup(url, manifest.version, text).finally(() => text.end());
  const [count] = await Promise.all([made, written]);
  return count;
}

/** Gives the empty tables the partitions that they had, so that each row goes where it was. */
async function divideAsBefore(url: string, { divided = {} }: BackupHead): Promise<void> {
  if (Object.keys(divided).length === 0) return;
  await divideDatabase(url, divided);
  await makePartitions();
}

interface OpenedBackup {
  readonly head: BackupHead;
  /** What `head` counts: tables, or parts of them. */
  readonly unit: string;
  /** Returns how many were restored. */
  readonly restore: (url: string) => Promise<number>;
}

/** @throws OperatorError if it isn't a backup that this release can read */
async function openBackup(file: string, jobs: number): Promise<OpenedBackup> {
  try {
    if ((await stat(file)).isDirectory()) {
      const head = await readFolderHead(file);
      return { head, unit: "parts", restore: (url) => restoreFolder(url, file, head, jobs) };
    }
    const text = createGunzip();
    const read = pipeline(createReadStream(file), text);
    read.catch(() => undefined); // The reader of the text gets the error.
    const { head, lines } = await readHead(text);
    return { head, unit: "tables", restore: (url) => restoreBackup(url, lines) };
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`Can't read ${file} as a backup: ${(error as Error).message}`, { cause: error });
  }
}

async function restoreCommand(config: Config, file: string, jobs: number): Promise<void> {
  const { head, unit, restore } = await openBackup(file, jobs);
  const known = await allMigrations();
  if (head.migrations.some((name) => !known.includes(name)))
    throw new OperatorError(`The backup is from a later release (${head.service}). Restore it with that release.`);

  await configureAudit(config);
  const options = { command: "restore", migrated: true, only: head.migrations };
  const { restored, applied, uploads, differences } = await withDatabase(config, options, async (_applied, url) => ({
    restored: await divideAsBefore(url, head).then(() => restore(url)),
    applied: await migrate(url),
    divided: await divideDatabase(url),
    uploads: (await queryOne<{ n: number }>("SELECT count(*) AS n FROM media WHERE state = 'ready'"))!.n,
    differences: [...(await ledgerDifferences()), (await checkAuditLog()).difference ?? []].flat(),
  }));
  print(`Restored ${restored} ${unit} of ${head.createdAt} into the ${databaseName(config)}.`);
  if (applied.length > 0) print(`Applied:\n${applied.join("\n")}`);
  print(`The files of ${uploads} uploads aren't in it: they must be in ${storeOf(config)}.`);
  for (const difference of differences) print(difference);
  print(
    differences.length === 0 ? "The ledger and the audit log are consistent." : `Errors found: ${differences.length}.`,
  );
  process.exitCode = differences.length === 0 ? 0 : 1;
}
