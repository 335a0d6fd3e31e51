import type { Command } from "commander";
import { poolSizes } from "#shared/db/pools.ts";
import { loadedExtensions } from "#shared/extension/loaded.ts";
import { OperatorError } from "#shared/kernel/operator-error.ts";
import { type Config, effectiveEnvironment, exampleEnvironment } from "#shared/start/config.ts";
import { connectionCounts } from "#shared/start/connection-counts.ts";
import { writeClientModules, writeDocuments } from "../../api/docs/write-documents.ts";
import { addAuditCommands } from "./audit-commands.ts";
import { addBackupCommands } from "./backup-commands.ts";
import { addDataCommands } from "./data-commands.ts";
import { addEventCommands } from "./event-commands.ts";
import { addPaymentCommands } from "./payment-commands.ts";
import { addSecretCommands } from "./secret-commands.ts";

const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** Adds all commands except `start`. */
export function addCommands(program: Command, readConfig: () => Config): void {
  addDataCommands(program, readConfig);
  addAuditCommands(program, readConfig);
  addPaymentCommands(program, readConfig);
  addBackupCommands(program, readConfig);
  addEventCommands(program, readConfig);
  addSecretCommands(program, readConfig);
  program
    .command("openapi")
    .description("write openapi.json and asyncapi.json to a folder, without a database")
    .argument("[folder]", "folder to write to", "dist")
    .action((folder: string) => openApiCommand(readConfig(), folder));
  program
    .command("client-types")
    .description("write the generated modules of the typed client, without a database")
    .argument("[folder]", "folder to write a client with the operations of your extensions to")
    .action(clientTypesCommand);
  program
    .command("config")
    .description("print the current configuration without secrets")
    .option("--example", "print .env.example instead")
    .action(({ example }: { example?: true }) => configCommand(readConfig, example));
}

/** The client of the service itself has no operations of extensions. */
async function clientTypesCommand(folder?: string): Promise<void> {
  if (!folder && loadedExtensions.length > 0)
    throw new OperatorError(
      "With HUBBUB_EXTENSIONS, name a folder to write a client of your own to: npm run client:types -- my-client",
    );
  print(`Wrote:\n${(await writeClientModules(folder)).join("\n")}`);
}

async function openApiCommand({ publicUrl, port }: Config, folder: string): Promise<void> {
  const paths = await writeDocuments(folder, publicUrl ?? `http://127.0.0.1:${port}`);
  print(`Wrote:\n${paths.join("\n")}`);
}

function configCommand(readConfig: () => Config, example = false): void {
  if (example) return void process.stdout.write(exampleEnvironment());
  const { roles, databaseDirectUrl, databaseReplica } = readConfig();
  process.stdout.write(effectiveEnvironment(process.env));
  const { pools, direct } = connectionCounts(roles);
  print(
    databaseDirectUrl
      ? `\nThis process opens at most ${pools} connections to the pooler and ${direct} to PostgreSQL.`
      : `\nThis process opens at most ${pools + direct} connections to PostgreSQL.`,
  );
  if (databaseReplica) print(`It opens at most ${poolSizes.replica} to the replica.`);
}
