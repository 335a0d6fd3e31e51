import pg from "pg";
import { openDatabase } from "#shared/db/sequelize.ts";
import { assert } from "#shared/kernel/assert.ts";

/** Address of the test run's server, and the database there that has all migrations and nothing else. */
export const serverVariable = "HUBBUB_TEST_SERVER";
export const templateName = "hubbub_template";

let opened: Promise<void> | undefined;

/**
 * Gives the tests of a `describe` (or of a whole file) a real, migrated database. There is one for each worker process
 * of mocha, since a process has one Sequelize; test files that a worker runs one after the other share it, so a test
 * makes its own users and rooms and does not count on empty tables.
 */
export function useDatabase(): void {
  before("opens the worker's database", async () => {
    opened ??= createDatabase({ migrated: true }).then(openDatabase);
    await opened;
  });
}

/** Makes one more database and answers its address; for tests of the migrations and of whole services. */
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
