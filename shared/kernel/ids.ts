import { randomUUID } from "node:crypto";
import { v7, validate } from "uuid";

/** The time of the latest ID, milliseconds, how IDs of that time begin, and how many there are already. */
let [latestMs, beginning, count] = [0, "", 0];
const countMax = 0xfff;

let readTime = (): number => Date.now();

/** Lets IDs say another time, until it is called without one. For a process that only writes down what happened. */
export function dateIds(now: () => number = () => Date.now()): void {
  readTime = now;
  latestMs = 0;
}

function advanceTo(ms: number): void {
  const time = ms.toString(16).padStart(12, "0");
  [latestMs, beginning, count] = [ms, `${time.slice(0, 8)}-${time.slice(8)}-7`, 0];
}

/**
 * Returns a new ID (UUIDv7). IDs sort by creation time and serve as cursors; those of this process sort in their order.
 * The random part is that of a `randomUUID`, which draws the bits for many at once: the library takes several times as
 * long.
 */
export function newId(): string {
  const nowMs = readTime();
  if (nowMs > latestMs) advanceTo(nowMs);
  else if (++count > countMax) advanceTo(latestMs + 1);
  return `${beginning}${count.toString(16).padStart(3, "0")}${randomUUID().slice(18)}`;
}

/**
 * Returns a new ID that sorts after `previous`, even if the clocks of the processes differ. For consecutive items of
 * one series.
 */
export function newIdAfter(previous: string | null): string {
  const id = newId();
  if (previous === null || id > previous) return id;
  return v7({ msecs: timeOfId(previous) + 1 });
}

/** Returns the creation time of an ID, milliseconds since 1970. */
export const timeOfId = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** Returns a value that sorts before all IDs created at this time or later, and after all earlier ones. */
export function firstIdAt(atMs: number): string {
  const time = Math.floor(atMs).toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

export const isId = (value: unknown): value is string => typeof value === "string" && validate(value);
