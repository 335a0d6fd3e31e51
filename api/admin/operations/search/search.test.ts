import { expect } from "chai";
import type { NamedRecord } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { kinds } from "#shared/domain/operations/search/kinds.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type BuiltAdmin, buildAdmin } from "#shared/testing/admins.ts";
import { buildTopUp } from "#shared/testing/catalogue.ts";
import { buildGift, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";
import { managedResources } from "../../routes.ts";

describe("the search for records", () => {
  const service = useService();
  let root: BuiltAdmin;
  before(async () => {
    root = await buildAdmin();
  });

  const ask = async (path: string, fields: Record<string, string>, by = root): Promise<NamedRecord[]> => {
    const { body } = await service.admin("get", `${path}?${new URLSearchParams(fields)}`, { token: by.token });
    return body.data;
  };
  const search = (q: string, by = root) => ask("/search", { q }, by);
  const names = (refs: readonly string[], by = root) => ask("/names", { refs: refs.join(",") }, by);

  it("knows every managed resource", () => {
    const known = new Set(kinds.map(({ type }) => type));
    expect(managedResources.map(([{ name }]) => name).filter((name) => !known.has(name))).to.deep.equal([]);
  });

  it("finds by a part of a name, by an ID, and by what belongs to a record", async () => {
    const word = `x${newId().slice(-10)}`;
    const user = await buildUser({ full_name: `Ada ${word}` });
    const room = await buildRoom({ host: user, name: `Room ${word}` });
    const topUp = await buildTopUp({ topUp: { name: `Gems ${word}` } });
    const messageId = newId();
    await query("INSERT INTO room_messages (id, room_id, user_id, body) VALUES ($1, $2, $3, 'Hello')", [
      messageId,
      room.id,
      user.id,
    ]);
    const session = await query<{ id: string }>("SELECT id FROM sessions WHERE user_id = $1", [user.id]);
    const shown = {
      user: { type: "user", id: user.id, name: `Ada ${word}`, detail: `@${user.username}` },
      room: { type: "room", id: room.id, name: `Room ${word}`, detail: "open" },
      topUp: { type: "catalogue_top_up", id: String(topUp.id), name: `Gems ${word}`, detail: "" },
    };

    expect(await search(word)).to.deep.equal([shown.user, shown.room, shown.topUp]);
    expect(await search(user.id.toUpperCase())).to.deep.equal([shown.user]);
    expect(await search(session[0]!.id)).to.deep.equal([shown.user]);
    expect(await search(messageId)).to.deep.equal([shown.room]);
    expect(await search(`#${topUp.id}`)).to.deep.include(shown.topUp);
    expect(await names([`user:${user.id}`, `catalogue_top_up:${topUp.id}`])).to.deep.equal([shown.user, shown.topUp]);
  });

  it("finds nothing of what doesn't exist, whatever it is", async () => {
    expect(await search(newId())).to.deep.equal([]);
    expect(await search("999999999")).to.deep.equal([]);
    expect(await search(`%${newId()}`)).to.deep.equal([]);
    const all = kinds.map(({ type, idType }) => `${type}:${idType === "uuid" ? newId() : "999999999"}`);
    expect(await names([...all, "user:17", "dragon:17"])).to.deep.equal([]);
  });

  it("shows administrators only what their role may read", async () => {
    const clerk = await buildAdmin(["dashboard.read", "gifts.read"]);
    const [user, gift] = [await buildUser(), await buildGift()];

    expect(await search(user.id, clerk)).to.deep.equal([]);
    expect(await search(user.username, clerk)).to.deep.equal([]);
    expect((await search(gift.id, clerk)).map(({ type }) => type)).to.deep.equal(["gift"]);
    expect((await names([`user:${user.id}`, `gift:${gift.id}`], clerk)).map(({ id }) => id)).to.deep.equal([gift.id]);
  });
});
