import { assert } from "./assert.ts";

/**
 * Asserts that a library still has the private parts that one of our files uses, by name. They have no version: an
 * update may remove them, and what relied on them would fail late, or silently.
 */
export function assertInternals(library: string, parts: Readonly<Record<string, boolean>>): void {
  const missing = Object.keys(parts).filter((name) => !parts[name]);
  assert(missing.length === 0, `${library} has ${missing.join(", ")}`);
}
