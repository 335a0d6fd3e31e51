import { expect } from "chai";
import { blockUser } from "#shared/domain/identity/relations/block-user.ts";
import { followUser } from "#shared/domain/identity/relations/follow-user.ts";
import { requestFriend } from "#shared/domain/identity/relations/request-friend.ts";
import { updateMe } from "#shared/domain/identity/users/update-me.ts";
import { closeClients, connectSocket, type SocketClient } from "#shared/testing/clients/clients.ts";
import { type BuiltUser, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { callerOf } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";

describe("presence:update", () => {
  const service = useService();
  let ada: BuiltUser;
  let bob: BuiltUser;
  beforeEach(async () => {
    [ada, bob] = await Promise.all([buildUser(), buildUser()]);
  });
  afterEach(closeClients);

  const connect = ({ token }: BuiltUser) => connectSocket(service.url, token);
  const follow = (one: BuiltUser, other: BuiltUser) => followUser(callerOf(one), other.id);
  const setPrivacy = (user: BuiltUser, privacy: { show_online?: boolean; show_current_room?: boolean }) =>
    updateMe(callerOf(user), { settings: { privacy } });
  /** Creates a user who is connected and online when this resolves. */
  const watch = async (user: BuiltUser): Promise<SocketClient> => {
    const client = await connect(user);
    await client.inbox.next("presence:update", ({ user_id }) => user_id === user.id);
    return client;
  };
  const newsOf = (client: SocketClient, { id }: BuiltUser) =>
    client.inbox.of("presence:update").filter(({ user_id }) => user_id === id);
  const next = (client: SocketClient, { id }: BuiltUser, members: object) =>
    client.inbox.next("presence:update", (payload) =>
      Object.entries({ user_id: id, ...members }).every(([key, value]) => payload[key] === value),
    );

  it("is sent to followers and friends only", async () => {
    const [friend, stranger, followed] = await Promise.all([buildUser(), buildUser(), buildUser()]);
    await Promise.all([follow(bob, ada), follow(ada, followed)]);
    await requestFriend(callerOf(friend), ada.id);
    await requestFriend(callerOf(ada), friend.id);
    const [follower, befriended, ...others] = await Promise.all([bob, friend, stranger, followed].map(watch));
    const socket = await connect(ada);
    const online = { user_id: ada.id, is_online: true, last_seen_at: null, room_id: null };
    for (const client of [follower!, befriended!]) expect(await next(client, ada, {})).to.deep.equal(online);
    socket.close();
    for (const client of [follower!, befriended!]) {
      const gone = await next(client, ada, { is_online: false });
      expect(Date.parse(gone.last_seen_at)).to.be.closeTo(Date.now(), 60_000);
    }
    for (const client of others) expect(newsOf(client, ada)).to.deep.equal([]);
  });

  it("names the room that a user joins, and no room after they leave, if they show it", async () => {
    await follow(bob, ada);
    const [room, secret] = await Promise.all([buildRoom(), buildRoom({ is_private: true })]);
    const watcher = await watch(bob);
    const socket = await watch(ada);
    const enter = (room_id: string) => socket.ask("room:join", { room_id });
    await enter(room.id);
    expect(await next(watcher, ada, { room_id: room.id })).to.include({ is_online: true });
    await enter(secret.id);
    await until("the private room is not named", () => newsOf(watcher, ada).at(-1)?.room_id === null);
    await enter(room.id);
    await until("the room is named again", () => newsOf(watcher, ada).at(-1)?.room_id === room.id);
    await setPrivacy(ada, { show_current_room: false });
    await until("the room is hidden", () => newsOf(watcher, ada).at(-1)?.room_id === null);
    expect(newsOf(watcher, ada).at(-1)).to.include({ is_online: true });
    await setPrivacy(ada, { show_current_room: true });
    await until("the room is shown", () => newsOf(watcher, ada).at(-1)?.room_id === room.id);
    await service.call("delete", `/rooms/${room.id}`, { token: room.host.token });
    await until("the room is closed", () => newsOf(watcher, ada).at(-1)?.room_id === null);
  });

  it("doesn't name a room to users whom its host has blocked", async () => {
    const [room, cid] = await Promise.all([buildRoom(), buildUser()]);
    await Promise.all([follow(bob, ada), follow(cid, ada), blockUser(callerOf(room.host), cid.id)]);
    const [watcher, blocked] = await Promise.all([bob, cid].map(watch));
    const socket = await watch(ada);
    await socket.ask("room:join", { room_id: room.id });
    await next(watcher!, ada, { room_id: room.id });
    await until("the blocked one is told too", () => newsOf(blocked!, ada).length === newsOf(watcher!, ada).length);
    for (const { room_id } of newsOf(blocked!, ada)) expect(room_id).to.equal(null);
  });

  it("isn't sent for users who hide it; a user who hides is offline from then on", async () => {
    await follow(bob, ada);
    const [room, watcher] = [await buildRoom(), await watch(bob)];
    const socket = await watch(ada);
    await next(watcher, ada, { is_online: true });
    await setPrivacy(ada, { show_online: false });
    const hidden = await next(watcher, ada, { is_online: false });
    expect(hidden).to.deep.equal({ user_id: ada.id, is_online: false, last_seen_at: null, room_id: null });
    const told = newsOf(watcher, ada).length;
    await socket.ask("room:join", { room_id: room.id });
    socket.close();
    const again = await connect(ada);
    // Sent in the same way and after it: an event about her would be here by then.
    const cid = await buildUser();
    await follow(bob, cid);
    const other = await watch(cid);
    await other.ask("room:join", { room_id: room.id });
    await next(watcher, cid, { room_id: room.id });
    expect(newsOf(watcher, ada)).to.have.length(told);
    await setPrivacy(ada, { show_online: true });
    await until("she is seen again", () => newsOf(watcher, ada).at(-1)?.is_online === true);
    again.close();
  });

  it("isn't sent to users whom the user has blocked, or who have blocked the user", async () => {
    const cid = await buildUser();
    for (const other of [bob, cid]) await Promise.all([follow(other, ada), follow(ada, other)]);
    await blockUser(callerOf(ada), bob.id);
    await blockUser(callerOf(cid), ada.id);
    const witness = await buildUser();
    await follow(witness, ada);
    const [blocked, blocker, seen] = await Promise.all([bob, cid, witness].map(watch));
    await connect(ada);
    await next(seen!, ada, { is_online: true });
    for (const client of [blocked!, blocker!]) expect(newsOf(client, ada)).to.deep.equal([]);
  });
});
