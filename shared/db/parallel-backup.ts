import { createReadStream, createWriteStream } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import type pg from "pg";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import { OperatorError } from "#shared/kernel/operator-error.ts";
import {
  type BackupHead,
  checkTables,
  emptyTables,
  headOf,
  sequenceStatements,
  type Table,
  tablesOf,
  withClient,
} from "./backup-tables.ts";
import { locks } from "./locks.ts";
import { unfinishedRestore } from "./migrate.ts";

/** Rows of a table or of one of its partitions, in a file of their own. */
interface Part extends Table {
  /** The name of the file in the folder. */
  readonly file: string;
}

/** A part, and where its rows are read. */
interface ReadPart extends Part {
  /** The table or partition. */
  readonly source: string;
  /** Its first block, and the first of the next part; null if it is the last. */
  readonly block: number;
  readonly until: number | null;
}

/** A backup in a folder: this in `backup.json`, and the rows as `COPY` writes them, compressed. */
interface FolderHead extends BackupHead {
  readonly format: 2;
  readonly parts: readonly (Part & { readonly rows: number })[];
  readonly sequences: readonly string[];
}

const headFile = "backup.json";

/**
 * Writes everything that one moment of the database contains to an empty folder, over so many connections, also while
 * the service changes it. Returns the number of parts.
 */
export async function writeBackupFolder(url: string, service: string, folder: string, jobs: number): Promise<number> {
  return withClient(url, async (client) => {
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    // A migration must not change a table meanwhile: reads don't see it in their snapshot.
    await client.query("SELECT pg_advisory_xact_lock_shared($1)", [locks.migrations]);
    const { rows } = await client.query("SELECT quote_literal(pg_export_snapshot()) AS snapshot");
    const found = await partsOf(client);
    const parts: FolderHead["parts"][number][] = [];
    await overConnections(url, jobs, found, async (connection, { source, block, until, ...part }) => {
      await connection.query("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY");
      await connection.query(`SET TRANSACTION SNAPSHOT ${rows[0].snapshot}`);
      const where = until === null ? `ctid >= '(${block},0)'` : `ctid >= '(${block},0)' AND ctid < '(${until},0)'`;
      const copied = connection.query(copyTo(`COPY (SELECT ${part.columns} FROM ${source} WHERE ${where}) TO STDOUT`));
      const file = createWriteStream(join(folder, part.file), { mode: 0o600, flush: true });
      await pipeline(copied, createGzip(), file);
      await connection.query("COMMIT");
      parts.push({ ...part, rows: copied.rowCount });
    });
    const head: FolderHead = {
      format: 2,
      ...(await headOf(client, service)),
      parts,
      sequences: await sequenceStatements(client),
    };
    await writeFile(join(folder, headFile), JSON.stringify(head, undefined, 2), { mode: 0o600, flush: true });
    return parts.length;
  });
}

/** Reads what a backup in a folder says of itself. @throws OperatorError if it isn't one */
export async function readFolderHead(folder: string): Promise<FolderHead> {
  const head = JSON.parse(await readFile(join(folder, headFile), "utf8")) as FolderHead;
  if (head.format !== 2) throw new OperatorError("This isn't a backup that this release can read.");
  return head;
}

/**
 * Fills a database that has the tables of the backup and no users, over so many connections. Foreign keys are created
 * again at the end, which checks all rows against each other. It can't be one transaction: until it is complete, no
 * process starts on the database. Requires the owner of the tables, not a superuser. Returns the number of parts.
 * @throws OperatorError if the database isn't empty, or the backup is incomplete
 */
export async function restoreFolder(url: string, folder: string, head: FolderHead, jobs: number): Promise<number> {
  return withClient(url, async (client) => {
    await client.query("SELECT pg_advisory_lock($1)", [locks.migrations]);
    await client.query("BEGIN");
    const emptied = await emptyTables(client);
    await client.query("INSERT INTO migrations (name) VALUES ($1)", [unfinishedRestore]);
    await client.query("COMMIT");

    await overConnections(url, jobs, head.parts, async (connection, part) => {
      const into = connection.query(copyFrom(`COPY ${part.name} (${part.columns}) FROM STDIN`));
      await pipeline(createReadStream(join(folder, part.file)), createGunzip(), into);
      if (into.rowCount !== part.rows)
        throw new OperatorError(`${part.file} has ${into.rowCount} rows of ${part.name}, not ${part.rows}.`);
    });

    await client.query("BEGIN");
    await checkTables(client, emptied);
    for (const statement of head.sequences) await client.query(statement);
    await client.query("DELETE FROM migrations WHERE name = $1", [unfinishedRestore]);
    await client.query("COMMIT");
    await client.query("ANALYZE");
    return head.parts.length;
  });
}

/** How much of a table is read at a time, so that a large one doesn't wait for one connection. */
const partBytes = 16 * 2 ** 20;

/** Returns the parts of all tables, the largest first, so that none is begun late. */
async function partsOf(client: pg.Client): Promise<ReadPart[]> {
  const parts = [];
  for (const table of await tablesOf(client)) {
    const { rows } = await client.query<{ source: string; block: number; until: number | null; blocks: number }>(
      `SELECT source::text, block, CASE WHEN block + step < blocks THEN block + step END AS until,
         least(blocks - block, step) AS blocks
       FROM (SELECT relid FROM pg_partition_tree($1) WHERE isleaf
             UNION ALL SELECT $1::regclass WHERE NOT EXISTS (SELECT FROM pg_partition_tree($1))) AS leaves (source),
         (SELECT current_setting('block_size')::integer) AS setting (size),
         LATERAL (SELECT (pg_relation_size(source) / size)::integer AS blocks, $2::integer / size AS step) AS measured,
         generate_series(0, greatest(blocks - 1, 0), step) AS block`,
      [table.name, partBytes],
    );
    parts.push(...rows.map((row) => ({ ...table, ...row, file: fileOf(row.source, row.block) })));
  }
  return parts.sort((a, b) => b.blocks - a.blocks);
}

const fileOf = (source: string, block: number): string => `${source.replaceAll(/[^a-z0-9_.]/g, "-")}-${block}.gz`;

/** Works on all items, so many at a time, each on a connection. Rejects when all have ended, if one has failed. */
async function overConnections<Item>(
  url: string,
  jobs: number,
  items: readonly Item[],
  work: (connection: pg.Client, item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values();
  let isFailed = false;
  const worked = Array.from({ length: jobs }, () =>
    withClient(url, async (connection) => {
      for (const item of left) {
        if (isFailed) return;
        await work(connection, item);
      }
    }).catch((error: unknown) => {
      isFailed = true;
      throw error;
    }),
  );
  await Promise.allSettled(worked);
  await Promise.all(worked);
}
