import { currentBundle } from "./shared/start/bundle.ts";

/** The bundle starts sooner. It never stands in for sources that have changed since. */
const bundle = currentBundle();
const { runCommand } = (await (bundle
  ? import(bundle)
  : import("./shared/main/cli.ts"))) as typeof import("./shared/main/cli.ts");
await runCommand();
