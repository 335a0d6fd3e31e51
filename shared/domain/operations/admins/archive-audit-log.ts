import { createHash } from "node:crypto";
import { type FileHandle, open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { dropPartitions } from "#shared/db/partition-table.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { OperatorError } from "#shared/kernel/operator-error.ts";
import { archiveText, lastArchive, readAuditChain } from "./audit-chain.ts";
import { afterLine, type ChainHead, checkChain, emptyChain, headLine, type Link, linkLine } from "./hash-chain.ts";
import { keptHeads, signHead, signText } from "./signed-heads.ts";

/** A younger part of the log stays. */
export const archiveMonthsMin = 3;

/**
 * Writes what the audit log has of months long ago to a file that `docs/verify-export.mjs` verifies, and drops these
 * partitions. What is written is checked, and safe on the disk before anything is dropped: who is stopped in between
 * has lost nothing, and repeats it. From then on, the log is verified from the end of the archive, which is signed.
 * @param months how many whole months after their own partitions stay
 * @returns how many entries are in the file; 0, without a file, if an earlier one has them
 * @throws OperatorError if there is no such partition, if the log has been altered, or if the file exists
 */
export async function archiveAuditLog(databaseUrl: string, path: string, months: number): Promise<number> {
  const partitions = await query<{ name: string }>(
    `SELECT name FROM table_partitions WHERE "table" = 'audit_log' AND "until" <= date_trunc('month', now()) - $1 * interval '1 month'
     ORDER BY "until"`,
    [Math.max(months, archiveMonthsMin)],
  );
  const names = partitions.map(({ name }) => name);
  const last = names.length > 0 ? await lastIn(names) : undefined;
  if (last === undefined)
    throw new OperatorError(`The audit log has no partition with entries that ended ${months} months ago.`);
  const start = (await lastArchive()) ?? emptyChain;
  if (last <= start.seq) {
    await dropPartitions(databaseUrl, names);
    return 0;
  }
  const file = await open(path, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(`The file can't be made: ${error.message}`);
  });
  const written = await write(file, start, last)
    .finally(() => file.close())
    .catch(async (error: unknown) => {
      await rm(path);
      throw error;
    });
  await syncFolder(dirname(path));
  const { entries, seq, hash, file_sha256 } = written;
  const { signature, public_key } = signText(archiveText(written));
  // From here on, the file may be the only place that has these entries, also if this fails.
  const note = {
    text: "INSERT INTO audit_archives (seq, hash, file_sha256, signature, public_key) VALUES ($1, $2, $3, $4, $5)",
    values: [seq, hash, file_sha256, signature, public_key],
  };
  await dropPartitions(databaseUrl, names, [note]);
  return entries;
}

/** Without it, a file that is on the disk may have lost its name when the machine loses its power. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  await folder.sync().finally(() => folder.close());
}

/** Returns the number of the last entry in these partitions; undefined if they are empty. */
async function lastIn(names: readonly string[]): Promise<number | undefined> {
  const row = await queryOne<{ seq: number | null }>(
    `SELECT max(seq) AS seq FROM (${names.map((name) => `SELECT seq FROM ${name}`).join(" UNION ALL ")}) AS old`,
  );
  return row?.seq ?? undefined;
}

interface Written {
  readonly entries: number;
  readonly seq: number;
  readonly hash: string;
  readonly file_sha256: string;
}

/** Writes the entries up to the last one, checked against their chain and the signed heads. */
async function write(file: FileHandle, start: ChainHead, last: number): Promise<Written> {
  const sha256 = createHash("sha256");
  const add = async (text: string) => {
    sha256.update(text);
    await file.appendFile(text); // Unlike `write`, it writes all.
  };
  if (start.seq > 0) await add(afterLine(signHead(start.seq, start.hash)));
  let end = start;
  async function* writing(): AsyncGenerator<Link[]> {
    for await (const read of readAuditChain(start.seq)) {
      const links = read.filter(({ seq }) => seq <= last);
      await add(links.map(linkLine).join(""));
      end = links.at(-1) ?? end;
      yield links;
      if (links.length < read.length) return;
    }
  }
  const heads = new Map([...(await keptHeads("audit"))].filter(([seq]) => seq <= last));
  const { difference } = await checkChain({ noun: "Entry", start, batches: writing(), heads });
  if (difference) throw new OperatorError(`Nothing is archived: ${difference}`);
  await add(headLine(signHead(end.seq, end.hash)));
  await file.sync();
  return { entries: end.seq - start.seq, seq: end.seq, hash: end.hash, file_sha256: sha256.digest("hex") };
}
