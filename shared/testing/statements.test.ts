import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { poolSize, withClient } from "#shared/db/sequelize.ts";
import { useDatabase } from "./database.ts";
import { statementsOf } from "./statements.ts";

describe("statementsOf", () => {
  useDatabase();

  it("names what the work sends, and neither what runs beside it nor what a new connection is told", async () => {
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    // All that are open are taken, so that the work has to open another.
    const taken = Array.from({ length: poolSize - 1 }, () => withClient(() => over));
    const statements = statementsOf(() => query("SELECT $1::int AS mine", [1]));
    const beside = query("SELECT 2 AS others");
    expect(await statements).to.deep.equal(["SELECT $1::int AS mine"]);
    end();
    await Promise.all([beside, ...taken]);
  });
});
