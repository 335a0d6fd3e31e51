import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { managedGiftCategories } from "#shared/domain/money/gifts/managed-gifts.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { adminCaller } from "#shared/testing/people.ts";
import { listManaged, readManaged } from "./managed.queries.ts";
import { createManaged } from "./write-managed.ts";

const firstPage = { page: 1, limit: 20 };

describe("managed records", () => {
  useDatabase();
  afterEach(() => query("DELETE FROM gift_categories WHERE name LIKE 'Bulk %'"));

  const insert = (ids: readonly string[], prefix: string) =>
    query(
      `INSERT INTO gift_categories (id, name, position)
       SELECT id, 'Bulk ' || $2::text || place, place FROM unnest($1::uuid[]) WITH ORDINALITY AS one (id, place)`,
      [ids, prefix],
    );

  it("are each downloaded once, whatever is created and deleted meanwhile", async () => {
    const ids = Array.from({ length: 1200 }, newId);
    await insert(ids, "Z");
    const read: string[] = [];
    for await (const rows of readManaged(managedGiftCategories, { q: "Bulk" })) {
      read.push(...rows.map(({ id }) => String(id)));
      // Before and behind what was read, by name, by position, and by time.
      await insert([newId(), newId()], `A${read.length}`);
      await query("DELETE FROM gift_categories WHERE id = ANY($1)", [read.slice(0, 2)]);
    }
    expect(read).to.deep.equal([...ids].sort().reverse());
  });

  it("are found by the text itself, not by a pattern", async () => {
    const mark = newId();
    for (const name of [`Bulk 5% ${mark}`, `Bulk 50 ${mark}`])
      await createManaged(adminCaller(), managedGiftCategories, { name, position: 0 });
    const { items, total } = await listManaged(managedGiftCategories, { q: `5% ${mark}` }, firstPage);
    expect([total, items.map(({ name }) => name)]).to.deep.equal([1, [`Bulk 5% ${mark}`]]);
  });
});
