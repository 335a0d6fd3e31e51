import type { Command } from "commander";
import { loadSettings } from "#shared/domain/base/settings/settings.ts";
import { configurePayments } from "#shared/domain/money/payments/payments.config.ts";
import { reconcileProviders, yesterday } from "#shared/domain/money/reconciliation/reconcile-providers.ts";
import { configureGooglePlay } from "#shared/domain/money/stores/google/google.config.ts";
import { configureStores } from "#shared/domain/money/stores/stores.config.ts";
import { OperatorError } from "#shared/kernel/operator-error.ts";
import type { Config } from "#shared/start/config.ts";
import { withDatabase } from "#shared/start/service-database.ts";
import { withJobs } from "./data-commands.ts";
import { paymentsSetup } from "./payments-setup.ts";
import { googlePlaySetup, storesSetup } from "./stores-setup.ts";

const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** Adds the command that compares the books of the payment providers with ours. */
export function addPaymentCommands(program: Command, readConfig: () => Config): void {
  program
    .command("payments-reconcile")
    .description(
      "compare the books of the payment providers of a day with ours, also while the service is running; print what differs and exit with code 1 if something is left",
    )
    .option("--day <YYYY-MM-DD>", "a day that is over, UTC (default: yesterday)")
    .action(async ({ day = yesterday() }: { day?: string }) => {
      if (!isDay(day) || day > yesterday())
        throw new OperatorError(`"${day}" isn't a day that is over, such as ${yesterday()}.`);
      process.exitCode = (await reconcileCommand(readConfig(), day)) === 0 ? 0 : 1;
    });
}

const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true;

/** Returns how many differences are left. */
async function reconcileCommand(config: Config, day: string): Promise<number> {
  configurePayments(await paymentsSetup(config));
  configureStores(await storesSetup(config));
  configureGooglePlay(googlePlaySetup(config));
  let left = 0;
  await withDatabase(config, { command: "payments-reconcile", migrated: false }, async () => {
    // Receipts of what is settled name the seller.
    await loadSettings();
    await withJobs(() =>
      reconcileProviders(day, (provider, { entries, findings }) => {
        for (const finding of findings) print(JSON.stringify(finding));
        const open = findings.filter(({ status }) => status === "open").length;
        print(`${provider}, ${day} UTC: ${entries} entries, ${findings.length} differences, ${open} of them left.`);
        left += open;
      }),
    );
  });
  return left;
}
