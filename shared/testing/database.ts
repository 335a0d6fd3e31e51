import pg from "pg";
import { migrate } from "#shared/db/migrate.ts";
import { openDatabase } from "#shared/db/sequelize.ts";
import { configureAccounts } from "#shared/domain/identity/accounts/account-steps.ts";
import { moneyOfAccounts } from "#shared/domain/money/signup/signup-bonus.ts";
import { loadedExtensions } from "#shared/extension/loaded.ts";
import { assert } from "#shared/kernel/assert.ts";

/** URL of the test run's server, and its migrated, empty template database. */
export const serverVariable = "HUBBUB_TEST_SERVER";
export const templateName = "hubbub_template";

configureAccounts(moneyOfAccounts);

let opened: Promise<void> | undefined;

/**
 * Provides a real, migrated database to the tests of a `describe` or a whole file. Each worker process of mocha has one
 * database, because a process has one Sequelize instance. The test files of a worker share it, so tests must create
 * their own users and rooms and can't rely on empty tables.
 */
export function useDatabase(): void {
  before("opens the worker's database", async () => {
    opened ??= openOwn();
    await opened;
  });
}

async function openOwn(): Promise<void> {
  const url = await createDatabase({ migrated: true });
  if (loadedExtensions.length > 0) await migrate(url);
  await openDatabase(url);
}

/** Creates another database and returns its URL, for tests of migrations and of whole services. */
export async function createDatabase({ migrated }: { migrated: boolean }): Promise<string> {
  const server = process.env[serverVariable];
  assert(server, "tests are run by `npm test`, which starts a database server");
  const name = `test_${process.pid}_${databases}`;
  databases += 1;
  await runOnServer(server, `CREATE DATABASE ${name} TEMPLATE ${migrated ? templateName : "template0"}`);
  return Object.assign(new URL(server), { pathname: `/${name}` }).href;
}
let databases = 0;

export async function runOnServer(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
