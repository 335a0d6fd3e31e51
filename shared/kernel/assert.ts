/** Throws if a condition that must always hold does not. A failed assertion is a bug, not a client error. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`Assertion failed: ${message}`);
}
