import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import type { Model, ModelStatic } from "sequelize";
import { useDatabase } from "#shared/testing/database.ts";
import type { Column } from "./model.ts";
import { query } from "./query.ts";
import { sequelize } from "./sequelize.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const sources = async (pattern: RegExp) => {
  const parts = ["shared", "api", "engine"].map(async (part) => {
    const names = await readdir(`${root}${part}`, { recursive: true });
    return names.map((name) => `${part}/${name}`);
  });
  return (await Promise.all(parts)).flat().filter((path) => pattern.test(path) && !path.includes("node_modules"));
};

interface Stored {
  readonly type: string;
  readonly nullable: boolean;
  readonly omittable: boolean;
  readonly key: boolean;
}

/** Returns the columns of a table or view as PostgreSQL knows them; of a view, only their types. */
async function storedColumns(table: string) {
  const rows = await query<Stored & { name: string; view: boolean }>(
    `SELECT a.attname AS name, coalesce(nullif(t.typbasetype, 0), t.oid)::regtype::text AS type, c.relkind = 'v' AS view,
       NOT a.attnotnull AS nullable, NOT a.attnotnull OR a.atthasdef OR a.attidentity <> '' AS omittable,
       coalesce(a.attnum = ANY(k.conkey), false) AS key
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     JOIN pg_type t ON t.oid = a.atttypid
     LEFT JOIN pg_constraint k ON k.conrelid = c.oid AND k.contype = 'p'
     WHERE c.oid = to_regclass($1)`,
    [table],
  );
  return new Map(rows.map(({ name, ...column }) => [name, column]));
}

/** Returns the type of a model's column as PostgreSQL names it. */
async function typeOf(sql: string): Promise<string> {
  const [found] = await query<{ type: string }>("SELECT to_regtype($1)::text AS type", [sql]);
  return found!.type;
}

/** Returns how a model differs from its table. */
async function differences(model: ModelStatic<Model>): Promise<string[]> {
  const table = String(model.getTableName());
  const stored = await storedColumns(table);
  if (stored.size === 0) return [`${table} does not exist`];
  const listed = new Set<string>();
  const found: string[] = [];
  for (const attribute of Object.values(model.getAttributes())) {
    const { field = "", type, primaryKey = false, omittable, allowNull } = attribute as typeof attribute & Column;
    listed.add(field);
    const column = stored.get(field);
    const differs = (what: string, ours: unknown, theirs: unknown) =>
      ours !== theirs && found.push(`${table}.${field}: ${what} is ${String(theirs)}, not ${String(ours)}`);
    if (!column) {
      found.push(`${table}.${field} does not exist`);
      continue;
    }
    differs("type", await typeOf((type as { toSql(): string }).toSql()), column.type);
    if (column.view) continue;
    differs("key", primaryKey, column.key);
    differs("nullable", allowNull === true, column.nullable);
    differs("omittable", omittable, column.omittable);
  }
  for (const [name, { omittable, view }] of stored)
    if (!listed.has(name) && !omittable && !view) found.push(`${table}.${name} is required, but not in the model`);
  return found;
}

/** Why these files read or write one record by SQL, although its table has a model. */
const sqlByKey: Record<string, string> = {
  "shared/domain/base/filter/author.ts": "users belong to a context below",
  "shared/domain/catalogue/orders/order-card.ts": "money: the order and its counters",
  "shared/domain/catalogue/orders/order-steps.ts": "money: the order and its counters",
  "shared/domain/catalogue/products/catalogue.queries.ts": "the count of a page",
  "shared/domain/identity/accounts/erase-account.ts":
    "erases all that is personal by one statement, to be read as a list",
  "shared/domain/identity/api-keys/api-tokens.ts": "hot: the authentication of each call",
  "shared/domain/identity/sanctions/impose-sanction.ts": "reports belong to a context below",
  "shared/domain/identity/sessions/refresh-session.ts": "hot: every user's app, each quarter of an hour",
  "shared/domain/live/rooms/rooms.queries.ts": "hot: the door of each room",
  "shared/domain/live/voice/voice.queries.ts": "hot: permissions to speak follow the seats",
  "shared/domain/money/payments/payments.policy.ts": "shows a status that the database computes",
  "shared/domain/money/payments/payments.queries.ts": "shows a status that the database computes",
  "shared/domain/money/payments/refund-payment.ts": "money",
  "shared/domain/money/payments/settle-payment.ts": "money",
  "shared/domain/operations/exports/export-parts.ts": "exports all that is personal, to be read as a list",
  "shared/domain/operations/server-keys/server-callers.ts": "hot: the authentication of each call",
  "shared/domain/social/posts/moderate.ts": "returns the author along with the count",
};

const singleRecord =
  /^(?:SELECT (?<names>[^()]*?) FROM (?<from>\w+)|UPDATE (?<changed>\w+) SET (?<values>.*?)|DELETE FROM (?<emptied>\w+)) WHERE (?<where>\w+ = \$\d+(?: AND \w+ = \$\d+)*)(?: FOR (?:NO KEY )?UPDATE)?(?: RETURNING [\w, ]+)?$/;
const singleInsert = /^INSERT INTO (\w+) \([\w, ]+\) VALUES \(\$[$\d, ]+\)$/;
const plainValue = /^\w+ = (?:\$\d+|now\(\)|NULL|true|false|'[^']*'|\w+ [-+] (?:\d+|\$\d+))$/;

/**
 * Returns the table of which a statement reads or writes one record by its key, if a model says so as well: without
 * joins, and without values that are computed from others.
 */
function tableOfRecord(sql: string): string | undefined {
  const text = sql.replaceAll(/\s+/g, " ").trim();
  const groups = singleRecord.exec(text)?.groups;
  const table = singleInsert.exec(text)?.[1] ?? groups?.from ?? groups?.changed ?? groups?.emptied;
  const model = Object.values(sequelize.models).find((one) => one.getTableName() === table);
  if (model && !groups) return table;
  if (!groups || !model || groups.values?.split(", ").some((value) => !plainValue.test(value))) return undefined;
  const compared = new Set(groups.where!.split(" AND ").map((condition) => condition.split(" ")[0]));
  return model.primaryKeyAttributes.every((key) => compared.has(key)) ? table : undefined;
}

describe("models", () => {
  useDatabase();
  before("loads all", async () => {
    for (const path of await sources(/\.models?\.ts$/)) await import(`${root}${path}`);
  });

  it("equal their tables: columns, types, nullability, defaults, and keys", async () => {
    const models = Object.values(sequelize.models);
    expect(models.length).to.be.greaterThan(20);
    expect((await Promise.all(models.map(differences))).flat()).to.deep.equal([]);
  });

  it("are all defined by defineModel, in a file that this test loads", async () => {
    const others: string[] = [];
    for (const path of await sources(/\.ts$/))
      if (/\bdefineModel\("|extends Model\b/.test(await readFile(`${root}${path}`, "utf8"))) others.push(path);
    expect(others.filter((path) => !/\.models?\.ts$/.test(path))).to.have.members([
      "shared/db/model.ts",
      "shared/db/models.test.ts",
    ]);
  });

  it("read and write single records instead of SQL, except for the reasons given", async () => {
    for (const sql of ["SELECT a, b FROM users WHERE id = $1", "UPDATE users SET bio = '', email = $2 WHERE id = $1"])
      expect(tableOfRecord(sql)).to.equal("users");
    expect(tableOfRecord("INSERT INTO rooms (id, name) VALUES ($1, $2)")).to.equal("rooms");
    expect(tableOfRecord("DELETE FROM users WHERE id = $1 AND status = $2 RETURNING 1")).to.equal("users");
    expect(tableOfRecord("UPDATE users SET bio = upper(bio) WHERE id = $1")).to.equal(undefined);

    const found = new Set<string>();
    for (const path of await sources(/(?<!\.test)\.ts$/)) {
      if (path.startsWith("shared/testing/")) continue;
      const text = await readFile(`${root}${path}`, "utf8");
      for (const [, quoted, template] of text.matchAll(/"([^"\n]*)"|`([^`]*)`/g))
        if (tableOfRecord(quoted ?? template ?? "")) found.add(path);
    }
    expect([...found].sort()).to.deep.equal(Object.keys(sqlByKey));
  });
});
