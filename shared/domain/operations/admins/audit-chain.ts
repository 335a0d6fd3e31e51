import { defineJob } from "#shared/db/jobs.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { afterLine, type ChainHead, checkChain, emptyChain, headLine, type Link, linkLine } from "./hash-chain.ts";
import { isSigned, keepHead, keptHeads, signHead } from "./signed-heads.ts";

/**
 * The audit log is one chain over all processes: the hash of an entry is the SHA-256 of the hash before it and the
 * entry's text. The database chains each entry when it is written (see the migration), so no entry is ever outside the
 * chain.
 */
export const signAuditHeadJob = defineJob("admin.sign_audit_head", {
  retries: 3,
  retryMaxSeconds: 60,
  timeoutSeconds: 30,
  exclusive: true,
});

const storedHead = async (): Promise<ChainHead> =>
  (await queryOne<{ seq: number; hash: string }>("SELECT seq, hash FROM audit_head"))!;

/** Job: signs the head of the audit log. */
export async function signAuditHead(): Promise<void> {
  const { seq, hash } = await storedHead();
  await keepHead("audit", seq, hash);
}

/** The end of what is in files (`archive-audit-log.ts`) and no longer here, as it was signed. */
export interface Archived extends ChainHead {
  /** Hexadecimal. */
  readonly file_sha256: string;
  readonly signature: string;
}

/** What is signed of an archive: nothing that a signed head could pass for. */
export const archiveText = ({ seq, hash, file_sha256 }: Omit<Archived, "signature">): Buffer =>
  Buffer.from(`archive ${seq} ${hash} ${file_sha256}`);

/** Returns where the audit log begins: after the last archive. */
export const lastArchive = (): Promise<Archived | undefined> =>
  queryOne<Archived & Record<string, unknown>>(
    "SELECT seq, hash, file_sha256, signature FROM audit_archives ORDER BY seq DESC LIMIT 1",
  );

const batchSize = 5000;

/** Yields the entries in the order of the chain, in batches, with the texts that were hashed. */
export async function* readAuditChain(after: number): AsyncGenerator<Link[]> {
  for (;;) {
    const links = await query<Link & Record<string, unknown>>(
      `SELECT seq, id, hash, audit_entry_text(audit_log) AS text FROM audit_log WHERE seq > $1 ORDER BY seq LIMIT $2`,
      [after, batchSize],
    );
    if (links.length > 0) yield links;
    if (links.length < batchSize) return;
    after = links.at(-1)!.seq;
  }
}

/**
 * Checks the audit log against its chain, and the chain against all signed heads, from the last archive on. Returns the
 * first difference as a sentence, or undefined when the log is whole; and the number of the last entry.
 */
export async function checkAuditLog(): Promise<{ readonly entries: number; readonly difference?: string }> {
  // Read first: entries that are written during the check are above them.
  const [heads, end] = [await keptHeads("audit"), await storedHead()];
  const start = await lastArchive();
  if (start && !isSigned(archiveText(start), start.signature))
    return { entries: 0, difference: `The archive up to entry ${start.seq} has another signature.` };
  return checkChain({
    noun: "Entry",
    start: start ?? emptyChain,
    batches: readAuditChain(start?.seq ?? 0),
    heads,
    end,
  });
}

/** Yields the lines of an export: where it begins, unless at the first entry; the entries; then the signed head. */
export async function* exportAuditLog(): AsyncGenerator<string> {
  let last: ChainHead = (await lastArchive()) ?? emptyChain;
  if (last.seq > 0) yield afterLine(signHead(last.seq, last.hash));
  for await (const links of readAuditChain(last.seq))
    for (const link of links) {
      yield linkLine(link);
      last = link;
    }
  yield headLine(signHead(last.seq, last.hash));
}
