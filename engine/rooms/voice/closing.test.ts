import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { closeClients, codeOf, joinNative, type SocketClient } from "#shared/testing/clients/clients.ts";
import { buildVoiceScene } from "#shared/testing/clients/voice-scene.ts";
import { type BuiltRoom, type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { adminCaller } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";
import { engine } from "../../engine.ts";

describe("closing and changing a voice room", () => {
  const service = useService();
  let room: BuiltRoom;
  let ada: BuiltUser;
  let hostSocket: SocketClient;
  let adaSocket: SocketClient;

  const inRoom = (more: object = {}) => ({ room_id: room.id, ...more });

  beforeEach(async () => {
    ({ room, ada, hostSocket, adaSocket } = await buildVoiceScene(service.url));
  });
  afterEach(closeClients);

  describe("whose host has left it", () => {
    const shownHost = async () => {
      const { body } = await service.call("get", `/rooms/${room.id}`, { token: ada.token });
      return body.data.host;
    };
    beforeEach(() => hostSocket.ask("room:leave", inRoom()));

    it("shows the host's current profile and presence", async () => {
      await service.call("patch", "/users/me", { token: room.host.token, body: { full_name: "Grace Hopper" } });

      expect(await shownHost()).to.include({ full_name: "Grace Hopper", is_online: true });
    });

    it("shows that the host goes offline", async () => {
      hostSocket.close();

      await until("the host is shown as offline", async () => !(await shownHost()).is_online);
    });
  });

  it("can't be changed or closed by others than the host, who are told so", async () => {
    const asModerator = () => hostSocket.ask("room:role", inRoom({ user_id: ada.id, role: "moderator" }));
    for (const become of [async () => {}, asModerator]) {
      await become();
      for (const [method, body] of [["delete"], ["patch", { name: "Mine" }]] as const) {
        const refused = await service.call(method, `/rooms/${room.id}`, { token: ada.token, ...(body && { body }) });
        expect(refused.body.error).to.include({ code: "FORBIDDEN", message: "Only the host can do this." });
      }
    }
  });

  describe("that its host closes", () => {
    let native: Awaited<ReturnType<typeof joinNative>>;
    let closed: Awaited<ReturnType<typeof service.call>>;
    beforeEach(async () => {
      native = await joinNative(service.url, (await buildUser()).token, { room_id: room.id });
      closed = await service.call("delete", `/rooms/${room.id}`, { token: room.host.token });
      expect(closed.body.data.status).to.equal("closed");
    });

    it("notifies everyone in it, and disconnects native clients", async () => {
      for (const client of [hostSocket, adaSocket, native])
        expect(await client.inbox.next("room:closed")).to.include({ room_id: room.id });
      await native.inbox.next("leave");
    });

    it("can no longer be joined", async () => {
      expect(codeOf(await adaSocket.ask("room:join", inRoom()))).to.equal("ROOM_CLOSED");
    });

    it("is shown as closed and empty", async () => {
      const { body } = await service.call("get", `/rooms/${room.id}`, { token: ada.token });

      expect(body.data).to.deep.include({ status: "closed", members: [], seats: [] });
    });
  });

  describe("that an administrator closes", () => {
    const admin = adminCaller();
    beforeEach(async () => {
      const command = { principal: admin, action: "room:close", input: { reason: "spam" } } as const;
      expect((await engine().directory.call("voice_room", room.id, command)).ok).to.equal(true);
    });

    it("notifies its members of the reason", async () => {
      expect(await adaSocket.inbox.next("room:closed")).to.include({ reason: "spam" });
    });

    it("has an entry in the audit log", async () => {
      const entries = await query("SELECT action, principal_id, reason FROM audit_log WHERE target_id = $1", [room.id]);

      expect(entries).to.deep.equal([{ action: "room.close", principal_id: admin.adminId, reason: "spam" }]);
    });
  });

  describe("when it is changed", () => {
    const change = (token: string, body: object) => service.call("patch", `/rooms/${room.id}`, { token, body });

    it("announces its new name", async () => {
      const changed = await change(room.host.token, { name: "Early birds" });

      expect(changed.body.data).to.include({ name: "Early birds" });
      expect((await adaSocket.inbox.next("room:updated")).room.name).to.equal("Early birds");
    });

    it("announces its new seats", async () => {
      const changed = await change(room.host.token, { seat_count: 4 });

      expect(changed.body.data).to.include({ seat_count: 4 });
      await adaSocket.inbox.next("room:seats_updated", ({ seats }) => seats.length === 4);
    });

    it("rejects a change by a member", async () => {
      const { body } = await change(ada.token, { name: "Mine" });

      expect(body.error.code).to.equal("FORBIDDEN");
    });
  });
});
