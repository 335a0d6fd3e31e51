import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { currentBundle } from "./shared/start/bundle.ts";

// It may name extensions.
const file = fileURLToPath(new URL(".env", import.meta.url));
if (process.env.NODE_ENV !== "test" && existsSync(file)) process.loadEnvFile(file);

/** The bundle starts sooner. It never stands in for sources that have changed since, and extensions import sources. */
const bundle = process.env.HUBBUB_EXTENSIONS ? undefined : currentBundle();
const { runCommand } = (await (bundle
  ? import(bundle)
  : import("./shared/main/cli.ts"))) as typeof import("./shared/main/cli.ts");
await runCommand();
