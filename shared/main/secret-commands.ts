import type { Command } from "commander";
import { configureAdminTokens, deriveAdminSecret } from "#shared/domain/operations/admins/admin-token.ts";
import { resealAll } from "#shared/domain/operations/secrets/reseal.ts";
import { configureSealing, deriveEncryptionKey } from "#shared/kernel/seal.ts";
import type { Config } from "#shared/start/config.ts";
import { withDatabase } from "#shared/start/service-database.ts";
import { configureAudit } from "./audit-commands.ts";

/**
 * Sets the keys of administrators, of the audit log, and of stored secrets. Returns the JWT secret, the default of all.
 */
export async function configureSecrets(config: Config): Promise<string> {
  const jwtSecret = await configureAudit(config);
  const adminSecret = config.adminJwtSecret ?? deriveAdminSecret(jwtSecret);
  configureAdminTokens(adminSecret);
  configureSealing({ secrets: config.encryptionKeys ?? [deriveEncryptionKey(jwtSecret)], adminSecret });
  return jwtSecret;
}

/** Adds the command that encrypts stored secrets with the current key. */
export function addSecretCommands(program: Command, readConfig: () => Config): void {
  const print = (text: string): void => void process.stdout.write(`${text}\n`);

  program
    .command("secrets-rotate")
    .description("encrypt all stored secrets with the first key of ENCRYPTION_KEY, also while the service is running")
    .action(async () => {
      const config = readConfig();
      await configureSecrets(config);
      const resealed = await withDatabase(config, { command: "secrets-rotate", migrated: false }, resealAll);
      for (const { column, changed, lost } of resealed)
        print(`${column}: ${changed} encrypted with the current key${lost > 0 ? `, ${lost} can't be decrypted` : ""}.`);
      const lost = resealed.some((column) => column.lost > 0);
      print(lost ? "Some secrets need a key that isn't in ENCRYPTION_KEY." : "Other keys are no longer needed.");
      process.exitCode = lost ? 1 : 0;
    });
}
