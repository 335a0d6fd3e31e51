import { createHash } from "node:crypto";
import { isOurs, type SignedHead } from "./signed-heads.ts";

/** A link of a chain as it is stored. */
export interface Link {
  readonly seq: number;
  readonly id: string;
  /** The SHA-256 of the hash before it and the text, hexadecimal. */
  readonly hash: string;
  /** Null if what was chained is gone. */
  readonly text: string | null;
}

/** The end of a chain. */
export type ChainHead = Pick<Link, "seq" | "hash">;

export const emptyChain: ChainHead = { seq: 0, hash: "" };

export const chainHash = (before: string, text: string): string =>
  createHash("sha256").update(before).update(text).digest("hex");

interface ChainCheck {
  /** What a link is, as a sentence begins with it. */
  readonly noun: string;
  /** The link before the first, by default none. */
  readonly start?: ChainHead;
  /** The links in their order. */
  readonly batches: AsyncIterable<readonly Link[]>;
  /** The signed heads, by `seq`, read before the links. */
  readonly heads: ReadonlyMap<number, readonly SignedHead[]>;
  /** The end as it is stored apart from the links, read before them. */
  readonly end?: ChainHead;
}

/**
 * Checks a chain, also against its signed heads. Returns how many links are right, and the first difference as a
 * sentence.
 */
export async function checkChain({
  noun,
  start = emptyChain,
  batches,
  heads,
  end = emptyChain,
}: ChainCheck): Promise<{ readonly entries: number; readonly difference?: string }> {
  const rewritten = headDifference(noun, heads.get(start.seq) ?? [], start.hash);
  if (rewritten) return { entries: start.seq, difference: rewritten };
  let last = start;
  for await (const links of batches)
    for (const link of links) {
      const { seq, hash, id } = link;
      const difference = differenceAt(noun, link, last) ?? headDifference(noun, heads.get(seq) ?? [], hash);
      if (difference) return { entries: last.seq, difference };
      last = { seq, hash };
      if (seq === end.seq && hash !== end.hash)
        return { entries: seq, difference: `${noun} ${seq} (${id}) isn't the one that was the last.` };
    }

  const expected = Math.max(end.seq, ...heads.keys());
  if (expected <= last.seq) return { entries: last.seq };
  return {
    entries: last.seq,
    difference: `${noun} ${last.seq + 1} was removed, with all that followed, up to ${expected}.`,
  };
}

function differenceAt(noun: string, { seq, id, hash, text }: Link, last: ChainHead): string | undefined {
  if (seq !== last.seq + 1) return `${noun} ${last.seq + 1} was removed: ${seq} (${id}) follows ${last.seq}.`;
  if (text === null) return `${noun} ${seq} (${id}) was removed.`;
  if (hash !== chainHash(last.hash, text)) return `${noun} ${seq} (${id}) was altered, moved, or put in.`;
  return undefined;
}

function headDifference(noun: string, heads: readonly SignedHead[], hash: string): string | undefined {
  for (const head of heads) {
    const { seq, signed_at } = head;
    if (!isOurs(head))
      return `The head of ${noun.toLowerCase()} ${seq}, signed at ${signed_at}, has another signature. Its key must be in AUDIT_SIGNING_KEY.`;
    if (head.hash !== hash)
      return `${noun} ${seq}, or one before it, was rewritten: its hash isn't the one signed at ${signed_at}.`;
  }
  return undefined;
}

/**
 * Returns the line of a link in an export that `docs/verify-export.mjs` verifies. The last line has the signed head,
 * and the first one that of what is in an archive, if something is.
 */
export const linkLine = ({ text, hash }: Link): string => `${JSON.stringify({ entry: text, hash })}\n`;
export const headLine = (head: SignedHead): string => `${JSON.stringify({ head })}\n`;
export const afterLine = (after: SignedHead): string => `${JSON.stringify({ after })}\n`;
