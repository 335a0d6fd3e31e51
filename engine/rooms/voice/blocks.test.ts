import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { blockUser, unblockUser } from "#shared/domain/identity/relations/block-user.ts";
import { closeClients, codeOf, connectSocket, joinNative, joinVoiceRoom } from "#shared/testing/clients/clients.ts";
import { type BuiltRoom, type BuiltUser, buildGift, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { block as addBlock, callerOf } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";
import type { Command } from "../../core/command.ts";
import { engine } from "../../engine.ts";
import { RoomData } from "./room-data.ts";

describe("blocks in voice rooms", () => {
  const service = useService();
  let room: BuiltRoom;
  let ada: BuiltUser;

  beforeEach(async () => {
    [room, ada] = await Promise.all([buildRoom(), buildUser()]);
  });
  afterEach(closeClients);

  const inRoom = (more: object = {}) => ({ room_id: room.id, ...more });
  const block = (blocker: BuiltUser, blocked: BuiltUser) => blockUser(callerOf(blocker), blocked.id);
  const enter = (user: BuiltUser) => joinVoiceRoom(service.url, user.token, room.id);
  const get = (path: string, { token }: BuiltUser) => service.call("get", path, { token });

  for (const [title, pairOf] of [
    ["whom the host has blocked", () => [room.host, ada]],
    ["who has blocked the host", () => [ada, room.host]],
  ] as const)
    describe(`of a user ${title}`, () => {
      const [blocker, blocked] = [() => pairOf()[0]!, () => pairOf()[1]!];

      it("keep the user out over every transport", async () => {
        await block(blocker(), blocked());
        const socket = await connectSocket(service.url, ada.token);
        expect(codeOf(await socket.ask("room:join", inRoom()))).to.equal("BLOCKED");
        const { token } = ada;
        const joined = await service.call("post", `/rooms/${room.id}/join`, { token, body: {} });
        expect([joined.status, codeOf(joined.body)]).to.deep.equal([403, "BLOCKED"]);
        const failure = await joinNative(service.url, token, { room_id: room.id }).catch((error: Error) => error);
        expect(failure).to.have.property("message").that.contains("BLOCKED");
        await unblockUser(callerOf(blocker()), blocked().id);
        expect((await socket.ask("room:join", inRoom())).success).to.equal(true);
      });

      it("hide the room from the user", async () => {
        const listed = async () => {
          const { body } = await get("/rooms?filter=new&limit=100", ada);
          return body.data.items.some(({ id }: { id: string }) => id === room.id);
        };
        expect(await listed()).to.equal(true);
        await block(blocker(), blocked());
        expect(await listed()).to.equal(false);
        for (const path of [`/rooms/${room.id}`, `/rooms/${room.id}/messages`, `/rooms/${room.id}/bans`])
          expect(codeOf((await get(path, ada)).body), path).to.equal("NOT_FOUND");
      });

      it("remove the user from the room, and their role", async () => {
        const [hostSocket, adaSocket] = [await enter(room.host), await enter(ada)];
        const raised = await hostSocket.ask("room:role", inRoom({ user_id: ada.id, role: "moderator" }));
        expect(raised.success).to.equal(true);
        await block(blocker(), blocked());
        expect(await adaSocket.inbox.next("room:kicked")).to.deep.equal(inRoom({ reason: "", banned_until: null }));
        const left = await hostSocket.inbox.next("room:participant_left");
        expect(left).to.include({ user_id: ada.id, reason: "kicked", member_count: 1 });
        for (const [event, more] of [
          ["seat:lock", { seat_no: 2, locked: true }],
          ["room:message", { body: "still here?" }],
        ] as const)
          expect(codeOf(await adaSocket.ask(event, inRoom(more)))).to.equal("NOT_A_MEMBER");
        expect(await query("SELECT 1 FROM room_moderators WHERE room_id = $1", [room.id])).to.deep.equal([]);
      });
    });

  it("end the role of an absent moderator, also while the room has no actor", async () => {
    await query("INSERT INTO room_moderators (room_id, user_id) VALUES ($1, $2)", [room.id, ada.id]);
    await block(room.host, ada);
    const witness = await enter(await buildUser());
    // The event of a later block is delivered after that of the earlier one.
    const eve = await buildUser();
    const eveSocket = await enter(eve);
    await block(room.host, eve);
    await eveSocket.inbox.next("room:kicked");
    const socket = await connectSocket(service.url, ada.token);
    expect(codeOf(await socket.ask("seat:lock", inRoom({ seat_no: 2, locked: true })))).to.equal("NOT_A_MEMBER");
    expect(witness.inbox.of("room:participant_left").map(({ user_id }) => user_id)).to.deep.equal([eve.id]);
  });

  it("leave alone the room of a third, but for seats and gifts between the two", async () => {
    const bob = await buildUser({ coins: 100 });
    const [hostSocket, adaSocket, bobSocket] = [await enter(room.host), await enter(ada), await enter(bob)];
    await hostSocket.ask("room:role", inRoom({ user_id: bob.id, role: "moderator" }));
    const { data: request } = await adaSocket.ask("seat:request", inRoom());
    const gift = await buildGift();
    const give = (from: BuiltUser, to: BuiltUser) =>
      service.call("post", `/rooms/${room.id}/gifts`, {
        token: from.token,
        body: { gift_id: gift.id, recipient_id: to.id, quantity: 1 },
      });
    await bobSocket.ask("seat:invite", inRoom({ user_id: ada.id }));
    await block(ada, bob);
    expect(codeOf(await adaSocket.ask("seat:accept_invite", inRoom()))).to.equal("BLOCKED");
    expect(codeOf(await bobSocket.ask("seat:approve", inRoom({ request_id: request.id })))).to.equal("BLOCKED");
    expect(codeOf(await bobSocket.ask("seat:invite", inRoom({ user_id: ada.id })))).to.equal("BLOCKED");
    expect(codeOf((await give(bob, ada)).body)).to.equal("BLOCKED");
    expect((await hostSocket.ask("seat:approve", inRoom({ request_id: request.id }))).success).to.equal(true);
    expect((await give(bob, room.host)).status).to.equal(201);
    const seen = await get(`/rooms/${room.id}`, ada);
    expect(seen.body.data).to.include({ member_count: 3, seated_count: 2 });
  });

  it("keep out a user who is blocked while joining", async () => {
    await enter(room.host);
    for (let round = 0; round < 10; round += 1) {
      const guest = await buildUser();
      const socket = await connectSocket(service.url, guest.token);
      const [joined] = await Promise.all([socket.ask("room:join", inRoom()), block(room.host, guest)]);
      if (joined.success) await socket.inbox.next("room:kicked");
      else expect(codeOf(joined)).to.equal("BLOCKED");
      expect(codeOf(await socket.ask("room:message", inRoom({ body: "hi" })))).to.equal("NOT_A_MEMBER");
    }
  });

  it("remove a user whom they have not kept out, also when the room is out of reach first", async () => {
    const hostSocket = await enter(room.host);
    const adaSocket = await connectSocket(service.url, ada.token);
    const { hostCard } = RoomData.prototype;
    const { directory } = engine();
    const { callIfAlive } = directory;
    let refused = 0;
    // Between the check and the join.
    RoomData.prototype.hostCard = async function (this: RoomData) {
      if (refused === 0) await addBlock(room.host, ada);
      return hostCard.call(this);
    };
    directory.callIfAlive = (async (...asked: Parameters<typeof callIfAlive>) => {
      if ((asked[2] as Command).action !== "user:expel" || refused > 0) return callIfAlive.apply(directory, asked);
      refused += 1;
      return { ok: false, code: "ENGINE_UNAVAILABLE", message: "planted" };
    }) as typeof callIfAlive;
    try {
      expect(codeOf(await adaSocket.ask("room:join", inRoom()))).to.equal("BLOCKED");
      const left = await hostSocket.inbox.next("room:participant_left");
      expect(left).to.include({ user_id: ada.id, reason: "kicked" });
      expect(refused).to.equal(1);
    } finally {
      RoomData.prototype.hostCard = hostCard;
      directory.callIfAlive = callIfAlive;
    }
  });
});
