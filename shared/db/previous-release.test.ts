import { expect } from "chai";
import pg from "pg";
import { createDatabase } from "#shared/testing/database.ts";
import {
  newDemands,
  type PreviousRelease,
  readPreviousRelease,
  unplannable,
} from "#shared/testing/previous-release.ts";
import { allMigrations, compatibleDemands, migrate } from "./migrate.ts";

/** Migrations that break the previous release while it runs, and what is said about each. */
const breaking = {
  "ALTER TABLE settings DROP COLUMN updated_at": 'column "updated_at" does not exist, in SELECT key',
  "ALTER TABLE settings RENAME COLUMN value TO content": 'column "value" does not exist, in SELECT key',
  "ALTER TABLE settings RENAME TO options": 'relation "settings" does not exist, in SELECT key',
  "ALTER TABLE settings DROP CONSTRAINT settings_pkey": "no unique or exclusion constraint matching the ON CONFLICT",
  "ALTER TABLE settings ALTER value TYPE text": "settings.value: has the type text",
  "ALTER TABLE settings ALTER updated_by SET NOT NULL": "settings.updated_by: may not be null",
  "ALTER TABLE settings ALTER updated_at DROP DEFAULT": "settings.updated_at: may not be left out",
  "ALTER TABLE settings ADD COLUMN reason text NOT NULL": "settings.reason: may not be left out",
  "ALTER TABLE settings ADD CONSTRAINT short CHECK (length(key) < 9) NOT VALID": "settings.short: CHECK",
  "CREATE UNIQUE INDEX settings_one ON settings (updated_by)": "settings.settings_one: unique",
  "ALTER TABLE settings ADD FOREIGN KEY (updated_by) REFERENCES admins (id)": "FOREIGN KEY (updated_by)",
  "CREATE TRIGGER frozen BEFORE UPDATE ON settings EXECUTE FUNCTION refuse_changes()":
    "settings.frozen: CREATE TRIGGER",
};

/** Migrations beside which it goes on. */
const expanding = [
  "ALTER TABLE settings ADD COLUMN reason text CHECK (length(reason) < 9)",
  "ALTER TABLE settings ADD COLUMN reason text NOT NULL DEFAULT '' UNIQUE",
  "ALTER TABLE settings ADD COLUMN role_id uuid REFERENCES roles (id)",
  "ALTER TABLE settings ALTER value DROP NOT NULL",
  "CREATE TABLE options (key text PRIMARY KEY REFERENCES settings (key))",
  "CREATE INDEX settings_changes_idx ON settings (updated_at)",
];

/** The previous release needs PostgreSQL 18, which returns old values. What older servers are asked returns none. */
const forOlderServers = ({ statements, ...release }: PreviousRelease): PreviousRelease => ({
  ...release,
  statements: statements.map((text) => text.replace(/\b(old|new)\.\w+/g, "NULL")),
});

describe("the previous release, beside this schema", function () {
  this.timeout(60_000);
  let release: PreviousRelease;
  let itsSchema: pg.Client;
  let schema: pg.Client;

  before(async () => {
    release = await readPreviousRelease();
    const urls = await Promise.all([createDatabase({ migrated: false }), createDatabase({ migrated: false })]);
    for (const url of urls) await migrate(url, release.migrations);
    await migrate(urls[1]);
    [itsSchema, schema] = urls.map((connectionString) => new pg.Client({ connectionString })) as [pg.Client, pg.Client];
    await Promise.all([itsSchema.connect(), schema.connect()]);
    const { rows } = await schema.query("SELECT current_setting('server_version_num')::int / 10000 AS version");
    if (rows[0].version < 18) release = forOlderServers(release);
  });
  after(() => Promise.all([itsSchema.end(), schema.end()]));

  it("finds its migrations here", async () => {
    expect(await allMigrations()).to.include.members(release.migrations);
  });

  it("can run its statements", async () => {
    const words = new Set(release.statements.join(" ").match(/\w+/g));
    const { rows } = await itsSchema.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
    );
    expect(
      rows.map(({ name }) => name).filter((name) => !words.has(name)),
      "tables that it doesn't use",
    ).to.deep.equal([]);
    expect(await unplannable(schema, release.statements)).to.deep.equal([]);
  });

  it("writes what this schema accepts", async () => {
    const demands = await newDemands(itsSchema, schema);
    const compatible = await compatibleDemands(release.migrations);
    expect(demands.filter(({ name }) => !(name in compatible)).map(({ text }) => text)).to.deep.equal([]);
  });

  /** What would be said about a further migration. Looks only at the statements about settings, to be fast. */
  async function faultsAfter(migration: string): Promise<string> {
    const statements = release.statements.filter((text) => /\bsettings\b/.test(text));
    const known = new Set((await newDemands(itsSchema, schema)).map(({ name }) => name));
    await schema.query("BEGIN");
    try {
      await schema.query(migration);
      const demands = (await newDemands(itsSchema, schema)).filter(({ name }) => !known.has(name));
      return [...(await unplannable(schema, statements)), ...demands.map(({ text }) => text)].join("\n");
    } finally {
      await schema.query("ROLLBACK");
    }
  }

  it("is protected from migrations that break it", async () => {
    for (const [migration, fault] of Object.entries(breaking))
      expect(await faultsAfter(migration), migration).to.include(fault);
  });

  it("accepts migrations that only add", async () => {
    for (const migration of expanding) expect(await faultsAfter(migration), migration).to.equal("");
  });
});
