import { Command } from "commander";
import { assertCommand } from "#shared/kernel/assert-command.ts";
import { configureLogger } from "#shared/kernel/logger.ts";
import { type Config, loadConfig, misspelledVariables } from "#shared/start/config.ts";
import { findClaim, prepareDataFolder } from "#shared/start/data-folder.ts";
import { assertPortFree } from "#shared/start/http-server.ts";
import { reportFailure, type Service, serve } from "#shared/start/serve.ts";
import { startDatabase } from "#shared/start/start-database.ts";
import { loadNamedExtensions } from "./extensions/load-named-extensions.ts";

/** Reads the environment, and configures the logger. */
function readConfig(): Config {
  const config = loadConfig(process.env);
  configureLogger({ level: config.logLevel, pretty: process.stdout.isTTY });
  for (const text of misspelledVariables(process.env)) console.error(text);
  return config;
}

/** Starts the service. Its modules load while the database starts. */
async function start(onLost: () => void): Promise<Service> {
  const config = readConfig();
  // Also with a database and secrets of its own: signed heads are kept there.
  await prepareDataFolder(config.dataDir);
  // Before a database is made. A service that holds the folder is named with its process, instead of its port.
  if (config.databaseUrl || !(await findClaim(config.dataDir))) await assertPortFree(config.host, config.port);
  const load = () => import("./service.ts");
  const database = await startDatabase(config, "start", onLost, load);
  const { startService } = await load().catch(async (error: unknown) => {
    await database.release();
    throw error;
  });
  return startService(config, database);
}

async function commandsFor(name: string | undefined): Promise<Command> {
  const program = new Command("hubbub").description("The backend of a social live-audio app.");
  program
    .command("start", { isDefault: true })
    .description("run the service (environment variables: see .env.example)")
    .action(() => serve(start));
  // A start doesn't wait for the modules of the other commands.
  if (name !== undefined && name !== "start") (await import("./commands.ts")).addCommands(program, readConfig);
  return program;
}

/** Runs the command that this process was started with. */
export async function runCommand(): Promise<void> {
  const [, , name] = process.argv;
  try {
    // What only prints the configuration needs none.
    if (name !== "config") await loadNamedExtensions();
    const program = await commandsFor(name);
    // Commander would take an unknown command for an argument of `start`.
    assertCommand(program, name);
    await program.parseAsync();
  } catch (error) {
    reportFailure(error);
  }
}
