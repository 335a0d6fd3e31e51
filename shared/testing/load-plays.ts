import { fileURLToPath } from "node:url";
import { loadExtensions } from "../main/extensions/load-extensions.ts";

const plays = ["battles", "levels", "lucky-gifts", "missions", "red-packets"];

/**
 * Loads the plays that we ship into this process. Our tables load after extensions, so a test file calls this before it
 * imports anything that reads them, and has a process of its own.
 */
export const loadPlays = (): Promise<void> =>
  loadExtensions(plays.map((play) => fileURLToPath(new URL(`../extensions/${play}`, import.meta.url))));
