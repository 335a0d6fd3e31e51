import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { type BuiltRoom, type BuiltUser, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { setStatus } from "#shared/testing/people.ts";
import { dropLiveRooms, storeLiveRooms } from "./live-rooms.ts";
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

  afterEach(() => dropLiveRooms(["test"]));

  const live = (...rooms: [roomId: string, member_count: number][]) =>
    storeLiveRooms(
      "test",
      rooms.map(([roomId, member_count]) => ({ roomId, member_count, seated_count: 0, epoch: 1 })),
    );
  /** A category of this test alone. */
  async function buildRoomIn(category: string, name = "Night owls"): Promise<BuiltRoom> {
    const room = await buildRoom({ name });
    await query("UPDATE rooms SET category = $2 WHERE id = $1", [room.id, category]);
    return room;
  }
  async function found(filter: Partial<RoomFilter> = {}, viewerId = viewer.id): Promise<string[]> {
    const page = await listRooms(viewerId, { page: 1, limit: 100, filter: "new", q: word, ...filter });
    expect(page.total).to.be.at.least(page.items.length);
    return page.items.map(({ id }) => id);
  }

  it("lists rooms newest first, with people in them first, or by how many are in them", async () => {
    const rooms = [];
    for (const name of ["a", "b", "c"]) rooms.push((await buildRoom({ name: `${name} ${word}` })).id);
    const [a, b, c] = rooms as [string, string, string];
    await live([a, 2], [b, 5]);
    expect(await found()).to.deep.equal([c, b, a]);
    expect(await found({ filter: "recommended" })).to.deep.equal([b, a, c]);
    await live([a, 7]);
    expect(await found({ filter: "popular" })).to.deep.equal([a, b, c]);
    const cards = await listRooms(viewer.id, { page: 2, limit: 2, filter: "popular", q: word });
    expect(cards).to.deep.include({ page: 2, total: 3, total_pages: 2 });
    expect(cards.items.map(({ id, member_count }) => [id, member_count])).to.deep.equal([[c, 0]]);
  });

  it("lists a category without a search in the same orders, page by page, with the caller's private rooms", async () => {
    const rooms = [];
    for (const name of ["a", "b", "c", "d", "e"]) rooms.push(await buildRoomIn(word, name));
    const [a, b, c, d, e] = rooms.map(({ id }) => id) as [string, string, string, string, string];
    const [host] = rooms.map((room) => room.host);
    await query("UPDATE rooms SET is_private = true, host_id = $2 WHERE id = $1", [b, host!.id]);
    await live([a, 2], [b, 3], [c, 5]);
    const listed = async (filter: RoomFilter["filter"], viewerId: string) => {
      const pages = [1, 2, 3].map((page) => listRooms(viewerId, { page, limit: 2, filter, category: word }));
      const [first, ...more] = await Promise.all(pages);
      const byPage = [first!, ...more].flatMap(({ items }) => items.map(({ id }) => id));
      expect(await walked({ limit: 1, filter, category: word }, viewerId)).to.deep.equal(byPage);
      expect(await walked({ limit: 2, filter, category: word }, viewerId)).to.deep.equal(byPage);
      return [first!.total, ...byPage];
    };
    expect(await listed("popular", host!.id)).to.deep.equal([5, c, b, a, e, d]);
    expect(await listed("popular", viewer.id)).to.deep.equal([4, c, a, e, d]);
    expect(await listed("recommended", host!.id)).to.deep.equal([5, c, b, a, e, d]);
    expect(await listed("recommended", viewer.id)).to.deep.equal([4, c, a, e, d]);
    expect(await listed("new", host!.id)).to.deep.equal([5, e, d, c, b, a]);
    expect(await listed("new", viewer.id)).to.deep.equal([4, e, d, c, a]);
  });

  /** Reads a whole list, each page from where the one before ended. */
  async function walked(filter: Omit<RoomFilter, "page">, viewerId: string): Promise<string[]> {
    const ids: string[] = [];
    for (let before: string | null | undefined; before !== null; ) {
      const page = await listRooms(viewerId, { page: 1, ...filter, ...(before && { before }) });
      ids.push(...page.items.map(({ id }) => id));
      before = page.next_before;
    }
    return ids;
  }

  it("counts what the newest actor of a room says", async () => {
    const { id: roomId } = await buildRoomIn(word);
    const counted = async () => {
      const { items } = await listRooms(viewer.id, { page: 1, limit: 1, filter: "popular", category: word });
      return items[0]!.member_count;
    };
    const say = (epoch: number, member_count: number) =>
      storeLiveRooms("test", [{ roomId, epoch, member_count, seated_count: 0 }]);
    await say(2, 4);
    await say(1, 9);
    expect(await counted()).to.equal(4);
    await say(1, 0);
    expect(await counted()).to.equal(4);
    await say(2, 0);
    expect(await counted()).to.equal(0);
  });

  it("finds texts of one or two letters", async () => {
    const { id } = await buildRoom({ name: "\u{10fffd}\u{10fffc}" });
    expect(await found({ q: "\u{10fffd}" })).to.deep.equal([id]);
    expect(await found({ q: "\u{10fffd}\u{10fffc}" })).to.deep.equal([id]);
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

  it("finds any part of a text", async () => {
    const name = `yx Rock&Roll – Ñandú Διονυσία 夜話と音楽 ${word.slice(-4)} zy z`;
    const { id } = await buildRoom({ name });
    for (let start = 0; start < name.length - 2; start += 1)
      for (const length of [3, 4, 6, 11]) {
        const q = name.slice(start, start + length).toUpperCase();
        expect(await found({ q, limit: 1000 }), q).to.include(id);
      }
  });

  it("finds the newest 500 rooms with a common text, and the few with a rare one", async () => {
    const { host } = await buildRoom({ name: `rare ${word}` });
    await query(
      `INSERT INTO rooms (id, host_id, name, category, language, seat_count)
       SELECT uuidv7(), $1, 'common ' || $2 || n, 'music', 'en', 8 FROM generate_series(1, 1100) n`,
      [host.id, word],
    );
    const total = async (q: string) => (await listRooms(viewer.id, { page: 1, limit: 1, filter: "new", q })).total;
    expect(await total(`common ${word}`)).to.equal(500);
    expect(await total(`n ${word}11`)).to.equal(12);
    expect(await total(`rare ${word}`)).to.equal(1);
  });

  it("finds no text that only has the same words", async () => {
    const [first, second] = [word.slice(0, 6), word.slice(6)];
    await buildRoom({ name: `${second} ${first}` });
    const { id } = await buildRoom({ name: `${first} ${second}` });
    expect(await found({ q: `${first} ${second}` })).to.deep.equal([id]);
  });

  it("hides rooms that are closed to the viewer, or whose host is gone", async () => {
    const hidden = await buildRoom({ name: word, is_private: true });
    expect(await found()).to.deep.equal([]);
    expect(await found({}, hidden.host.id)).to.deep.equal([hidden.id]);
    const open = await buildRoom({ name: word });
    for (const status of ["suspended", "deletion_pending"] as const) {
      await setStatus(open.host, status);
      expect(await found(), status).to.deep.equal([]);
      await setStatus(open.host, "active");
      expect(await found()).to.deep.equal([open.id]);
    }
  });
});
