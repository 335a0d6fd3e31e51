import { currentBundle } from "./shared/start/bundle.ts";

/** The bundle starts sooner. It never stands in for sources that have changed since. */
const bundle = currentBundle();
const { runCommand } = (await (bundle ? import(bundle) : import("./cli.ts"))) as typeof import("./cli.ts");
await runCommand();
