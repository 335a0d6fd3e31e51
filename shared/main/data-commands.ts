import { randomBytes } from "node:crypto";
import type { Command } from "commander";
import { jobs } from "#shared/db/jobs.ts";
import { boundaries, dividableTables, divideDatabase } from "#shared/db/partition-table.ts";
import { configureAccounts } from "#shared/domain/identity/accounts/account-steps.ts";
import { configurePayments } from "#shared/domain/money/payments/payments.config.ts";
import { moneyOfAccounts } from "#shared/domain/money/signup/signup-bonus.ts";
import { createSuperAdmin } from "#shared/domain/operations/admins/create-super-admin.ts";
import { seedDemo } from "#shared/domain/operations/demo/seed-demo.ts";
import { makeWorld } from "#shared/domain/operations/demo/world/make-world.ts";
import { removeWorld } from "#shared/domain/operations/demo/world/remove-world.ts";
import { backfillStatistics } from "#shared/domain/operations/statistics/count-statistics.ts";
import { OperatorError } from "#shared/kernel/operator-error.ts";
import { setPublicAddress } from "#shared/kernel/public-address.ts";
import type { Config } from "#shared/start/config.ts";
import { environment } from "#shared/start/environment.ts";
import { readPassword } from "#shared/start/read-password.ts";
import { withDatabase } from "#shared/start/service-database.ts";
import { databaseName } from "#shared/start/start-database.ts";
import { paymentsSetup } from "./payments-setup.ts";
import { configureSecrets } from "./secret-commands.ts";

const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** Adds the commands that prepare and verify the database. */
export function addDataCommands(program: Command, readConfig: () => Config): void {
  program
    .command("migrate")
    .description("apply pending migrations")
    .action(() => migrateCommand(readConfig()));
  program
    .command("partition")
    .description("divide the tables that grow with all that happens by month, also while the service is running")
    .action(() => partitionCommand(readConfig()));
  program
    .command("seed")
    .description("add missing demo data")
    .action(() => seedCommand(readConfig()));
  program
    .command("demo-remove")
    .description("erase the demo people and all that they did; the service does it, now or once it runs")
    .action(() => removeDemoCommand(readConfig()));
  program
    .command("create-admin")
    .description("create a super administrator")
    .requiredOption("--email <address>", "email address to log in with")
    .option("--name <name>", "full name", "Administrator")
    .option("--password-stdin", "read the password from stdin instead of asking for it; 12 to 128 characters")
    .action((options: AdminOptions) => createAdminCommand(readConfig(), options));
  program
    .command("charts-backfill")
    .description("count all figures of the charts again, also while the service is running")
    .action(() => backfillCommand(readConfig()));
}

async function backfillCommand(config: Config): Promise<void> {
  const days = await withDatabase(config, { command: "charts-backfill", migrated: false }, async () => {
    let counted = 0;
    await backfillStatistics((date) => {
      counted += 1;
      if (counted === 1 || date.endsWith("-01")) print(`Counting from ${date} …`);
    });
    return counted;
  });
  print(`Counted ${days} days.`);
}

async function migrateCommand(config: Config): Promise<void> {
  const applied = await withDatabase(config, { command: "migrate", migrated: true }, async (names) => names);
  print(applied.length > 0 ? `Applied:\n${applied.join("\n")}` : "No pending migrations.");
}

async function partitionCommand(config: Config): Promise<void> {
  const options = { command: "partition", migrated: true };
  const divided = await withDatabase(config, options, (_applied, url) =>
    divideDatabase(url, boundaries(dividableTables)),
  );
  for (const { table, heldMs } of divided) print(`Divided ${table}. It was locked for ${Math.ceil(heldMs)} ms.`);
  if (divided.length === 0) print("All tables are divided.");
}

async function seedCommand(config: Config): Promise<void> {
  if (config.environment === "production")
    throw new OperatorError("Demo users have public passwords, so `seed` doesn't run in production.");
  await configureSecrets(config);
  configureAccounts(moneyOfAccounts);
  configurePayments(await paymentsSetup(config));
  // Of the pictures, and in what the sandbox says of a checkout, which no one sees.
  setPublicAddress(config.publicUrl ?? `http://${config.host}:${config.port}`);
  const { logins, isWorldMade } = await withDatabase(config, { command: "seed", migrated: true }, async () => ({
    logins: await seedDemo(),
    isWorldMade: await withJobs(() => makeWorld()),
  }));
  print(`Seeded. Demo logins: ${logins.map(({ username, password }) => `${username} / ${password}`).join(", ")}`);
  if (!isWorldMade) print("The demo world wasn't made: there are other users, or demo people were changed.");
}

/** Commands of the domain enqueue jobs, which the service runs. */
export async function withJobs<T>(work: () => Promise<T>): Promise<T> {
  await jobs.start({ work: false });
  return work().finally(() => jobs.stop());
}

async function removeDemoCommand(config: Config): Promise<void> {
  const count = await withDatabase(config, { command: "demo-remove", migrated: true }, () =>
    withJobs(() => removeWorld()),
  );
  print(`The service erases ${count} demo people, with their rooms. Gifts, packages, and the catalogue stay.`);
}

interface AdminOptions {
  readonly email: string;
  readonly name: string;
  readonly passwordStdin?: true;
}

async function createAdminCommand(config: Config, options: AdminOptions): Promise<void> {
  const chosen = await readPassword(options.passwordStdin === true);
  const password = chosen || randomBytes(15).toString("base64url");
  if (environment.ADMIN_EMAIL.validate(options.email).error)
    throw new OperatorError(`"${options.email}" isn't a valid email address.`);
  if (environment.ADMIN_PASSWORD.validate(password).error)
    throw new OperatorError("The password must be 12 to 128 characters long.");
  const admin = { email: options.email, fullName: options.name, password };
  const created = await withDatabase(config, { command: "create-admin", migrated: true }, () =>
    createSuperAdmin(admin),
  );
  const where = databaseName(config);
  if (!created)
    throw new OperatorError(`The administrator ${options.email} already exists in the ${where}. Nothing was changed.`);
  print(`Created the administrator ${options.email} in the ${where}.${chosen ? "" : ` Password: ${password}`}`);
}
