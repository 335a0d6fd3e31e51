import { createHash, createHmac } from "node:crypto";

/**
 * Merkle trees as in RFC 6962: a leaf is hashed after a byte 0, two nodes after a byte 1, and a node without a
 * neighbour goes up as it is.
 */

const sha256 = (...parts: readonly (Buffer | string)[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();

const [leafByte, nodeByte] = [Buffer.of(0), Buffer.of(1)];

/** Returns the salt of an entry, from that of its ledger transaction: who knows it can't compute another's. */
export const entrySalt = (salt: Buffer, entryId: string): Buffer =>
  createHmac("sha256", salt).update(entryId).digest().subarray(0, 16);

export const entryLeaf = (salt: Buffer, text: string): Buffer => sha256(leafByte, salt, text);

/** Returns all levels of a tree, from its leaves to its root. */
export function levelsOf(leaves: readonly Buffer[]): Buffer[][] {
  const levels = [[...leaves]];
  for (let level = levels[0]!; level.length > 1; levels.push(level)) {
    const below = level;
    level = [];
    for (let index = 0; index < below.length; index += 2) {
      const [left, right] = [below[index]!, below[index + 1]];
      level.push(right ? sha256(nodeByte, left, right) : left);
    }
  }
  return levels;
}

export const rootOf = (leaves: readonly Buffer[]): Buffer => levelsOf(leaves).at(-1)![0]!;

/**
 * Returns the nodes that lead from a leaf to the root: each `left:` or `right:` of what it is hashed with, hexadecimal.
 */
export function pathOf(levels: readonly (readonly Buffer[])[], index: number): string[] {
  const path: string[] = [];
  let place = index;
  for (const level of levels.slice(0, -1)) {
    const neighbour = level[place ^ 1];
    if (neighbour) path.push(`${place % 2 ? "left" : "right"}:${neighbour.toString("hex")}`);
    place = Math.floor(place / 2);
  }
  return path;
}
