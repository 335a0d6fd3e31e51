import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

const serviceFolder = fileURLToPath(new URL("../../../", import.meta.url));

/** Loads the extensions that `HUBBUB_EXTENSIONS` names. Called before our tables load, which they add to. */
export async function loadNamedExtensions(): Promise<void> {
  const folders = (process.env.HUBBUB_EXTENSIONS ?? "").split(",").map((folder) => folder.trim());
  const named = folders.filter((folder) => folder !== "");
  if (named.length === 0) return;
  const { loadExtensions } = await import("./load-extensions.ts");
  await loadExtensions(named.map((folder) => resolve(serviceFolder, folder)));
}
