import { v7, validate } from "uuid";

/** A new id: UUIDv7, so that ids sort by the time they were made and serve as cursors. */
export const newId = (): string => v7();

/**
 * A new id that sorts after `previous`, whatever the clocks of the processes that made the two say. For things of one
 * series, made one after the other.
 */
export function newIdAfter(previous: string | null): string {
  const id = newId();
  if (previous === null || id > previous) return id;
  const msecs = Number.parseInt(previous.slice(0, 8) + previous.slice(9, 13), 16);
  return v7({ msecs: msecs + 1 });
}

export const isId = (value: unknown): value is string => typeof value === "string" && validate(value);
