import { mkdtemp, readdir, readFile, rm, stat, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import pg from "pg";
import { createDatabase } from "#shared/testing/database.ts";
import {
  register,
  runProgram,
  type SpawnedService,
  spawnService,
  stopServices,
} from "#shared/testing/spawned-service.ts";
import { until } from "#shared/testing/until.ts";

interface Head {
  readonly parts: readonly { name: string; file: string; rows: number }[];
}

describe("a backup over several connections", function () {
  this.timeout(60_000);
  let folder: string;
  let backup: string;
  let databaseUrl: string;
  let service: SpawnedService;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "parallel-backup-"));
    backup = join(folder, "backup");
    databaseUrl = await createDatabase({ migrated: false });
    service = await spawnService({ DATABASE_URL: databaseUrl, DATA_DIR: folder });
  });
  after(async () => {
    await stopServices();
    await rm(folder, { recursive: true });
  });

  const run = (url: string, ...args: string[]) =>
    runProgram(["main.ts", ...args], { DATABASE_URL: url, DATA_DIR: folder });
  const readHead = async (): Promise<Head> => JSON.parse(await readFile(join(backup, "backup.json"), "utf8"));

  async function ask<Row extends object>(url: string, sql: string): Promise<Row[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  it("is one moment of a database in use, and is restored as a whole", async () => {
    let registered = 0;
    let isMade = false;
    // More than is read at a time.
    await ask(
      databaseUrl,
      `INSERT INTO sandbox_orders (id, receipt, amount, currency, title)
       SELECT n, uuidv7(), 1, 'USD', repeat('x', 400) FROM generate_series(1, 40000) n`,
    );
    const using = [1, 2].map(async () => {
      for (; !isMade; registered += 1) await register(service);
    });
    await until("it is used", () => registered > 5);
    const acknowledged = registered;
    const made = await run(databaseUrl, "backup", backup, "--jobs", "3");
    isMade = true;
    await Promise.all(using);
    expect(made.exitCode, made.output).to.equal(0);

    const { parts } = await readHead();
    expect(await readdir(backup)).to.have.members(["backup.json", ...parts.map(({ file }) => file)]);
    for (const file of await readdir(backup)) expect((await stat(join(backup, file))).mode & 0o777).to.equal(0o600);
    for (const name of ["public.room_messages", "public.sandbox_orders"])
      expect(
        parts.filter((part) => part.name === name),
        name,
      ).to.have.length.above(1);

    const other = await createDatabase({ migrated: false });
    const restored = await run(other, "restore", backup, "--jobs", "2");
    expect(restored.output).to.include("The ledger and the audit log are consistent.");
    expect(restored.exitCode, restored.output).to.equal(0);
    const written = new Map<string, number>();
    for (const { name, rows } of parts) written.set(name, (written.get(name) ?? 0) + rows);
    const counts = [...written.keys()].map((name) => `SELECT '${name}' AS name, count(*)::int AS rows FROM ${name}`);
    const found = await ask<{ name: string; rows: number }>(other, counts.join(" UNION ALL "));
    expect(new Map(found.map(({ name, rows }) => [name, rows]))).to.deep.equal(written);
    expect(written.get("public.users")).to.be.at.least(acknowledged);
    expect(await keysOf(other)).to.deep.equal(await keysOf(databaseUrl));
  });

  const keysOf = (url: string) =>
    ask(
      url,
      `SELECT conrelid::regclass::text AS table, conname, pg_get_constraintdef(oid) AS definition, convalidated
       FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND conparentid = 0 ORDER BY 1, 2`,
    );

  it("leaves a database on which nothing starts if it is incomplete", async () => {
    const { parts } = await readHead();
    const users = join(backup, parts.find(({ name }) => name === "public.users")!.file);
    await truncate(users, (await stat(users)).size - 20);
    const other = await createDatabase({ migrated: false });
    const restored = await run(other, "restore", backup);
    expect(restored.exitCode, restored.output).to.equal(1);
    expect(restored.output).to.match(/unexpected end of file/);
    for (const command of ["restore", "migrate"]) {
      const next = await run(other, command, ...(command === "restore" ? [backup] : []));
      expect([next.exitCode, next.output], command).to.deep.equal([
        1,
        "A restore into this database didn't end. Remove the database, or the new DATA_DIR, and restore again.\n",
      ]);
    }
  });

  it("refuses a folder that exists, a folder without backup, a database in use, and no connections", async () => {
    const refused: [output: string, url: string, ...args: string[]][] = [
      [`${backup} exists. Write to a folder that doesn't exist yet.`, databaseUrl, "backup", backup, "--jobs", "2"],
      [`Can't read ${folder} as a backup: ENOENT`, databaseUrl, "restore", folder],
      ["The database isn't empty. Restore into a new DATA_DIR or a new database.", databaseUrl, "restore", backup],
      ["It must be a whole number from 1 to 16.", databaseUrl, "backup", join(folder, "new"), "--jobs", "0"],
    ];
    for (const [output, url, ...args] of refused) {
      const { exitCode, output: said } = await run(url, ...args);
      expect(said).to.include(output);
      expect(exitCode, said).to.equal(1);
    }
    expect(await readdir(folder)).not.to.include("new");
  });
});
