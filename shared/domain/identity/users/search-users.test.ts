import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { block, setStatus } from "#shared/testing/people.ts";
import { useSeededTables } from "#shared/testing/seeded-tables.ts";
import { tableScansOf } from "#shared/testing/table-scans.ts";
import { searchUsers } from "./search-users.ts";

/** Letters that no other test uses in names. */
const unique = () =>
  `q${newId()
    .replaceAll("-", "")
    .slice(-10)
    .replaceAll(/\d/g, (digit) => "ghijklmnop"[Number(digit)]!)}`;

describe("searchUsers", () => {
  useDatabase();
  let viewer: BuiltUser;
  before(async () => {
    viewer = await buildUser();
  });

  const find = async (q: string, similar?: boolean) => {
    const { items } = await searchUsers(viewer.id, { q, page: 1, limit: 100 }, similar);
    return items.map(({ username }) => username);
  };

  it("finds usernames and names by their beginning: the exact name first, then the most similar", async () => {
    const stem = unique();
    const usernames = [`${stem}.long.name`, `${stem}_b`, stem, `x${stem}`];
    for (const username of usernames) await buildUser({ username, full_name: "Other" });
    await buildUser({ username: `${stem.slice(1)}z`, full_name: `${stem} Lovelace` });
    for (const similar of [true, false]) {
      const found = await find(stem, similar);
      expect(found.slice(0, 2), String(similar)).to.have.members([stem, `${stem.slice(1)}z`]);
      expect(found[0]).to.equal(stem);
      expect(found).to.include.members(usernames.slice(0, 3));
    }
    expect(await find(`@${stem}`, false)).to.deep.equal(await find(stem, false));
    expect(await find(`${stem}_`, false)).to.deep.equal([`${stem}_b`]);
  });

  it("finds similar names: a typo, a later word", async () => {
    const stem = unique();
    const ada = await buildUser({ username: `${stem}lovelace`, full_name: `Ada ${stem}` });
    const slip = `${stem}loevlace`;
    expect(await find(slip, true)).to.include(ada.username);
    expect(await find(stem.toUpperCase(), true)).to.include(ada.username);
    expect(await find(slip, false)).to.deep.equal([]);
  });

  it("finds a later word in any script", async () => {
    const stem = unique();
    for (const word of ["शर्मा", "محمد", "কুমার", "李小龙"]) {
      const { username } = await buildUser({ full_name: `${stem} ${word}` });
      expect(await find(word, true), word).to.include(username);
    }
  });

  it("ignores case, accents, width and invisible characters", async () => {
    const stem = unique();
    const zoe = await buildUser({ full_name: `Zoë ${stem} Straße` });
    const wide = [...stem].map((letter) => String.fromCodePoint(letter.codePointAt(0)! + 0xfee0)).join("");
    for (const q of [`zoe ${stem}`, `ZOE\u0308  ${stem} STRASSE`, `zo\u200be ${wide}`, ` zoë ${stem} straße`])
      expect(await find(q, false), q).to.deep.equal([zoe.username]);
  });

  it("takes pattern characters literally, and finds nothing for combining marks alone", async () => {
    const stem = unique();
    await buildUser({ username: `${stem}a` });
    for (const q of [`${stem}%`, `${stem}?`, `%${stem}`, `_${stem}`, `${stem}\\`, `'${stem}`, `${stem}&|!`])
      expect(await find(q, false), q).to.deep.equal([]);
    for (const q of ["\u0301\u0301", "\u200b\u200b\u200b", "@", "\u{10ffff}\u{10ffff}"])
      expect(await find(q), q).to.deep.equal([]);
  });

  it("leaves out suspended, deleted, deletion-pending and blocked users", async () => {
    const stem = unique();
    const names = ["seen", "suspended", "deleted", "leaving", "blocked", "blocker"];
    const people = new Map<string, BuiltUser>();
    for (const name of names) people.set(name, await buildUser({ username: `${stem}.${name}` }));
    for (const status of ["suspended", "deleted"] as const) await setStatus(people.get(status)!, status);
    await setStatus(people.get("leaving")!, "deletion_pending");
    await block(viewer, people.get("blocked")!);
    await block(people.get("blocker")!, viewer);
    for (const similar of [true, false]) expect(await find(stem, similar)).to.deep.equal([`${stem}.seen`]);
  });

  it("leaves out the viewer", async () => {
    const stem = unique();
    const [self, other] = [
      await buildUser({ username: `${stem}.self` }),
      await buildUser({ username: `${stem}.other` }),
    ];
    for (const similar of [true, false]) {
      const { items } = await searchUsers(self.id, { q: stem, page: 1, limit: 100 }, similar);
      expect(items.map(({ id }) => id)).to.deep.equal([other.id]);
    }
  });

  it("returns pages with the true total, also past the last page", async () => {
    const stem = unique();
    for (const end of ["a", "b", "c", "d", "e"]) await buildUser({ username: `${stem}${end}` });
    const pages = await Promise.all(
      [1, 2, 3, 4].map((page) => searchUsers(viewer.id, { q: stem, page, limit: 2 }, false)),
    );
    expect(pages.map(({ items }) => items.length)).to.deep.equal([2, 2, 1, 0]);
    for (const page of pages) expect(page).to.include({ total: 5, total_pages: 3 });
    expect(new Set(pages.flatMap(({ items }) => items.map(({ id }) => id))).size).to.equal(5);
  });

  describe("among 100,000 users", () => {
    const inSeeded = useSeededTables(["users"]);

    it("never scans the whole table, and stays bounded when many users have similar names", async function () {
      this.timeout(120_000);
      await inSeeded(async (tx) => {
        await tx.query("DROP INDEX users_username_similar_idx, users_name_similar_idx");
        await tx.query(`INSERT INTO users (id, username, email, full_name, password_hash, settings)
          SELECT uuidv7(), 'crowd' || n, 'crowd' || n || '@example.com', 'Crowd ' || md5(n::text), 'x', '{}'
          FROM generate_series(1, 100000) n`);
        await tx.query("CREATE INDEX users_username_similar_idx ON users USING gin (username gin_trgm_ops)");
        await tx.query("CREATE INDEX users_name_similar_idx ON users USING gin (search_form(full_name) gin_trgm_ops)");
        await tx.query("ANALYZE users");
        const search = (q: string | undefined, similar: boolean) =>
          tableScansOf(["users"], () => searchUsers(viewer.id, { q, page: 1, limit: 20 }, similar));
        for (const similar of [true, false])
          for (const q of [undefined, "c", "crowd", "cr", "no such name", "crwod999"])
            expect(await search(q, similar), q).to.deep.equal([]);
        const reads = async () =>
          (await query("SELECT pg_stat_get_xact_numscans('users_name_similar_idx'::regclass) AS n"))[0];
        const before = await reads();
        for (const q of ["____", "%%%"])
          expect((await searchUsers(viewer.id, { q, page: 1, limit: 20 }, true)).total).to.equal(0);
        expect(await reads(), "reads of a whole index").to.deep.equal(before);
        const many = await searchUsers(viewer.id, { q: "crowd", page: 1, limit: 20 }, true);
        expect(many.items).to.have.length(20);
        expect(many.total).to.be.within(200, 800);
      });
    });
  });
});
