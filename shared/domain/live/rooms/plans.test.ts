import { expect } from "chai";
import type { Tx } from "#shared/db/transaction.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { useSeededTables } from "#shared/testing/seeded-tables.ts";
import { tableScansOf } from "#shared/testing/table-scans.ts";
import { listRooms, type RoomFilter } from "./rooms.queries.ts";

const tables = ["users", "rooms", "live_rooms"];

/** 100,000 rooms of 1,000 hosts, one in 20 with people in it. */
async function seed(tx: Tx): Promise<void> {
  await tx.query(`INSERT INTO users (id, username, email, full_name, password_hash, settings)
    SELECT uuidv7(), 'host_' || i, 'host_' || i || '@example.com', 'Host ' || i, 'x', '{}' FROM generate_series(1, 1000) i`);
  await tx.query(`CREATE TEMP TABLE hosts ON COMMIT DROP AS
    SELECT id, row_number() OVER () AS i FROM users WHERE username LIKE 'host\\_%'`);
  await tx.query(`INSERT INTO rooms (id, host_id, name, category, language, seat_count)
    SELECT uuidv7(), h.id, 'Room ' || n, 'plans ' || n % 10, 'en', 8
    FROM generate_series(1, 100000) n JOIN hosts h ON h.i = 1 + n % 1000`);
  await tx.query(`INSERT INTO live_rooms (room_id, epoch, category, member_count, seated_count, process_id)
    SELECT id, 1, category, 1 + row_number() OVER () % 50, 1, 'test' FROM rooms WHERE name LIKE 'Room %7' OR name LIKE 'Room %33'`);
  await tx.query(`ANALYZE ${tables.join(", ")}`);
}

describe("discovery of 100,000 rooms", () => {
  useDatabase();
  const inSeeded = useSeededTables(tables);

  it("scans no table, whatever is asked for", async function () {
    this.timeout(120_000);
    const viewer = await buildUser();
    await inSeeded(async (tx) => {
      await seed(tx);
      for (const filter of ["recommended", "new", "popular"] as const)
        for (const category of [undefined, "plans 3"])
          for (const q of [undefined, "room 99", "zz"]) {
            const asked: RoomFilter = { page: 2, limit: 20, filter, ...(category && { category }), ...(q && { q }) };
            const read = () => listRooms(viewer.id, asked);
            expect(await tableScansOf(tables, read), JSON.stringify(asked)).to.deep.equal([]);
            const { next_before } = await read();
            if (next_before)
              expect(
                await tableScansOf(tables, () => listRooms(viewer.id, { ...asked, before: next_before })),
                `${JSON.stringify(asked)} after ${next_before}`,
              ).to.deep.equal([]);
            if (q !== "zz") expect((await read()).items, JSON.stringify(asked)).to.have.length(20);
          }
    });
  });
});
