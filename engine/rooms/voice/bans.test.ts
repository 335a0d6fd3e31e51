import { expect } from "chai";
import { closeClients, codeOf, type SocketClient } from "#shared/testing/clients/clients.ts";
import { buildVoiceScene } from "#shared/testing/clients/voice-scene.ts";
import type { BuiltRoom, BuiltUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";

describe("a room that a user was banned from", () => {
  const service = useService();
  let room: BuiltRoom;
  let ada: BuiltUser;
  let hostSocket: SocketClient;
  let adaSocket: SocketClient;

  const inRoom = (more: object = {}) => ({ room_id: room.id, ...more });

  afterEach(closeClients);
  beforeEach(async () => {
    ({ room, ada, hostSocket, adaSocket } = await buildVoiceScene(service.url));
    const kicked = await hostSocket.ask("room:kick", inRoom({ user_id: ada.id, ban_minutes: 5, reason: "noise" }));
    expect(kicked.success).to.equal(true);
  });

  it("notifies the user and the room", async () => {
    const notice = await adaSocket.inbox.next("room:kicked");
    const left = await hostSocket.inbox.next("room:participant_left");

    expect(notice).to.include({ room_id: room.id, reason: "noise" });
    expect(Date.parse(notice.banned_until)).to.be.greaterThan(Date.now() + 4 * 60_000);
    expect(left).to.include({ user_id: ada.id, reason: "kicked", member_count: 1 });
  });

  it("no longer sends events to the user", async () => {
    await hostSocket.ask("room:message", inRoom({ body: "after the kick" }));
    await hostSocket.inbox.next("room:new_message");

    expect(adaSocket.inbox.of("room:new_message")).to.deep.equal([]);
  });

  it("lists the ban", async () => {
    const bans = await service.call("get", `/rooms/${room.id}/bans`, { token: room.host.token });

    expect(bans.body.data.items[0]).to.deep.include({ reason: "noise" });
  });

  it("rejects the user until the ban is lifted", async () => {
    const banned = await adaSocket.ask("room:join", inRoom());

    await service.call("delete", `/rooms/${room.id}/bans?user_id=${ada.id}`, { token: room.host.token });
    const admitted = await adaSocket.ask("room:join", inRoom());

    expect([codeOf(banned), admitted.success]).to.deep.equal(["BANNED_FROM_ROOM", true]);
  });
});
