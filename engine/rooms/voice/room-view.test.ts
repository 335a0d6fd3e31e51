import { expect } from "chai";
import type { Member } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { eraseRooms } from "#shared/domain/live/rooms/erase-rooms.ts";
import {
  closeClients,
  codeOf,
  connectSocket,
  joinNative,
  joinVoiceRoom,
  type SocketClient,
} from "#shared/testing/clients/clients.ts";
import { buildVoiceScene } from "#shared/testing/clients/voice-scene.ts";
import { type BuiltRoom, type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";
import { RoomData } from "./room-data.ts";

describe("what a voice room shows its members", () => {
  const service = useService();
  let room: BuiltRoom;
  let ada: BuiltUser;
  let hostSocket: SocketClient;
  let adaSocket: SocketClient;

  const enter = (user: BuiltUser) => joinVoiceRoom(service.url, user.token, room.id);
  const inRoom = (more: object = {}) => ({ room_id: room.id, ...more });

  beforeEach(async () => {
    ({ room, ada, hostSocket, adaSocket } = await buildVoiceScene(service.url));
  });
  afterEach(closeClients);

  it("lets an invited member take the seat that they choose, unless the invitation names one", async () => {
    await hostSocket.ask("seat:invite", inRoom({ user_id: ada.id, seat_no: 4 }));
    expect(codeOf(await adaSocket.ask("seat:accept_invite", inRoom({ seat_no: 5 })))).to.equal("REQUEST_NOT_PENDING");
    await hostSocket.ask("seat:invite", inRoom({ user_id: ada.id }));
    const { data } = await adaSocket.ask("seat:accept_invite", inRoom({ seat_no: 6 }));
    expect(data.seats[5].user.id).to.equal(ada.id);
  });

  const members = async (): Promise<Member[]> =>
    (await service.call("get", `/rooms/${room.id}`, { token: ada.token })).body.data.members;
  const idsOf = (some: Member[]) => some.map(({ user }) => user.id);

  it("shows who is connected to it, over any transport, and who is online without hiding it", async () => {
    const [nat, rest, shy] = [await buildUser(), await buildUser(), await buildUser()];
    const hide = { token: shy.token, body: { privacy: { show_online: false } } };
    await service.call("patch", "/users/me/settings", hide);
    await joinNative(service.url, nat.token, { room_id: room.id });
    await service.call("post", `/rooms/${room.id}/join`, { token: rest.token, body: {} });
    await enter(shy);
    const [all, online] = [
      [room.host.id, ada.id, nat.id, rest.id, shy.id],
      [room.host.id, ada.id, nat.id],
    ];
    expect(idsOf(await members())).to.deep.equal(all);
    expect(idsOf((await members()).filter(({ connected }) => connected))).to.deep.equal([...online, shy.id]);
    expect(idsOf((await members()).filter(({ user }) => user.is_online))).to.deep.equal(online);
    await enter(rest);
    expect(idsOf((await members()).filter(({ user }) => user.is_online))).to.deep.equal([...online, rest.id]);
    hostSocket.close();
    const seen = ({ member }: { member: Member }) => member.user.id === room.host.id && !member.connected;
    expect((await adaSocket.inbox.next("room:member_updated", seen)).member.user.is_online).to.equal(false);
  });

  it("shows the host as among the members when they come or go while a user joins", async () => {
    const { hostCard } = RoomData.prototype;
    const ofHost = (isOnline: boolean) => (payload: { member: Member }) =>
      payload.member.user.id === room.host.id && payload.member.user.is_online === isOnline;
    const change = { true: () => enter(room.host), false: async () => void hostSocket.close() };
    for (const isOnline of [false, true]) {
      const [asked, changed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      RoomData.prototype.hostCard = async function (this: RoomData) {
        const card = await hostCard.call(this);
        asked.resolve();
        await changed.promise;
        return card;
      };
      try {
        const socket = await connectSocket(service.url, (await buildUser()).token);
        const joining = socket.ask("room:join", inRoom());
        await asked.promise;
        RoomData.prototype.hostCard = hostCard;
        await change[`${isOnline}`]();
        await adaSocket.inbox.next("room:member_updated", ofHost(isOnline));
        changed.resolve();
        expect((await joining).data.host.is_online, `${isOnline}`).to.equal(isOnline);
      } finally {
        RoomData.prototype.hostCard = hostCard;
      }
    }
  });

  it("sends its events to the open sockets of the session that joins by REST, and to no others", async () => {
    const rest = await buildUser();
    const own = await connectSocket(service.url, rest.token);
    const login = { body: { identifier: rest.username, password: rest.password } };
    const { accessToken } = (await service.call("post", "/auth/login", login)).body.data;
    const other = await connectSocket(service.url, accessToken);
    await service.call("post", `/rooms/${room.id}/join`, { token: rest.token, body: {} });
    const connection = (connected: boolean) => (payload: { member: Member }) =>
      payload.member.user.id === rest.id && payload.member.connected === connected;
    await hostSocket.inbox.next("room:member_updated", connection(true));
    await hostSocket.ask("room:message", inRoom({ body: "Welcome!" }));
    await own.inbox.next("room:new_message");
    expect((await other.ask("room:message", inRoom({ body: "Thanks!" }))).success).to.equal(true);
    expect(other.inbox.of("room:new_message")).to.deep.equal([]);
    own.close();
    await hostSocket.inbox.next("room:member_updated", connection(false));
  });

  it("leaves out deleted messages, and events from before a member joined", async () => {
    const { data } = await adaSocket.ask("room:join", inRoom());
    const said = await hostSocket.ask("room:message", inRoom({ body: "a slip of the tongue" }));
    await hostSocket.ask("room:message", inRoom({ body: "Good evening!" }));
    const message_id = said.data.id;
    await hostSocket.ask("message:delete", inRoom({ message_id }));

    const missed = await adaSocket.ask("room:sync", inRoom({ since_seq: data.seq }));
    const events = missed.data.events.map(({ event, payload }: { event: string; payload: { seq: number } }) => [
      event,
      payload.seq - data.seq,
    ]);
    expect(events).to.deep.equal([
      ["room:message_deleted", 1],
      ["room:new_message", 2],
      ["room:message_deleted", 3],
    ]);
    expect(missed.data.events[0].payload).to.include({ message_id, by: room.host.id });
    expect(JSON.stringify(missed)).not.to.include("slip of the tongue");

    const grace = await enter(await buildUser());
    const before = await grace.ask("room:sync", inRoom({ since_seq: data.seq }));
    expect(before.data).to.have.property("room");
  });

  it("repeats only the ID of an erased user", async () => {
    const zoe = await buildUser({ full_name: "Zoe the Canary" });
    const { data } = await adaSocket.ask("room:join", inRoom());
    const zoeSocket = await enter(zoe);
    await zoeSocket.ask("room:message", inRoom({ body: "The Canary sings" }));
    await zoeSocket.ask("seat:request", inRoom({ seat_no: 4 }));
    await hostSocket.ask("seat:invite", inRoom({ user_id: zoe.id }));
    await zoeSocket.ask("seat:accept_invite", inRoom());
    await zoeSocket.ask("room:leave", inRoom());
    const replay = async () => JSON.stringify(await adaSocket.ask("room:sync", inRoom({ since_seq: data.seq })));
    expect(await replay())
      .to.include("Zoe the Canary")
      .and.to.include("The Canary sings");

    await query("UPDATE users SET status = 'deleted', full_name = '', username = 'deleted_1' WHERE id = $1", [zoe.id]);
    await inTransaction((tx) => eraseRooms(tx, zoe.id));
    expect(await replay())
      .to.include(zoe.id)
      .and.not.to.include("Canary")
      .and.not.to.include(zoe.username);
  });

  it("announces when it closes that each member leaves, and ends with `room:closed`", async () => {
    await service.call("delete", `/rooms/${room.id}`, { token: room.host.token });
    await hostSocket.inbox.next("room:closed");
    // Sent on the same connection: what the room sent after its end would be here.
    expect(codeOf(await hostSocket.ask("room:join", inRoom()))).to.equal("ROOM_CLOSED");

    const told = hostSocket.inbox.all.filter(({ event }) => event.startsWith("room:")).slice(-3);
    expect(told.map(({ event, payload }) => [event, payload.reason, payload.member_count])).to.deep.equal([
      ["room:participant_left", "closed", 1],
      ["room:participant_left", "closed", 0],
      ["room:closed", "closed by the host", undefined],
    ]);
  });
});
