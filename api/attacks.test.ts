import { request } from "node:http";
import { expect } from "chai";
import { service as serviceItself } from "#shared/contracts/principal.ts";
import { suspendUser } from "#shared/domain/identity/accounts/suspend-user.ts";
import { callMatchmaker, closeClients, connectSocket, type Payload } from "#shared/testing/clients/clients.ts";
import { openRawWebSocket } from "#shared/testing/clients/raw-websocket.ts";
import { type BuiltUser, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { messagesTo } from "#shared/testing/mailbox.ts";
import { useService } from "#shared/testing/service.ts";

describe("a place in a room that a native client has reserved", () => {
  const service = useService();
  afterEach(closeClients);

  const call = async (method: "delete" | "patch" | "post", path: string, { token }: BuiltUser, body?: object) => {
    const { body: answer } = await service.call(method, path, { token, ...(body && { body }) });
    expect(answer.error, path).to.equal(undefined);
  };
  const losses: Record<string, (room: string, host: BuiltUser, mallory: BuiltUser) => Promise<unknown>> = {
    "a ban": async (room, host, mallory) => {
      await call("post", `/rooms/${room}/join`, mallory);
      await call("post", `/rooms/${room}/kick`, host, { user_id: mallory.id, ban_minutes: 5 });
    },
    "a new password": (room, host) => call("patch", `/rooms/${room}`, host, { password: "open sesame" }),
    "a block": (_room, host, mallory) => call("post", `/users/${mallory.id}/block`, host),
    "a suspension": (_room, _host, { id }) => suspendUser(serviceItself, id, { reason: "test" }),
    "the end of the session": (_room, _host, mallory) => call("delete", `/auth/sessions/${mallory.sessionId}`, mallory),
    "the end of the room": (room, host) => call("delete", `/rooms/${room}`, host),
  };

  /** Reserves a place, loses the right to it, comes, and returns whether the user is a member. */
  async function comeAfter(loss: (typeof losses)[string]): Promise<boolean> {
    const [room, mallory] = await Promise.all([buildRoom(), buildUser()]);
    const host = await connectSocket(service.url, room.host.token);
    await host.ask("room:join", { room_id: room.id });
    const { status, body } = await callMatchmaker(service.url, "join/voice_room", { room_id: room.id }, mallory.token);
    expect(status).to.equal(200);
    await loss(room.id, room.host, mallory);

    const raw = await openRawWebSocket(service.url, `/${body.processId}/${room.id}?sessionId=${body.sessionId}`);
    if (loss !== kept) await raw.closed;
    else await raw.heard("schema");
    const { body: after } = await service.call("get", `/rooms/${room.id}`, { token: room.host.token });
    raw.close();
    return after.data.members.some(({ user }: Payload) => user.id === mallory.id);
  }
  const kept = async () => {};

  it("is theirs if nothing happens", async () => {
    expect(await comeAfter(kept)).to.equal(true);
  });

  for (const [name, loss] of Object.entries(losses))
    it(`is lost with ${name}`, async () => {
      expect(await comeAfter(loss)).to.equal(false);
    });
});

describe("a link in an email", () => {
  const service = useService();

  it("never leads to a host that the request names", async () => {
    const ada = await buildUser();
    const body = JSON.stringify({ email: ada.email });
    const headers = {
      host: "attacker.example",
      "x-forwarded-host": "attacker.example",
      "content-type": "application/json",
      "content-length": body.length,
    };
    const { port } = new URL(service.url);
    const status = await new Promise((resolve) => {
      const path = "/api/v1/auth/forgot-password";
      request({ port, path, method: "POST", headers }, (response) => resolve(response.resume().statusCode)).end(body);
    });

    expect(status).to.equal(200);
    const [mail] = await messagesTo(ada.email);
    expect(mail?.text).to.contain("http").and.not.to.contain("attacker");
  });
});
