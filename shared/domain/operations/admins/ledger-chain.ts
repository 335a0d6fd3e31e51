import { defineJob } from "#shared/db/jobs.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { inSnapshot } from "#shared/db/snapshot.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { daysMs } from "#shared/kernel/clock.ts";
import { firstIdAt, timeOfId } from "#shared/kernel/ids.ts";
import { type ChainHead, chainHash, checkChain, emptyChain, headLine, type Link, linkLine } from "./hash-chain.ts";
import { checkLedgerTree, signLedgerTree } from "./ledger-tree.ts";
import { keepHead, keptHeads, signHead } from "./signed-heads.ts";

/**
 * The ledger transactions are chained like the audit log, but once an hour and not when they are written, which would
 * make all writers wait for each other.
 */
export const signLedgerHeadJob = defineJob("ledger.sign_head", {
  retries: 3,
  retryMaxSeconds: 60,
  timeoutSeconds: 1800,
  exclusive: true,
});

const batchSize = 2000;

/** How much older than the newest chained one a transaction can be that was committed later; and is in general. */
const [lateMaxMs, lateMs] = [daysMs(1), 15 * 60_000];

const lastLink = async (): Promise<ChainHead> =>
  (await queryOne<{ seq: number; hash: string }>("SELECT seq, hash FROM ledger_chain ORDER BY seq DESC LIMIT 1")) ??
  emptyChain;

const newestChained = () =>
  queryOne<{ id: string }>("SELECT movement_id AS id FROM ledger_chain ORDER BY movement_id DESC LIMIT 1");

/** Returns what sorts before all transactions that are later than some milliseconds before this one. */
const earlier = (than: { readonly id: string } | undefined, byMs: number): string =>
  firstIdAt(than ? Math.max(timeOfId(than.id) - byMs, 0) : 0);

/**
 * Adds the ledger transactions to the chain that aren't in it yet. Returns its end. Looks twice at each of them: when
 * it is new, and before it would count as put in. A run that was cut off is continued by the next.
 */
export async function chainLedger(): Promise<ChainHead> {
  const chained = await newestChained();
  const newest = await queryOne<{ id: string }>("SELECT id FROM ledger_movements ORDER BY id DESC LIMIT 1");
  if (newest) {
    await addLinks(earlier(chained, lateMaxMs), earlier(newest, lateMaxMs));
    await addLinks(earlier(chained, lateMs), newest.id);
  }
  return lastLink();
}

async function addLinks(after: string, until: string): Promise<void> {
  for (let from = after; from < until; ) from = await inTransaction((tx) => addBatch(tx, from, until));
}

/** Step: adds those that are missing among the next ledger transactions. Returns the last of these. */
async function addBatch(tx: Tx, after: string, until: string): Promise<string> {
  // Only those who add links wait for each other.
  await tx.query("LOCK TABLE ledger_chain IN SHARE ROW EXCLUSIVE MODE");
  const [end] = await tx.query<{ id: string }>(
    "SELECT id FROM ledger_movements WHERE id > $1 AND id <= $2 ORDER BY id OFFSET $3 LIMIT 1",
    [after, until, batchSize - 1],
  );
  const last = end?.id ?? until;
  const texts = await tx.query<{ id: string; text: string }>(
    `SELECT m.id, ledger_movement_text(m) AS text FROM ledger_movements m
     WHERE m.id > $1 AND m.id <= $2 AND NOT EXISTS (
       SELECT FROM ledger_chain c WHERE c.movement_id = m.id AND c.movement_id > $1 AND c.movement_id <= $2
     ) ORDER BY m.id`,
    [after, last],
  );
  if (texts.length === 0) return last;
  let { seq, hash } = await lastLink();
  const links = texts.map(({ id, text }) => {
    seq += 1;
    hash = chainHash(hash, text);
    return { seq, id, hash };
  });
  await tx.query(
    "INSERT INTO ledger_chain (seq, movement_id, hash) SELECT * FROM unnest($1::bigint[], $2::uuid[], $3::text[])",
    [links.map((link) => link.seq), links.map(({ id }) => id), links.map((link) => link.hash)],
  );
  return last;
}

/** Job: chains the newest ledger transactions, and signs the head and the root of the tree over them. */
export async function signLedgerHead(): Promise<void> {
  const { seq, hash } = await chainLedger();
  await keepHead("ledger", seq, hash);
  await signLedgerTree();
}

/** Yields all chained ledger transactions in their order, in batches, with the texts as they are now. */
async function* readChain(): AsyncGenerator<Link[]> {
  for (let after = 0; ; ) {
    const links = await query<Link & Record<string, unknown>>(
      `SELECT c.seq, c.movement_id AS id, c.hash, CASE WHEN m.id IS NOT NULL THEN ledger_movement_text(m) END AS text
       FROM ledger_chain c LEFT JOIN ledger_movements m ON m.id = c.movement_id WHERE c.seq > $1 ORDER BY c.seq LIMIT $2`,
      [after, batchSize],
    );
    if (links.length > 0) yield links;
    if (links.length < batchSize) return;
    after = links.at(-1)!.seq;
  }
}

/**
 * Checks all chained ledger transactions against their chain and their tree, and these against all signed heads.
 * Returns the first difference as a sentence, or undefined; and how many there are.
 */
export async function checkLedgerChain(): Promise<{ readonly entries: number; readonly difference?: string }> {
  const heads = await keptHeads("ledger");
  const check = async () => {
    const found = await checkChain({ noun: "Ledger transaction", batches: readChain(), heads });
    const difference = found.difference ?? (await insertedLate()) ?? (await checkLedgerTree());
    return { entries: found.entries, ...(difference && { difference }) };
  };
  return inSnapshot(check, { isLong: true });
}

async function insertedLate(): Promise<string | undefined> {
  const late = await queryOne<{ id: string }>(
    `SELECT id FROM ledger_movements m
     WHERE id < $1 AND NOT EXISTS (SELECT FROM ledger_chain WHERE movement_id = m.id) ORDER BY id LIMIT 1`,
    [earlier(await newestChained(), lateMaxMs)],
  );
  return late && `Ledger transaction ${late.id} was put in: it isn't in the chain.`;
}

/**
 * Writes an export of the ledger, in one snapshot, that `docs/verify-export.mjs` verifies: a line for each ledger
 * transaction with its entries, in the order of the chain, then the signed head. Entries of money have a `currency`.
 * Returns the number of ledger transactions.
 */
export async function exportLedger(write: (line: string) => Promise<void>): Promise<number> {
  await chainLedger();
  const work = async () => {
    let last = emptyChain;
    for await (const links of readChain())
      for (const link of links) {
        if (link.text !== null) await write(linkLine(link));
        last = link;
      }
    await write(headLine(signHead(last.seq, last.hash)));
    return last.seq;
  };
  return inSnapshot(work, { isLong: true });
}
