import { openDatabase } from "#shared/db/sequelize.ts";
import { configureSinks, startSinks } from "#shared/domain/operations/sinks/run-sinks.ts";

/** Tends a sink in a process of its own, for tests that kill it: `node sink-process.ts <database> <url>`. */
const [databaseUrl, url] = process.argv.slice(2) as [string, string];

await openDatabase(databaseUrl);
configureSinks([url]);
await startSinks();
process.on("disconnect", () => process.exit());
process.send?.("ready");
