import { readFile, writeFile } from "node:fs/promises";
import { expect } from "chai";
import pg from "pg";
import { createDatabase } from "#shared/testing/database.ts";
import { describeSchema } from "#shared/testing/describe-schema.ts";

const file = new URL("../../migrations/schema.sql", import.meta.url);
const header = `-- What the migrations make, to read: \`WRITE_SCHEMA=on npm test -- shared/db/schema.test.ts\` writes it again.

`;

/** On an older server, without what it is given to understand the migrations. */
const asOn18 = (schema: string): string =>
  schema
    .replaceAll(/CREATE OR REPLACE FUNCTION public\.(casefold|uuid_extract_timestamp|uuidv7)\(.*?\n;\n\n/gs, "")
    .replaceAll(/\bpublic\.(casefold\(|pg_unicode_fast\b)/g, "$1");

describe("migrations/schema.sql", () => {
  it("is what the migrations make", async () => {
    const client = new pg.Client({ connectionString: await createDatabase({ migrated: true }) });
    await client.connect();
    const schema = header + asOn18(await describeSchema(client));
    await client.end();
    if (process.env.WRITE_SCHEMA) await writeFile(file, schema);
    expect(await readFile(file, "utf8"), "WRITE_SCHEMA=on npm test -- shared/db/schema.test.ts").to.equal(schema);
  });
});
