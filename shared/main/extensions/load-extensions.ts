import { existsSync, realpathSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { flag } from "#shared/contracts/fields.ts";
import type { Tx } from "#shared/db/transaction.ts";
import type { Extension, ExtensionSetting, Parts } from "#shared/extension/define.ts";
import { enabledSetting, type LoadedExtension, loadedExtensions, ownName, schemaOf } from "#shared/extension/loaded.ts";
import { watchedParts } from "#shared/extension/watched.ts";
import { addErrorCodes } from "#shared/kernel/error-codes.ts";
import { extend } from "#shared/kernel/extended.ts";
import { OperatorError } from "#shared/kernel/operator-error.ts";
import { addTexts } from "#shared/kernel/translate.ts";
import { within } from "#shared/kernel/within.ts";
import { gamesOf } from "./check-games.ts";
import { problemOfParts } from "./check-parts.ts";
import { guardImports } from "./guard-imports.ts";
import { boundPorts, makeHub } from "./hub.ts";
import { foreignTable } from "./own-sql.ts";

/** How long the modules of an extension may take to load, milliseconds. */
const loadWithinMs = 10_000;
const entries = ["index.ts", "index.js", "index.mjs"];

/**
 * Loads the extensions of these folders, and adds their parts to our tables, which load afterwards.
 * @throws OperatorError that says in one sentence what is wrong with one
 */
export async function loadExtensions(
  folders: readonly string[],
  { withinMs = loadWithinMs }: { readonly withinMs?: number } = {},
): Promise<void> {
  const places = folders.map(placeOf);
  guardImports(places.map(({ folder }) => folder));
  for (const { folder, entry } of places) {
    const extension = await named(folder, () => importOf(entry, withinMs));
    const { name } = extension;
    await named(name, async () => {
      const hub = makeHub(name);
      const given = await extension.parts(hub);
      const problem = problemOfParts(name, given);
      if (problem) throw new OperatorError(problem);
      const parts = watchedParts(name, given);
      const txOf: LoadedExtension["txOf"] = (tx) => boundPorts().txOf(name, tx as never);
      const loaded = { name, folder, parts, games: await gamesOf(parts.games), hub, txOf };
      await addParts(loaded);
      loadedExtensions.push(loaded);
    });
  }
}

function placeOf(given: string): { readonly folder: string; readonly entry: string } {
  const entry = entries.find((one) => existsSync(join(given, one)));
  if (!entry) throw new OperatorError(`The extension ${given} can't be loaded: it has no ${entries[0]}.`);
  const folder = realpathSync(given);
  return { folder, entry: join(folder, entry) };
}

/** Runs a step of loading. @throws OperatorError with the extension, and the reason on one line */
async function named<T>(name: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    const reason = String((error as Error)?.message ?? error)
      .split("\n")[0]!
      .replace(/\.$/, "");
    throw new OperatorError(`The extension ${name} can't be loaded: ${reason}.`, { cause: error });
  }
}

async function importOf(entry: string, withinMs: number): Promise<Extension> {
  const imported = import(pathToFileURL(entry).href) as Promise<{ default?: Partial<Extension> }>;
  const { default: found } = await within(withinMs, imported, `its modules take longer than ${withinMs / 1000} s`);
  if (typeof found?.parts !== "function" || typeof found.name !== "string")
    throw new OperatorError("its default export isn't that of `defineExtension`");
  const { name } = found;
  if (!/^[a-z][a-z_]{0,28}[a-z]$/.test(name)) throw new OperatorError(`its name ${name} isn't 2 to 30 of a-z and _`);
  if (loadedExtensions.some((other) => other.name === name)) throw new OperatorError(`the name ${name} is taken`);
  return found as Extension;
}

const keyed = <T>(rows: Readonly<Record<string, T>> = {}, change: (row: T, name: string) => unknown) =>
  Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, change(row, name)]));

/** Adds an extension to our tables. Its routes, jobs, and hooks are read where they run. */
async function addParts({ name, folder, parts, games, txOf }: LoadedExtension): Promise<void> {
  addErrorCodes(parts.errors ?? {});
  const enabled: ExtensionSetting = {
    schema: flag(),
    fallback: true,
    description: `Whether the extension ${name} is on. ${parts.summary}`,
  };
  extend("settings", { [enabledSetting(name)]: enabled, ...parts.settings });
  extend("permissions", {
    [name]: true,
    ...Object.fromEntries((parts.records ?? []).map(({ table }) => [table, true])),
  });
  extend(
    "actions",
    keyed(parts.actions, (action) => ({ errors: [], ...action, origin: "extension" })),
  );
  extend(
    "events",
    keyed(parts.events, (event) => ({ ...event, origin: "extension" })),
  );
  extend("games", Object.fromEntries(games.map(({ shape }) => [shape.meta.type, shape])));
  extend("kinds", parts.publishes ?? {});
  extend("causes", causesOf(name, parts));
  if (parts.causes) extend("houses", { [schemaOf(name)]: true });
  extend("tags", { [name]: parts.summary });
  const { erase, exports = {} } = parts;
  extend(
    "exports",
    Object.fromEntries(
      Object.entries(exports).map(([file, sql]) => [
        `${name.replaceAll("_", "-")}-${file}`,
        assertOwnSql(name, sql, "export"),
      ]),
    ),
  );
  for (const { invariants = {} } of Object.values(parts.workloads ?? {}))
    for (const sql of Object.values(invariants)) assertOwnSql(name, sql, "invariant");
  if (erase) extend("erasures", { [name]: (tx: Tx, userId: string) => erase(txOf(tx), userId) });
  addTexts(parts.texts ?? {});
  extend("migrations", await migrationsOf(name, folder));
}

/** Returns the SQL. @throws OperatorError if it names tables of others */
function assertOwnSql(name: string, sql: string, of: "export" | "invariant"): string {
  const foreign = foreignTable(name, sql);
  if (foreign) throw new OperatorError(`its ${of} may not use ${foreign}`);
  return sql;
}

/** The columns of our causes; what the SQL of an extension doesn't say is not compared. */
const causesOf = (name: string, { causes = {} }: Parts) =>
  Object.fromEntries(
    Object.entries(causes).map(([cause, { title, entries }]) => [
      ownName(name, cause),
      {
        title,
        entries: `SELECT e.id, e.account, 'extension', 'coins'::text, e.amount::bigint, NULL::bigint, NULL::text,
          NULL::uuid, NULL::timestamptz, NULL::text FROM (${entries}) AS e (id, account, amount)`,
      },
    ]),
  );

/** Returns the migrations in the extension's folder, by names that are unique in the service. */
async function migrationsOf(name: string, folder: string): Promise<Record<string, unknown>> {
  const from = join(folder, "migrations");
  const files = existsSync(from) ? (await readdir(from)).filter((file) => /\.[jt]s$/.test(file)).sort() : [];
  const found = files.map(async (file) => {
    const migration = (await import(pathToFileURL(join(from, file)).href)) as { up?: unknown };
    if (typeof migration.up !== "function") throw new OperatorError(`its migration ${file} exports no \`up\``);
    return [ownName(name, file.replace(/\.[jt]s$/, "")), { ...migration, schema: schemaOf(name) }] as const;
  });
  return Object.fromEntries(await Promise.all(found));
}
