import { expect } from "chai";
import type { LiveCounts } from "#shared/contracts/actors.ts";
import { setting } from "#shared/domain/settings/settings.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { type BuiltUser, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { setStatus } from "#shared/testing/people.ts";
import { listRooms, type RoomFilter } from "./rooms.queries.ts";

describe("discovery of rooms", () => {
  useDatabase();
  let viewer: BuiltUser;
  /** In the names of this test's rooms. */
  let word: string;
  beforeEach(async () => {
    viewer = await buildUser();
    word = newId().slice(-12);
  });

  const live = (...rooms: [id: string, member_count: number][]): Map<string, LiveCounts> =>
    new Map(rooms.map(([id, member_count]) => [id, { member_count, seated_count: 0 }]));
  async function found(filter: Partial<RoomFilter> = {}, counts = live(), viewerId = viewer.id): Promise<string[]> {
    const page = await listRooms(viewerId, { page: 1, limit: 100, filter: "new", q: word, ...filter }, counts);
    expect(page.total).to.be.at.least(page.items.length);
    return page.items.map(({ id }) => id);
  }

  it("lists rooms newest first, with people in them first, or by how many are in them", async () => {
    const rooms = [];
    for (const name of ["a", "b", "c"]) rooms.push((await buildRoom({ name: `${name} ${word}` })).id);
    const [a, b, c] = rooms as [string, string, string];
    const counts = live([a, 2], [b, 5]);
    expect(await found({}, counts)).to.deep.equal([c, b, a]);
    expect(await found({ filter: "recommended" }, counts)).to.deep.equal([b, a, c]);
    expect(await found({ filter: "popular" }, live([a, 7], [b, 5]))).to.deep.equal([a, b, c]);
    const cards = await listRooms(viewer.id, { page: 2, limit: 2, filter: "popular", q: word }, counts);
    expect(cards).to.deep.include({ page: 2, total: 3, total_pages: 2 });
    expect(cards.items.map(({ id, member_count }) => [id, member_count])).to.deep.equal([[c, 0]]);
  });

  it("finds the literal text in name and description, and filters by category", async () => {
    const [music, talk] = setting("room_categories") as [string, string];
    const one = await buildRoom({ name: `100% ${word}`, category: music });
    const other = await buildRoom({ name: "Quiet", description: `all_night ${word}`, category: talk });
    expect(await found({ q: word.toUpperCase() })).to.deep.equal([other.id, one.id]);
    expect(await found({ q: `100% ${word}` })).to.deep.equal([one.id]);
    for (const q of [`1%% ${word}`, `100_ ${word}`, `all%night ${word}`, `allxnight ${word}`, `\\${word}`])
      expect(await found({ q }), q).to.deep.equal([]);
    expect(await found({ category: talk })).to.deep.equal([other.id]);
  });

  it("hides rooms that are closed to the viewer, or whose host is gone", async () => {
    const hidden = await buildRoom({ name: word, is_private: true });
    expect(await found()).to.deep.equal([]);
    expect(await found({}, live(), hidden.host.id)).to.deep.equal([hidden.id]);
    const open = await buildRoom({ name: word });
    for (const status of ["suspended", "deletion_pending"] as const) {
      await setStatus(open.host, status);
      expect(await found(), status).to.deep.equal([]);
      await setStatus(open.host, "active");
      expect(await found()).to.deep.equal([open.id]);
    }
  });
});
