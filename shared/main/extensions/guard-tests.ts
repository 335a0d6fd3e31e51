import { realpathSync } from "node:fs";
import { guardImports } from "./guard-imports.ts";

/** Preloaded by `npm run extension -- test DIR`: tests find the ports, and nothing else of ours, from any folder. */
guardImports([realpathSync(process.env.HUBBUB_TESTED_EXTENSION!)]);
