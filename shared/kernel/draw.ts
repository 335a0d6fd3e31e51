import { createHash, createHmac, randomBytes } from "node:crypto";

/** The most outcomes that a draw can have. */
export const blockRange = 2 ** 32;

/** Creates a seed: 256 bits, as 64 hexadecimal digits. */
export const newSeed = (): string => randomBytes(32).toString("hex");

/** Returns what is published of a seed before its last draw: the SHA-256 of its text, hexadecimal. */
export const hashSeed = (seed: string): string => createHash("sha256").update(seed).digest("hex");

/**
 * Makes draw number `index` of a seed: 0 to `below` - 1. It takes the first four bytes (big endian) of
 * HMAC-SHA256(seed, "index:attempt"), with attempt from 0, and tries the next attempt while they are at or above the
 * largest multiple of `below`, so that no number is more likely.
 */
export function drawOf(seed: string, index: number, below: number): number {
  const limit = blockRange - (blockRange % below);
  for (let attempt = 0; ; attempt += 1) {
    const block = createHmac("sha256", seed).update(`${index}:${attempt}`).digest().readUInt32BE(0);
    if (block < limit) return block % below;
  }
}
