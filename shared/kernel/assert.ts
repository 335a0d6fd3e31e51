/** Ends the current call when something that must hold does not: a fault of ours, never of the caller. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`Assertion failed: ${message}`);
}
