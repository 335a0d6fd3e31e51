import { expect } from "chai";
import { query, queryOne } from "#shared/db/query.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { block, follow, setStatus } from "#shared/testing/people.ts";
import { listOnline } from "./online.queries.ts";
import { addAudienceSource, addressPresence } from "./presence.audience.ts";
import { presencesOf } from "./presence.queries.ts";
import { connectionClosed, connectionOpened, dropExpiredLeases, dropProcess, renewLeases } from "./presence.ts";

/** When the lease ends, in milliseconds since 1970. */
const lease = async (userId: string, processId: string) => {
  const text = "SELECT lease_until FROM online_users WHERE user_id = $1 AND process_id = $2";
  const row = await queryOne<{ lease_until: string }>(text, [userId, processId]);
  return row && Date.parse(row.lease_until);
};
const runOut = (processId: string, ago: string) =>
  query("UPDATE online_users SET lease_until = now() - $2::interval WHERE process_id = $1", [processId, ago]);
const presenceOf = async (userId: string) => (await presencesOf([userId]))[0]!.update;
const audienceOf = async (userId: string) => (await addressPresence([userId])).map(({ audience }) => audience);
const isOnline = async (userId: string) => (await presenceOf(userId)).is_online;
const show = (userId: string, key: string, shown: boolean) =>
  query("UPDATE users SET settings = jsonb_set(settings, ARRAY['privacy', $2], to_jsonb($3::boolean)) WHERE id = $1", [
    userId,
    key,
    shown,
  ]);

describe("presence", () => {
  useDatabase();
  const processes = () => [newId(), newId()] as const;

  it("changes with the first and the last connection over all processes", async () => {
    const { id } = await buildUser();
    const [a, b] = processes();
    expect(await connectionOpened(id, a)).to.equal(true);
    expect(await connectionOpened(id, b)).to.equal(false);
    expect(await connectionClosed(id, a)).to.equal(false);
    expect(await isOnline(id)).to.equal(true);
    expect((await presenceOf(id)).last_seen_at).to.equal(null);
    expect(await connectionClosed(id, b)).to.equal(true);
    expect(await isOnline(id)).to.equal(false);
    expect(Date.parse((await presenceOf(id)).last_seen_at ?? "")).to.be.closeTo(Date.now(), 5000);
    expect(await connectionClosed(id, b)).to.equal(false);
  });

  it("reports each change once when processes open and close at the same moment", async () => {
    for (let round = 0; round < 20; round += 1) {
      const { id } = await buildUser();
      const [a, b] = processes();
      const opened = await Promise.all([connectionOpened(id, a), connectionOpened(id, b)]);
      expect(opened.filter(Boolean)).to.have.length(1);
      // One leaves while another one joins: either nothing changed, or the user went offline and online.
      const [went, came] = await Promise.all([
        connectionClosed(id, a).then(async (last) => (await connectionClosed(id, b)) || last),
        connectionOpened(id, "third"),
      ]);
      expect(went).to.equal(came);
      expect(await connectionClosed(id, "third")).to.equal(true);
    }
  });

  it("ends by itself when the process does", async () => {
    const { id } = await buildUser();
    const [dead, next] = processes();
    const before = Date.now();
    await connectionOpened(id, dead);
    expect(await lease(id, dead)).to.be.within(before + 30_000, Date.now() + 30_000);
    await runOut(dead, "1 second");
    expect(await isOnline(id)).to.equal(false);
    expect(await connectionOpened(id, next)).to.equal(true);
  });

  it("renews a process's leases in one statement, and returns the missing ones", async () => {
    const [ada, bob, cid] = await Promise.all([buildUser(), buildUser(), buildUser()]);
    const [mine] = processes();
    for (const { id } of [ada, bob, cid]) await connectionOpened(id, mine);
    await query("UPDATE online_users SET lease_until = now() + interval '5 s' WHERE process_id = $1", [mine]);
    const ofCid = await lease(cid.id, mine);
    // As a crash of the database would: the table is unlogged.
    await query("DELETE FROM online_users WHERE user_id = $1", [bob.id]);
    const before = Date.now();
    expect(await renewLeases(mine, [ada.id, bob.id])).to.deep.equal([bob.id]);
    expect(await lease(ada.id, mine)).to.be.within(before + 30_000, Date.now() + 30_000);
    expect([await lease(bob.id, mine), await lease(cid.id, mine)]).to.deep.equal([undefined, ofCid]);
    expect(await renewLeases(newId(), [])).to.deep.equal([]);
  });

  it("is dropped for all users of a process that ends, except those who have other connections", async () => {
    const [ada, bob] = await Promise.all([buildUser(), buildUser()]);
    const [ending, other] = processes();
    for (const { id } of [ada, bob]) await connectionOpened(id, ending);
    await connectionOpened(bob.id, other);
    expect(await dropProcess(ending)).to.deep.equal([ada.id]);
    expect(await Promise.all([ada, bob].map(({ id }) => isOnline(id)))).to.deep.equal([false, true]);
    expect(await dropProcess(ending)).to.deep.equal([]);
  });

  it("reports the users of a dead process to one caller, once their leases have expired for good", async () => {
    const [gone, pausing] = await Promise.all([buildUser(), buildUser()]);
    const [dead, slow] = processes();
    await connectionOpened(gone.id, dead);
    await connectionOpened(pausing.id, slow);
    await Promise.all([runOut(dead, "16 seconds"), runOut(slow, "10 seconds")]);
    const dropped = (await Promise.all([dropExpiredLeases(), dropExpiredLeases()])).flat();
    expect(dropped.filter((id) => id === gone.id)).to.have.length(1);
    expect(dropped).not.to.include(pausing.id);
    await renewLeases(slow, [pausing.id]);
    expect(await isOnline(pausing.id)).to.equal(true);
  });

  it("is pushed once to each user whom the sources name, and to no one while it is hidden", async () => {
    const [ada, friend] = await Promise.all([buildUser(), buildUser()]);
    addAudienceSource(async (userIds) =>
      userIds
        .filter((id) => id === ada.id)
        .flatMap((user_id) => [
          { user_id, watcher_id: friend.id },
          { user_id, watcher_id: user_id },
          { user_id: newId(), watcher_id: newId() },
        ]),
    );
    expect(await audienceOf(ada.id)).to.deep.equal([[ada.id, friend.id]]);
    expect(await audienceOf(friend.id)).to.deep.equal([[friend.id]]);
    await connectionOpened(ada.id, newId());
    await show(ada.id, "show_online", false);
    expect(await audienceOf(ada.id)).to.deep.equal([]);
    expect(await addressPresence([ada.id], { ofHidden: true })).to.deep.equal([
      {
        presence: { user_id: ada.id, is_online: false, last_seen_at: null, room_id: null },
        audience: [ada.id, friend.id],
      },
    ]);
    expect(await addressPresence([newId()], { ofHidden: true })).to.deep.equal([]);
  });

  it("names the room only while the user shows it and it is open and public", async () => {
    const { id } = await buildUser();
    const roomId = newId();
    await query(
      `INSERT INTO rooms (id, host_id, name, category, language, seat_count) VALUES ($1, $2, 'R', 'music', 'en', 8)`,
      [roomId, id],
    );
    await query("INSERT INTO room_presence (user_id, room_id, join_id) VALUES ($1, $2, $2)", [id, roomId]);
    const room = async () => (await presenceOf(id)).room_id;
    // Members who joined by REST aren't connected.
    expect(await room()).to.equal(roomId);
    await connectionOpened(id, newId());
    expect(await room()).to.equal(roomId);
    await show(id, "show_current_room", false);
    expect(await room()).to.equal(null);
    await show(id, "show_current_room", true);
    await query("UPDATE rooms SET is_private = true WHERE id = $1", [roomId]);
    expect(await room()).to.equal(null);
  });

  it("lists users who show it: followed users first, and none between whom and the viewer a block stands", async () => {
    const names = ["viewer", "newest", "followed", "hidden", "gone", "suspended", "blocked", "blocker"] as const;
    const people = new Map<string, string>();
    for (const name of ["followed", ...names.filter((name) => name !== "followed")])
      people.set(name, (await buildUser()).id);
    const idOf = (name: (typeof names)[number]) => ({ id: people.get(name)! });
    for (const name of names) await connectionOpened(idOf(name).id, name === "gone" ? "gone" : "here");
    await connectionOpened(idOf("newest").id, "there");
    await dropProcess("gone");
    await show(idOf("hidden").id, "show_online", false);
    await setStatus(idOf("suspended"), "suspended");
    await follow(idOf("viewer"), idOf("followed"));
    await block(idOf("viewer"), idOf("blocked"));
    await block(idOf("blocker"), idOf("viewer"));
    const listed = async (page: { page: number; limit: number }) => {
      const found = await listOnline(idOf("viewer").id, page);
      const known = found.items.filter(({ id }) => [...people.values()].includes(id));
      for (const { is_online } of known) expect(is_online).to.equal(true);
      return { ids: known.map(({ id }) => id), total: found.total };
    };
    expect((await listed({ page: 1, limit: 100 })).ids).to.deep.equal([idOf("followed").id, idOf("newest").id]);
    const { ids, total } = await listed({ page: 1, limit: 1 });
    expect(ids).to.deep.equal([idOf("followed").id]);
    expect(await listed({ page: total + 1, limit: 1 })).to.deep.equal({ ids: [], total });
  });
});
