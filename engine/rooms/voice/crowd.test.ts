import { expect } from "chai";
import type { Member } from "#shared/contracts/views.ts";
import {
  closeClients,
  connectSocket,
  joinNative,
  joinVoiceRoom,
  type Payload,
  type SocketClient,
} from "#shared/testing/clients/clients.ts";
import { fillRoom } from "#shared/testing/clients/fill-room.ts";
import { openTyped } from "#shared/testing/clients/typed-client.ts";
import { type BuiltRoom, type BuiltUser, buildGift, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";
import { namedMax } from "./crowd.ts";

describe("a room with more members than it names", () => {
  const service = useService();
  let room: BuiltRoom;
  let host: SocketClient;
  /** The first who joined after the host. */
  let named: string[];
  let ada: BuiltUser;
  let adaSocket: SocketClient;

  const inRoom = (more: object = {}) => ({ room_id: room.id, ...more });
  const enter = (user: BuiltUser) => joinVoiceRoom(service.url, user.token, room.id);
  const done = async (asked: Promise<Payload>): Promise<Payload> => {
    const answer = await asked;
    expect(answer.success, JSON.stringify(answer)).to.equal(true);
    return answer.data;
  };
  const isOf = (userId: string) => (payload: Payload) =>
    payload.member?.user.id === userId || payload.user_id === userId;
  const about = (client: SocketClient, userId: string) =>
    client.inbox.all.filter(({ payload }) => isOf(userId)(payload)).map(({ event }) => event);
  const countOf = async (members: number) =>
    host.inbox.next("room:members_counted", ({ member_count }) => member_count === members);
  const idsOf = (members: readonly Member[]) => members.map(({ user }) => user.id);

  /** The host, and as many others as are named; then Ada, who is counted. */
  beforeEach(async () => {
    room = await buildRoom();
    host = await enter(room.host);
    named = await fillRoom(room.id, namedMax - 1);
    ada = await buildUser();
    adaSocket = await enter(ada);
    await countOf(namedMax + 1);
  });
  afterEach(closeClients);

  it("names those who come first, and counts the others", async () => {
    expect(host.inbox.of("room:participant_joined")).to.have.length(namedMax);
    expect(about(host, named.at(-1)!)).to.deep.equal(["room:participant_joined"]);
    const counted = await fillRoom(room.id, 5);
    await countOf(namedMax + 6);
    adaSocket.close();
    await service.call("post", `/rooms/${room.id}/leave`, { token: ada.token, body: {} });
    await countOf(namedMax + 5);
    for (const id of [ada.id, ...counted]) expect(about(host, id), id).to.deep.equal([]);
    const sum = (key: string) => host.inbox.of("room:members_counted").reduce((all, each) => all + each[key], 0);
    expect([sum("joined"), sum("left")]).to.deep.equal([6, 1]);
  });

  it("shows the first, and who looks; all of them by page", async () => {
    const { members, member_count, joined } = await done(adaSocket.ask("room:join", inRoom()));
    expect(idsOf(members)).to.deep.equal([room.host.id, ...named.slice(0, 49), ada.id]);
    expect({ member_count, joined }).to.deep.equal({ member_count: namedMax + 1, joined: true });
    const { body } = await service.call("get", `/rooms/${room.id}/members?limit=100&page=4`, { token: ada.token });
    expect(idsOf(body.data.items)).to.deep.equal([ada.id]);
  });

  it("names who takes a seat or gets a role, from then on", async () => {
    const grace = await buildUser();
    const graceSocket = await enter(grace);
    await done(host.ask("seat:invite", inRoom({ user_id: ada.id, seat_no: 2 })));
    await done(adaSocket.ask("seat:accept_invite", inRoom()));
    await host.inbox.next("room:member_updated", isOf(ada.id));
    await done(host.ask("room:role", inRoom({ user_id: grace.id, role: "moderator" })));
    await host.inbox.next("room:role_changed", isOf(grace.id));
    await done(adaSocket.ask("seat:leave", inRoom()));
    await done(adaSocket.ask("room:leave", inRoom()));
    await done(graceSocket.ask("room:leave", inRoom()));
    for (const { id } of [ada, grace]) await host.inbox.next("room:participant_left", isOf(id));
  });

  it("names the next one when a named member leaves", async () => {
    const [gone, stays] = named as [string, string];
    await done(host.ask("room:kick", inRoom({ user_id: gone })));
    await host.inbox.next("room:participant_left", isOf(gone));
    const { member } = await host.inbox.next("room:member_updated", isOf(ada.id));
    expect(member.connected).to.equal(true);
    await done(host.ask("room:kick", inRoom({ user_id: stays })));
    const next = await enter(await buildUser());
    await until("everyone is named", () => host.inbox.of("room:participant_joined").length === namedMax + 1);
    adaSocket.close();
    await next.inbox.next("room:member_updated", isOf(ada.id));
  });

  it("shows native clients who is named, and how many there are", async () => {
    const grace = await buildUser();
    const native = await joinNative(service.url, grace.token, { room_id: room.id });
    const { state } = native.room;
    await until("the state is there", () => state.member_count === namedMax + 2);
    expect([state.members.size, state.members.has(ada.id), state.members.has(grace.id)]).to.deep.equal([
      namedMax,
      false,
      false,
    ]);
    await done(host.ask("room:kick", inRoom({ user_id: named[0] })));
    await until("Ada is named", () => state.members.has(ada.id) && !state.members.has(named[0]!));
  });

  it("counts in the typed client, also after a break", async () => {
    for (const isNative of [false, true]) {
      const grace = await buildUser();
      const typed = await openTyped(service.url, grace, room.id, isNative);
      expect(await typed.enter()).to.equal("ok");
      const before = typed.room!.state.member_count;
      expect(typed.room!.state.members.some(({ user }) => user.id === grace.id)).to.equal(true);
      await fillRoom(room.id, 3);
      await until("it counts", () => typed.room!.state.member_count === before + 3);
      typed.cut();
      await fillRoom(room.id, 2);
      await until("it has learnt what it missed", () => typed.room!.state.member_count === before + 5);
      await typed.close();
      expect(about(host, grace.id)).to.deep.equal([]);
    }
  });

  it("shows cheap gifts of a kind to the same user together, and others one by one", async () => {
    const [cheap, dear] = [await buildGift({ price: 10 }), await buildGift({ price: 101 })];
    const givers = await Promise.all([buildUser({ coins: 1000 }), buildUser({ coins: 1000 })]);
    for (const giver of givers) await enter(giver);
    const give = ({ token }: BuiltUser, gift_id: string, quantity: number) =>
      service.call("post", `/rooms/${room.id}/gifts`, {
        token,
        body: { gift_id, recipient_id: room.host.id, quantity },
      });
    await Promise.all(givers.flatMap((giver) => [give(giver, cheap.id, 1), give(giver, cheap.id, 2)]));
    await Promise.all(givers.map((giver) => give(giver, dear.id, 1)));
    const shown = () => host.inbox.of("gift:animation");
    const sum = (gift: { id: string }, key: string) =>
      shown().reduce((all, each) => (each.gift.id === gift.id ? all + each[key] : all), 0);
    await until("all are shown", () => sum(cheap, "quantity") === 6 && sum(dear, "quantity") === 2);
    expect([sum(cheap, "total_coins"), sum(dear, "total_coins")]).to.deep.equal([60, 202]);
    const [together, alone] = [cheap, dear].map(({ id }) => shown().filter(({ gift }) => gift.id === id));
    expect(together).to.have.length.below(4);
    expect(together!.every(({ senders }) => senders >= 1 && senders <= 2)).to.equal(true);
    expect(alone!.map(({ quantity, senders }) => [quantity, senders])).to.deep.equal([
      [1, undefined],
      [1, undefined],
    ]);
  });

  it("lets go of a connection whose user has left", async () => {
    const other = await connectSocket(service.url, ada.token);
    await done(other.ask("room:join", inRoom()));
    await done(other.ask("room:leave", inRoom()));
    other.close();
    adaSocket.close();
    await countOf(namedMax);
    const back = await enter(ada);
    expect((await done(back.ask("room:sync", inRoom({ since_seq: 0 })))).room.member_count).to.equal(namedMax + 1);
  });
});
