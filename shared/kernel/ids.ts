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
  return v7({ msecs: timeOfId(previous) + 1 });
}

/** When an id of ours was made, milliseconds since 1970. */
export const timeOfId = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** What sorts before every id that is made at this moment or later, and after every earlier one. */
export function firstIdAt(atMs: number): string {
  const time = Math.floor(atMs).toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

export const isId = (value: unknown): value is string => typeof value === "string" && validate(value);
