import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import { useDatabase } from "#shared/testing/database.ts";
import { until } from "#shared/testing/until.ts";
import { locks } from "./locks.ts";
import { allSlots, Slots } from "./outbox-slots.ts";
import { query } from "./query.ts";

describe("the slots of a relay", () => {
  useDatabase();

  it("are taken again after a lost connection when the work in them has ended, and not before", async () => {
    const told: string[] = [];
    const held = Promise.withResolvers<void>();
    const slots = new Slots({
      taken: (taken) => told.push(`${taken.length} taken`),
      left: async (left) => {
        told.push(`${left.length} lost`);
        await held.promise;
        told.push("left");
      },
    });
    await slots.balance();
    await query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND classid = $1 AND objid = 0
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      [locks.outboxRelay],
    );
    await until("they are lost", () => told.length === 2);

    const balanced = slots.balance();
    // Enough to take them.
    await Promise.race([balanced, pause(500)]);
    held.resolve();
    await balanced;
    expect(told).to.deep.equal([
      `${allSlots.length} taken`,
      `${allSlots.length} lost`,
      "left",
      `${allSlots.length} taken`,
    ]);
    await slots.close();
  });
});
