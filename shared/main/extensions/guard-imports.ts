import { registerHooks } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { OperatorError } from "#shared/kernel/operator-error.ts";

const root = new URL("../../../", import.meta.url);
/** What extensions may import of ours; the second in rules that run in a process of their own, the third in tests. */
const ports = ["#shared/extension/index.ts", "#shared/extension/game.ts", "#shared/extension/testing.ts"];

/**
 * Has modules in these folders import only the ports, files of their own folder, and packages: those of theirs, or of
 * the service. The ports are found from folders outside the repository, too.
 */
export function guardImports(folders: readonly string[]): void {
  const places = folders.map((folder) => pathToFileURL(`${folder}/`).href);
  registerHooks({
    resolve(specifier, context, next) {
      const place = places.find((one) => context.parentURL?.startsWith(one));
      if (!place || context.parentURL!.includes("/node_modules/")) return next(specifier, context);
      const asked = new URL(context.parentURL!).pathname;
      if (specifier.startsWith("#")) {
        if (!ports.includes(specifier)) throw privateImport(specifier, asked);
        return next(specifier.replace("#shared/", new URL("shared/", root).href), { ...context, parentURL: root.href });
      }
      const found = resolved(specifier, context, next);
      const isOwn =
        found.url.startsWith(place) || found.url.includes("/node_modules/") || found.url.startsWith("node:");
      if (!isOwn) throw privateImport(specifier, asked);
      return found;
    },
  });
}

const privateImport = (specifier: string, asked: string): OperatorError =>
  new OperatorError(
    `${fileURLToPath(new URL(asked, "file:///"))} imports ${specifier}, which is private: import from ${ports[0]}.`,
  );

type Resolve = NonNullable<Parameters<typeof registerHooks>[0]["resolve"]>;

/** A package that the extension doesn't bring is one of the service. */
function resolved(...[specifier, context, next]: Parameters<Resolve>): ReturnType<Resolve> {
  try {
    return next(specifier, context);
  } catch (error) {
    if (/^[./]/.test(specifier) || (error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    return next(specifier, { ...context, parentURL: new URL("main.ts", root).href });
  }
}
