import { readFile } from "node:fs/promises";
import { expect } from "chai";
import pg from "pg";
import { createDatabase } from "#shared/testing/database.ts";
import { applyMigration, type Migration, migrationsSince } from "./migrate.ts";

/** What holds a lock on a table that is in use for as long as it takes to read or write all its rows. */
const harsh: [says: string, pattern: RegExp][] = [
  ["builds an index without CONCURRENTLY", /^CREATE (?:UNIQUE )?INDEX (?!CONCURRENTLY)(?:\w+ )?ON (?:ONLY )?(\w+)/i],
  [
    "checks all rows, without NOT VALID",
    /^ALTER TABLE (\w+)(?!.*NOT VALID).* ADD (?:CONSTRAINT \w+ )?(?:CHECK|FOREIGN KEY)\b/i,
  ],
  ["builds an index of a constraint", /^ALTER TABLE (\w+) .*ADD (?:CONSTRAINT \w+ )?(?:PRIMARY KEY|UNIQUE) ?\(/i],
  ["checks all rows for a new column", /^ALTER TABLE (\w+) .*ADD COLUMN [^,]*\bCHECK\b/i],
  [
    "writes all rows for a new column",
    /^ALTER TABLE (\w+) .*ADD COLUMN .*(?:uuidv7|gen_random_uuid|clock_timestamp|random|nextval|GENERATED|SERIAL)/i,
  ],
  ["writes all rows for another type", /^ALTER TABLE (\w+) .*ALTER (?:COLUMN )?\w+ (?:SET DATA )?TYPE\b/i],
  ["reads all rows for NOT NULL", /^ALTER TABLE (\w+) .*ALTER (?:COLUMN )?\w+ SET NOT NULL/i],
  ["writes all rows in one transaction", /^(?:UPDATE|DELETE FROM) (\w+)(?!.*\bWHERE\b)/i],
];
const needsSteps = /\bCONCURRENTLY\b|\bVALIDATE CONSTRAINT\b/i;
const mayBeStep = /\bCONCURRENTLY\b|\bVALIDATE CONSTRAINT\b|^(?:UPDATE|DELETE FROM) \w+.*\bWHERE\b|^(?:WITH|DO|SET) /i;

const statementsIn = (texts: readonly string[]): string[] =>
  texts.flatMap((text) =>
    text
      .replaceAll(/--.*$/gm, "")
      .split(";")
      .map((statement) => statement.replaceAll(/\s+/g, " ").trim())
      .filter(Boolean),
  );

/** Returns what the migrations do to tables of the previous release that would stop those who use them. */
async function harshIn(migrations: ReadonlyMap<string, Pick<Migration, "up" | "inSteps">>): Promise<string[]> {
  const fresh = new Set<string>();
  const found: string[] = [];
  for (const [name, { up, inSteps }] of migrations) {
    const texts: string[] = [];
    await up(async (sql) => void texts.push(sql));
    const statements = statementsIn(texts);
    for (const statement of statements) {
      const created = /^CREATE TABLE (?:IF NOT EXISTS )?(\w+)/i.exec(statement)?.[1];
      if (created) fresh.add(created);
      if (inSteps && !mayBeStep.test(statement)) found.push(`${name} belongs in a transaction: ${statement}`);
      if (!inSteps && needsSteps.test(statement)) found.push(`${name} must export inSteps: ${statement}`);
      for (const [says, pattern] of harsh) {
        const table = pattern.exec(statement)?.[1];
        if (table && !fresh.has(table)) found.push(`${name} ${says}: ${statement}`);
      }
      const index = /^CREATE (?:UNIQUE )?INDEX CONCURRENTLY (\w+)/i.exec(statement)?.[1];
      // One that failed leaves an index that isn't valid.
      if (index && !statements.includes(`DROP INDEX CONCURRENTLY IF EXISTS ${index}`))
        found.push(`${name} can't be repeated: ${statement}`);
    }
  }
  return found;
}

const migrationOf = (sql: string, inSteps = false): ReadonlyMap<string, Migration> =>
  new Map([["it", { up: (run) => run(sql), ...(inSteps && { inSteps: true }) }]]);

describe("migrations since the previous release", () => {
  it("hold no table that may be large", async () => {
    const file = new URL("../testing/previous-release.json", import.meta.url);
    const { migrations } = JSON.parse(await readFile(file, "utf8")) as { migrations: string[] };
    expect(await harshIn(await migrationsSince(migrations))).to.deep.equal([]);
  });

  const harshOnes = [
    "CREATE INDEX posts_age_idx ON posts (created_at)",
    "CREATE UNIQUE INDEX ON posts (created_at)",
    "ALTER TABLE posts ADD CONSTRAINT short CHECK (length(content) < 10)",
    "ALTER TABLE posts\n  ADD FOREIGN KEY (author_id) REFERENCES users (id)",
    "ALTER TABLE posts ADD CONSTRAINT once UNIQUE (author_id)",
    "ALTER TABLE posts ADD COLUMN n int CHECK (n > 0)",
    "ALTER TABLE posts ADD COLUMN key uuid DEFAULT uuidv7()",
    "ALTER TABLE posts ALTER content TYPE varchar",
    "ALTER TABLE posts ALTER COLUMN content SET NOT NULL",
    "UPDATE posts SET content = ''",
    "CREATE INDEX CONCURRENTLY posts_age_idx ON posts (created_at)",
    "ALTER TABLE posts VALIDATE CONSTRAINT short",
  ];
  for (const sql of harshOnes)
    it(`may not contain ${sql}`, async () => {
      expect(await harshIn(migrationOf(sql))).not.to.deep.equal([]);
    });

  const gentleOnes: [sql: string, inSteps?: boolean][] = [
    [
      "CREATE TABLE notes (id uuid PRIMARY KEY); CREATE INDEX ON notes (id); ALTER TABLE notes ADD CHECK (id IS NOT NULL)",
    ],
    ["ALTER TABLE posts ADD COLUMN n int DEFAULT 0, ADD CONSTRAINT positive CHECK (n > 0) NOT VALID"],
    ["ALTER TABLE posts ADD COLUMN by uuid REFERENCES users (id)"],
    ["ALTER TABLE posts VALIDATE CONSTRAINT positive", true],
    ["DROP INDEX CONCURRENTLY IF EXISTS age; CREATE INDEX CONCURRENTLY age ON posts (created_at)", true],
  ];
  for (const [sql, inSteps] of gentleOnes)
    it(`may contain ${sql}`, async () => {
      expect(await harshIn(migrationOf(sql, inSteps))).to.deep.equal([]);
    });
});

describe("a migration in steps", () => {
  it("builds an index while others write, and again after it was cut off", async () => {
    const url = await createDatabase({ migrated: true });
    const [client, writer] = [0, 1].map(() => new pg.Client({ connectionString: url })) as [pg.Client, pg.Client];
    await Promise.all([client.connect(), writer.connect()]);
    const migration: Migration = {
      inSteps: true,
      up: async (run) => {
        await run("DROP INDEX CONCURRENTLY IF EXISTS users_steps_idx");
        await run("CREATE INDEX CONCURRENTLY users_steps_idx ON users (created_at)");
      },
    };
    const valid = async () =>
      (await writer.query("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('users_steps_idx')")).rows;
    await writer.query("BEGIN; LOCK TABLE users IN ROW EXCLUSIVE MODE");
    await client.query("SET statement_timeout = 500");
    const failure = await applyMigration(client, "steps", migration).catch(String);
    expect(failure).to.match(/Migration steps failed: .*statement timeout/);
    expect(await valid()).to.deep.equal([{ indisvalid: false }]);
    await client.query("SET statement_timeout = 0");

    const applying = applyMigration(client, "steps", migration);
    await writer.query("UPDATE users SET created_at = created_at WHERE false");
    await writer.query("COMMIT");
    await applying;

    expect(await valid()).to.deep.equal([{ indisvalid: true }]);
    expect((await writer.query("SELECT 1 FROM migrations WHERE name = 'steps'")).rowCount).to.equal(1);
    await Promise.all([client.end(), writer.end()]);
  });
});
