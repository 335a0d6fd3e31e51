import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** What a bundle was made from. */
export interface BundleManifest {
  readonly hash: string;
  /** Paths in the repository. */
  readonly sources: readonly string[];
}

const ownFolder = fileURLToPath(new URL("../../", import.meta.url));

/** Where `make-bundle.ts` writes the sources and their packages as few files, which load in half the time. */
export const bundleFolder = "dist/server";

/** The manifest in that folder, which is written last. */
export const manifestName = "sources.json";

/**
 * Returns the URL of the bundle; undefined if there is none, or if a source or a package has changed since it was made.
 */
export function currentBundle(root = ownFolder): string | undefined {
  try {
    const manifest = readFileSync(join(root, bundleFolder, manifestName), "utf8");
    const { hash, sources } = JSON.parse(manifest) as BundleManifest;
    return hashOf(sources, root) === hash ? pathToFileURL(join(root, bundleFolder, "cli.js")).href : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Returns the hash of the contents of these sources and of the versions of all packages. */
export function hashOf(sources: readonly string[], root = ownFolder): string {
  const hash = createHash("sha256");
  for (const path of ["package-lock.json", ...sources])
    hash.update(`\n${path}\n`).update(readFileSync(join(root, path)));
  return hash.digest("hex");
}
