import { defineJob } from "#shared/db/jobs.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { type ChainHead, checkChain, emptyChain, headLine, type Link, linkLine } from "./hash-chain.ts";
import { keepHead, keptHeads, signHead } from "./signed-heads.ts";

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

const batchSize = 5000;

/** Yields all entries in the order of the chain, in batches, with the texts that were hashed. */
async function* readChain(): AsyncGenerator<Link[]> {
  for (let after = 0; ; ) {
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
 * Checks the whole audit log against its chain, and the chain against all signed heads. Returns the first difference as
 * a sentence, or undefined when the log is whole; and how many entries there are.
 */
export async function checkAuditLog(): Promise<{ readonly entries: number; readonly difference?: string }> {
  // Read first: entries that are written during the check are above them.
  const [heads, end] = [await keptHeads("audit"), await storedHead()];
  return checkChain({ noun: "Entry", batches: readChain(), heads, end });
}

/** Yields the lines of an export: all entries, then the signed head. */
export async function* exportAuditLog(): AsyncGenerator<string> {
  let last = emptyChain;
  for await (const links of readChain())
    for (const link of links) {
      yield linkLine(link);
      last = link;
    }
  yield headLine(signHead(last.seq, last.hash));
}
