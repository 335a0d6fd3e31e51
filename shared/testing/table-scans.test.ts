import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "./database.ts";
import { tableScansOf } from "./table-scans.ts";

describe("tableScansOf", () => {
  useDatabase();

  it("returns only statements with sequential scans", async () => {
    const scans = await inTransaction(async (tx) => {
      await tx.query("SET LOCAL enable_indexonlyscan = off");
      await tx.query("SET LOCAL enable_bitmapscan = off");
      const whole = () => query("SELECT count(*) FROM users WHERE bio <> $1", ["x"]);
      const found = await tableScansOf(["rooms", "users"], whole);
      await tx.query("SET LOCAL enable_seqscan = off");
      const one = () => query("SELECT username FROM users WHERE id = $1", [newId()]);
      return { found, ofOne: await tableScansOf(["users"], one), ofOthers: await tableScansOf(["rooms"], whole) };
    });
    expect(scans.found).to.have.length(1);
    expect(scans.found[0]).to.match(/^.*Seq Scan on users.*, in SELECT count\(\*\) FROM users WHERE bio <> \$1$/);
    expect(scans).to.deep.include({ ofOne: [], ofOthers: [] });
  });
});
