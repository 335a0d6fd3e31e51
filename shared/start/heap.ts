import { setFlagsFromString } from "node:v8";

/** How much the heap may grow until all of it is collected, percent. */
const growthPercent = 100;

/**
 * Lets the heap double between two collections of all of it. By itself, V8 would let that of a service that mostly holds rooms and
 * connections grow by a sixth, and each collection takes most of the main thread for half a second with 20,000 connections. When
 * a program allocates fast, V8 lets its heap grow by more than this.
 */
export function letHeapGrow(): void {
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
}
