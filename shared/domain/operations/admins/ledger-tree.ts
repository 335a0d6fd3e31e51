import { randomBytes } from "node:crypto";
import { query, queryOne } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { entryLeaf, entrySalt, levelsOf, pathOf, rootOf } from "./merkle.ts";
import { isOurs, keepHead, type SignedHead } from "./signed-heads.ts";

const blockSize = 256;
/** How many leaves are added at once: whole blocks. */
const batchSize = 4 * blockSize;

/** A ledger transaction in the tree, with the entries of which its leaf is made. */
interface Leaf {
  readonly seq: number;
  readonly movement_id: string;
  readonly salt: Buffer;
  readonly leaf: Buffer;
}

interface Entries {
  readonly seq: number;
  readonly movement_id: string;
  readonly ids: readonly string[];
  readonly texts: readonly string[];
}

const entriesOfChain = `SELECT c.seq, c.movement_id, array_agg(coalesce(e.id, m.id)::text ORDER BY e.id) AS ids,
    array_agg(CASE WHEN e.id IS NULL THEN '' ELSE ledger_entry_text(m, e) END ORDER BY e.id) AS texts
  FROM ledger_chain c JOIN ledger_movements m ON m.id = c.movement_id
    LEFT JOIN ledger_entries e ON e.movement_id = m.id AND ids_are_near(e.id, m.id)`;

const entryLeaves = ({ ids, texts }: Pick<Entries, "ids" | "texts">, salt: Buffer): Buffer[] =>
  texts.map((text, index) => entryLeaf(entrySalt(salt, ids[index]!), text));

/** Adds the chained ledger transactions that aren't in the tree yet, signs its root, and publishes it. */
export async function signLedgerTree(): Promise<void> {
  for (let grown = true; grown; ) grown = await inTransaction(grow);
  const [size] = await query<{ seq: number }>("SELECT coalesce(max(seq), 0) AS seq FROM ledger_leaves");
  const { seq } = size!;
  if (seq === 0 || (await queryOne("SELECT FROM ledger_tree_heads WHERE seq = $1", [seq]))) return;
  const blocks = await blockRoots(seq);
  const head = await keepHead("ledger_tree", seq, rootOf(blocks).toString("hex"));
  await inTransaction((tx) =>
    tx.query(
      `INSERT INTO ledger_tree_heads (seq, hash, signed_at, signature, public_key) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT DO NOTHING`,
      [seq, head.hash, head.signed_at, head.signature, head.public_key],
    ),
  );
}

/** Step: adds the next leaves, and the roots of the blocks that they complete. Returns whether there may be more. */
async function grow(tx: Tx): Promise<boolean> {
  await tx.query("LOCK TABLE ledger_leaves IN SHARE ROW EXCLUSIVE MODE");
  const [last] = await tx.query<{ seq: number }>("SELECT coalesce(max(seq), 0) AS seq FROM ledger_leaves");
  // To the end of a block.
  const until = (Math.floor(last!.seq / blockSize) + batchSize / blockSize) * blockSize;
  const rows = await tx.query<Entries & Record<string, unknown>>(
    `${entriesOfChain} WHERE c.seq > $1 AND c.seq <= $2 GROUP BY c.seq, c.movement_id ORDER BY c.seq`,
    [last!.seq, until],
  );
  const leaves = rows.map((row): Leaf => {
    const salt = randomBytes(16);
    return { seq: row.seq, movement_id: row.movement_id, salt, leaf: rootOf(entryLeaves(row, salt)) };
  });
  if (leaves.length === 0) return false;
  await tx.query(
    `INSERT INTO ledger_leaves (seq, movement_id, salt, leaf)
     SELECT * FROM unnest($1::bigint[], $2::uuid[], $3::bytea[], $4::bytea[])`,
    [
      leaves.map(({ seq }) => seq),
      leaves.map(({ movement_id }) => movement_id),
      leaves.map(({ salt }) => salt),
      leaves.map(({ leaf }) => leaf),
    ],
  );
  const end = leaves.at(-1)!.seq;
  for (let no = Math.floor(last!.seq / blockSize) + 1; no * blockSize <= end; no += 1)
    await tx.query("INSERT INTO ledger_blocks (no, root) VALUES ($1, $2)", [no, rootOf(await leavesOf(no, end))]);
  return leaves.length >= batchSize - blockSize;
}

/** Returns the leaves of a block, up to the end of the tree. */
async function leavesOf(no: number, end: number): Promise<Buffer[]> {
  const rows = await query<{ leaf: Buffer }>(
    "SELECT leaf FROM ledger_leaves WHERE seq > $1 AND seq <= $2 ORDER BY seq",
    [(no - 1) * blockSize, Math.min(no * blockSize, end)],
  );
  return rows.map(({ leaf }) => leaf);
}

/** Returns the roots of all blocks of a tree of so many leaves; that of the last one, which may be incomplete, too. */
async function blockRoots(end: number): Promise<Buffer[]> {
  const complete = Math.floor(end / blockSize);
  const rows = await query<{ root: Buffer }>("SELECT root FROM ledger_blocks WHERE no <= $1 ORDER BY no", [complete]);
  const roots = rows.map(({ root }) => root);
  return end % blockSize === 0 ? roots : [...roots, rootOf(await leavesOf(complete + 1, end))];
}

/** Returns the newest signed root; undefined before the first. */
export const latestTreeHead = (): Promise<SignedHead | undefined> =>
  queryOne<SignedHead & Record<string, unknown>>(
    "SELECT seq, hash, signed_at, signature, public_key FROM ledger_tree_heads ORDER BY seq DESC LIMIT 1",
  );

/** Returns the latest signed roots, newest first. */
export const listTreeHeads = (): Promise<SignedHead[]> =>
  query<SignedHead & Record<string, unknown>>(
    "SELECT seq, hash, signed_at, signature, public_key FROM ledger_tree_heads ORDER BY seq DESC LIMIT 1000",
  );

/** What shows that an entry is in the tree, and nothing of other entries. */
export interface EntryProof {
  /** What is hashed of the entry: JSON. */
  readonly entry: string;
  /** Hexadecimal; hashed before it. */
  readonly salt: string;
  /** From its leaf to the root. */
  readonly path: string[];
}

/** Returns the proofs of entries against a signed root, by the entry's ID. Those that it doesn't cover have none. */
export async function proveEntries(ids: readonly string[], end: number): Promise<Map<string, EntryProof>> {
  const rows = await query<Leaf & Entries & { entry_id: string }>(
    `SELECT l.seq, l.salt, e.id AS entry_id, array_agg(a.id::text ORDER BY a.id) AS ids,
       array_agg(ledger_entry_text(m, a) ORDER BY a.id) AS texts
     FROM ledger_entries e JOIN ledger_leaves l ON l.movement_id = e.movement_id
       JOIN ledger_movements m ON m.id = e.movement_id
       JOIN ledger_entries a ON a.movement_id = m.id AND ids_are_near(a.id, m.id)
     WHERE e.id = ANY ($1::uuid[]) AND l.seq <= $2 GROUP BY l.seq, l.salt, e.id ORDER BY l.seq`,
    [ids, end],
  );
  const proofs = new Map<string, EntryProof>();
  if (rows.length === 0) return proofs;
  const blocks = levelsOf(await blockRoots(end));
  for (const [no, ofBlock] of Map.groupBy(rows, ({ seq }) => Math.floor((seq - 1) / blockSize) + 1)) {
    const leaves = levelsOf(await leavesOf(no, end));
    for (const row of ofBlock) {
      const place = row.ids.indexOf(row.entry_id);
      proofs.set(row.entry_id, {
        entry: row.texts[place]!,
        salt: entrySalt(row.salt, row.entry_id).toString("hex"),
        path: [
          ...pathOf(levelsOf(entryLeaves(row, row.salt)), place),
          ...pathOf(leaves, (row.seq - 1) % blockSize),
          ...pathOf(blocks, no - 1),
        ],
      });
    }
  }
  return proofs;
}

/** Checks the tree against the ledger, and its signed roots. Returns the first difference as a sentence. */
export async function checkLedgerTree(): Promise<string | undefined> {
  let checked = 0;
  for (;;) {
    const rows = await query<Leaf & Entries>(
      `SELECT l.seq, l.movement_id, l.salt, l.leaf, x.ids, x.texts
       FROM ledger_leaves l LEFT JOIN LATERAL (
         ${entriesOfChain} WHERE c.seq = l.seq AND c.movement_id = l.movement_id GROUP BY 1, 2) x ON true
       WHERE l.seq > $1 ORDER BY l.seq LIMIT $2`,
      [checked, batchSize],
    );
    for (const row of rows) {
      checked += 1;
      const isRight = row.seq === checked && row.texts !== null && rootOf(entryLeaves(row, row.salt)).equals(row.leaf);
      if (!isRight) return `Leaf ${checked} of the ledger's tree isn't that of its ledger transaction.`;
    }
    if (rows.length < batchSize) break;
  }
  const blocks = await query<{ no: number; root: Buffer }>("SELECT no, root FROM ledger_blocks ORDER BY no");
  for (const { no, root } of blocks)
    if (!rootOf(await leavesOf(no, checked)).equals(root)) return `Block ${no} of the ledger's tree has another root.`;
  const heads = await query<SignedHead & Record<string, unknown>>("SELECT * FROM ledger_tree_heads ORDER BY seq");
  for (const head of heads) {
    const isRight =
      isOurs(head) && head.seq <= checked && rootOf(await blockRoots(head.seq)).toString("hex") === head.hash;
    if (!isRight) return `The root of the ledger's tree, signed at ${head.signed_at}, isn't that of its leaves.`;
  }
  return undefined;
}
