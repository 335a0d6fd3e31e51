import { fileURLToPath } from "node:url";
import { loadExtensions } from "../main/extensions/load-extensions.ts";

export { loadNamedExtensions } from "../main/extensions/load-named-extensions.ts";

/** The plays that we ship. */
export const playFolders = ["battles", "levels", "lucky-gifts", "missions", "red-packets"].map((play) =>
  fileURLToPath(new URL(`../extensions/${play}`, import.meta.url)),
);

/**
 * Loads the plays into this process. Our tables load after extensions, so a test file calls this before it
 * imports anything that reads them, and has a process of its own.
 */
export const loadPlays = (): Promise<void> => loadExtensions(playFolders);
