import { setFlagsFromString } from "node:v8";

/** How much the heap may grow until all of it is collected, percent. */
const growthPercent = 100;

/**
 * Lets the heap double between two collections of all of it, however fast the program allocates. By itself, V8 would
 * let that of a service that mostly holds rooms and connections grow by a sixth, and each collection takes most of the
 * main thread for half a second with 20,000 connections.
 */
export function letHeapGrow(): void {
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
}
