import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import { type Command, InvalidArgumentError } from "commander";
import { checkLedger } from "#shared/domain/money/ledger/check-ledger.ts";
import { archiveAuditLog, archiveMonthsMin } from "#shared/domain/operations/admins/archive-audit-log.ts";
import { checkAuditLog, exportAuditLog } from "#shared/domain/operations/admins/audit-chain.ts";
import { checkLedgerChain, exportLedger } from "#shared/domain/operations/admins/ledger-chain.ts";
import { configureAuditSigning, deriveAuditSecret } from "#shared/domain/operations/admins/signed-heads.ts";
import type { Config } from "#shared/start/config.ts";
import { loadOrCreateSecret } from "#shared/start/data-folder.ts";
import { withDatabase } from "#shared/start/service-database.ts";

/**
 * Sets how the audit log is signed. Returns the JWT secret, which the keys of administrators are derived from by
 * default.
 */
export async function configureAudit({ jwtSecret, auditSigningKeys, dataDir }: Config): Promise<string> {
  const secret = jwtSecret ?? (await loadOrCreateSecret(dataDir, "jwt-secret"));
  configureAuditSigning({ secrets: auditSigningKeys ?? [deriveAuditSecret(secret)], folder: dataDir });
  return secret;
}

/** Returns what is wrong with the ledger or its chain. */
export async function ledgerDifferences(): Promise<string[]> {
  const { difference } = await checkLedgerChain();
  return [...(await checkLedger()), ...(difference ? [difference] : [])];
}

function monthsOf(text: string): number {
  const months = Number(text);
  if (!Number.isInteger(months) || months < archiveMonthsMin || months > 1200)
    throw new InvalidArgumentError(`It must be a whole number from ${archiveMonthsMin} to 1200.`);
  return months;
}

/**
 * Adds the commands that verify and export the audit log and the ledger. They also work while the service is running.
 */
export function addAuditCommands(program: Command, readConfig: () => Config): void {
  const print = (text: string): void => void process.stdout.write(`${text}\n`);

  async function run<T>(command: string, work: (databaseUrl: string) => Promise<T>): Promise<T> {
    const config = readConfig();
    await configureAudit(config);
    return withDatabase(config, { command, migrated: false }, (_applied, url) => work(url));
  }

  program
    .command("audit-check")
    .description("verify the audit log; print the first difference and exit with code 1 if there is one")
    .action(async () => {
      const { entries, difference } = await run("audit-check", checkAuditLog);
      print(difference ?? `The audit log is complete and unaltered: ${entries} entries.`);
      process.exitCode = difference ? 1 : 0;
    });
  program
    .command("ledger-check")
    .description(
      "verify the ledger and its chain, also while the service is running; print each error and exit with code 1 if there are any",
    )
    .action(async () => {
      const differences = await run("ledger-check", ledgerDifferences);
      for (const difference of differences) print(difference);
      print(differences.length === 0 ? "The ledger is consistent." : `Errors found: ${differences.length}.`);
      process.exitCode = differences.length === 0 ? 0 : 1;
    });
  program
    .command("audit-export")
    .description("write the audit log to a file that docs/verify-export.mjs verifies")
    .argument("[file]", "file to write", "audit.ndjson")
    .action(async (file: string) => {
      await run("audit-export", () => pipeline(Readable.from(exportAuditLog()), createWriteStream(file)));
      print(`Wrote ${file}. To verify it: node docs/verify-export.mjs ${file}`);
    });
  program
    .command("audit-archive")
    .description(
      "write what the audit log has of months long ago to a file that docs/verify-export.mjs verifies, and drop it from the database",
    )
    .argument("<file>", "file to write")
    .option("--months <n>", `how many whole months stay, ${archiveMonthsMin} at least`, monthsOf, 24)
    .action(async (file: string, { months }: { months: number }) => {
      const count = await run("audit-archive", (url) => archiveAuditLog(url, file, months));
      print(
        count === 0
          ? "An earlier archive has all entries of the partitions that are dropped now."
          : `Wrote ${count} entries to ${file}, which the database no longer has. Keep it. To verify it: node docs/verify-export.mjs ${file}`,
      );
    });
  program
    .command("ledger-export")
    .description("write the ledger to a file that docs/verify-export.mjs verifies")
    .argument("[file]", "file to write", "ledger.ndjson")
    .action(async (file: string) => {
      const count = await run("ledger-export", () => writeLedger(file));
      print(`Wrote ${count} ledger transactions to ${file}. To verify it: node docs/verify-export.mjs ${file}`);
    });
}

async function writeLedger(file: string): Promise<number> {
  const out = createWriteStream(file);
  const count = await exportLedger(async (line) => {
    if (!out.write(line)) await once(out, "drain");
  });
  await finished(out.end());
  return count;
}
