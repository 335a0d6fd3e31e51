import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import express, { type RequestHandler } from "express";

/** Below which path the built files are served, as `vite.config.ts` writes into them. */
export const builtPath = "/web";

const folder = fileURLToPath(new URL("./dist", import.meta.url));

/** The command that builds the pages. `npm ci` runs it, too. */
export const buildCommand = "npm run prepare";

/** What a page of this entry loads. */
export interface BuiltFiles {
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
}

interface Chunk {
  readonly file: string;
  readonly css?: readonly string[];
  /** The keys of chunks that it shares with other pages. */
  readonly imports?: readonly string[];
}
type Manifest = Record<string, Chunk>;

/** Returns the files of an entry of `vite.config.ts`, such as `demo/main.tsx`; undefined if the pages weren't built. */
export function builtFiles(entry: string): BuiltFiles | undefined {
  let manifest: Manifest;
  try {
    manifest = JSON.parse(readFileSync(`${folder}/manifest.json`, "utf8")) as Manifest;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  const chunk = manifest[entry];
  if (!chunk) return undefined;
  const url = (file: string) => `${builtPath}/${file}`;
  return { scripts: [url(chunk.file)], styles: [...stylesOf(manifest, entry)].map(url) };
}

/** Returns the styles of a chunk, after those of what it imports. */
function stylesOf(manifest: Manifest, key: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(key)) return new Set();
  seen.add(key);
  const { imports = [], css = [] } = manifest[key]!;
  return new Set([...imports.flatMap((one) => [...stylesOf(manifest, one, seen)]), ...css]);
}

/** Serves the built files. Their names contain a hash of their contents, so that browsers never ask for them again. */
export const builtAssets: RequestHandler = express.static(`${folder}/assets`, {
  index: false,
  redirect: false,
  immutable: true,
  maxAge: "1y",
});
