import { readdir } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import pg from "pg";
import { OperatorError } from "#shared/kernel/operator-error.ts";
import { createDatabase } from "#shared/testing/database.ts";
import { until } from "#shared/testing/until.ts";
import { locks } from "./locks.ts";
import { allMigrations, migrate } from "./migrate.ts";

async function ask(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}

/** Runs `work` while another connection holds what the statement locks. */
async function holding(url: string, statement: string, work: () => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
    await work();
  } finally {
    await client.end();
  }
}

describe("migrate", () => {
  it("applies each migration once when processes start together", async () => {
    const url = await createDatabase({ migrated: false });
    const applied = await Promise.all(Array.from({ length: 5 }, () => migrate(url)));
    const folder = await readdir(new URL("../../migrations/", import.meta.url));
    const files = folder.filter((file) => file.endsWith(".ts")).map((file) => file.replace(/\.ts$/, ""));
    expect(applied.flat().sort()).to.deep.equal(files.sort());
    expect(applied.filter((names) => names.length > 0)).to.have.length(1);
    const recorded = await ask(url, "SELECT name FROM migrations ORDER BY name");
    expect(recorded.map(({ name }) => name)).to.deep.equal(files);
    expect(await migrate(url)).to.deep.equal([]);
  });

  it("waits for no lock when nothing is missing, such as during a backup", async () => {
    const url = await createDatabase({ migrated: true });
    await holding(url, `SELECT pg_advisory_lock_shared(${locks.migrations})`, async () => {
      expect(await migrate(url)).to.deep.equal([]);
    });
  });

  it("gives way to others while a table is in use, and comes back", async () => {
    const url = await createDatabase({ migrated: false });
    const [first] = await allMigrations();
    await migrate(url, [first!]);
    let applying: Promise<string[]> | undefined;
    await holding(url, "BEGIN; LOCK TABLE users IN ROW EXCLUSIVE MODE", async () => {
      applying = migrate(url);
      await pause(2500);
      const waiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND locktype = 'relation'";
      await until("it has let go", async () => (await ask(url, waiting)).length === 0);
    });
    expect(await applying).to.not.have.length(0);
  });

  it("refuses a database of a build between two releases, and changes nothing", async () => {
    const url = await createDatabase({ migrated: false });
    const [first, second] = await allMigrations();
    await migrate(url, [first!, second!]);
    const recorded = () => ask(url, "SELECT name FROM migrations ORDER BY name");
    await ask(url, `UPDATE migrations SET name = '20261120T1001-since-joined' WHERE name = '${second}'`);
    const before = await recorded();
    const error = await migrate(url).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(OperatorError);
    expect(String(error)).to.include("20261120T1001-since-joined").and.include("Start with an empty database");
    expect(await recorded()).to.deep.equal(before);
  });

  it("leaves what a later release has added", async () => {
    const url = await createDatabase({ migrated: true });
    await ask(url, "INSERT INTO migrations (name) VALUES ('29990101T0000-of-a-later-release')");
    expect(await migrate(url)).to.deep.equal([]);
  });

  it("rolls back a migration that fails, and continues from there", async () => {
    const url = await createDatabase({ migrated: false });
    await ask(url, "CREATE TABLE roles (in_the_way boolean)");
    const error = await migrate(url).catch((thrown: unknown) => thrown);
    expect(String(error)).to.match(/Migration 20261120T1000-create-accounts failed: .*relation "roles" already exists/);
    expect(
      await ask(url, "SELECT to_regclass('users') AS users, (SELECT count(*)::int FROM migrations) AS applied"),
    ).to.deep.equal([{ users: null, applied: 0 }]);
    await ask(url, "DROP TABLE roles");
    expect(await migrate(url)).to.not.have.length(0);
  });
});
