import { expect } from "chai";
import { poolSizes } from "#shared/db/pools.ts";
import { query } from "#shared/db/query.ts";
import { withClient } from "#shared/db/sequelize.ts";
import { useDatabase } from "./database.ts";
import { statementsOf } from "./statements.ts";

describe("statementsOf", () => {
  useDatabase();

  it("returns the statements of the work, without those of concurrent work and new connections", async () => {
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    // Occupy all open connections, so that the work must open another.
    const taken = Array.from({ length: poolSizes.calls - 1 }, () => withClient(() => over));
    const statements = statementsOf(() => query("SELECT $1::int AS mine", [1]));
    const beside = query("SELECT 2 AS others");
    expect(await statements).to.deep.equal(["SELECT $1::int AS mine"]);
    end();
    await Promise.all([beside, ...taken]);
  });
});
