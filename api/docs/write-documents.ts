import { cp, mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Actors } from "#shared/contracts/actors.ts";
import { allApis } from "../apis.ts";
import { asyncApi } from "./asyncapi.ts";
import { clientTypes } from "./client-types.ts";
import { openApi } from "./openapi.ts";

/** Describing an operation calls none: no actor is needed, and no database. */
const unused = (): never => {
  throw new Error("A document calls no actor.");
};
const root = fileURLToPath(new URL("../..", import.meta.url));
const actors: Actors = { voice: unused, lobby: unused, game: unused, settleCounts: unused };

/**
 * Writes the OpenAPI document of each API and `asyncapi.json` into a folder, which is created. Returns their paths.
 * @param address the public URL of the service
 */
export async function writeDocuments(folder: string, address: string): Promise<string[]> {
  const documents: Record<string, object> = { "asyncapi.json": asyncApi(address) };
  for (const api of allApis({ actors })) documents[api.document.file] = await openApi(api);
  const written = Object.entries(documents).map(async ([name, document]) => {
    const path = resolve(join(folder, name));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, `${JSON.stringify(document, null, 2)}\n`);
    return path;
  });
  return Promise.all(written);
}

/** Returns the generated modules of the typed client by their paths in the source tree. */
export async function clientModules(): Promise<Record<string, string>> {
  const [social, admin] = allApis({ actors });
  return {
    "shared/client/social.generated.ts": await clientTypes(social, "app"),
    "shared/client/admin.generated.ts": await clientTypes(admin, "operator"),
  };
}

/**
 * Writes the generated modules of the typed client into the source tree; or into a folder, which is created, with the
 * other modules of the client. Returns their paths.
 */
export async function writeClientModules(folder?: string): Promise<string[]> {
  const sources = join(root, "shared/client");
  const isOther = (path: string) => !/\.(?:test|generated)\.ts$|README|json$/.test(path);
  if (folder) await cp(sources, folder, { recursive: true, filter: isOther });
  const modules = Object.entries(await clientModules()).map(
    ([path, text]) => [join(folder ? resolve(folder) : sources, basename(path)), text] as const,
  );
  await Promise.all(modules.map(([path, text]) => writeFile(path, text)));
  return modules.map(([path]) => path);
}
