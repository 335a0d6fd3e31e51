import { fileURLToPath } from "node:url";

/** Where Node keeps compiled modules, for tests and the services that they start: half of a start is compilation. */
export const compileCache = fileURLToPath(new URL("../../node_modules/.cache/node", import.meta.url));
