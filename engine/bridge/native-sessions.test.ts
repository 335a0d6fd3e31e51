import { expect } from "chai";
import { accessTokenOf } from "#shared/testing/access/access-tokens.ts";
import {
  callMatchmaker,
  closeClients,
  codeOf,
  joinNative,
  type NativeTestClient,
  type Payload,
} from "#shared/testing/clients/clients.ts";
import { openRawWebSocket } from "#shared/testing/clients/raw-websocket.ts";
import { type BuiltRoom, type BuiltUser, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";
import { useClock } from "#shared/testing/use-clock.ts";

describe("sessions over the native transport", () => {
  const service = useService();
  const time = useClock();
  let ada: BuiltUser;
  let room: BuiltRoom;
  beforeEach(async () => {
    [ada, room] = await Promise.all([buildUser(), buildRoom()]);
  });
  afterEach(closeClients);

  const join = (person: BuiltUser): Promise<NativeTestClient> =>
    joinNative(service.url, person.token, { room_id: room.id });
  const matchmake = (path: string, options: unknown, token?: string) =>
    callMatchmaker(service.url, path, options, token);
  const members = async (): Promise<string[]> => {
    const { body } = await service.call("get", `/rooms/${room.id}`, { token: room.host.token });
    return body.data.members.map(({ user }: Payload) => user.id);
  };

  describe("when the token of a connection has expired", () => {
    let client: NativeTestClient;
    const send = async () => codeOf(await client.ask("room:message", { body: "hello" }));
    const refresh = async (token: string) => codeOf(await client.ask("auth:refresh", { token }));
    beforeEach(async () => {
      client = await join(ada);
      time.forward(15.5 * 60_000);
    });

    it("rejects its messages", async () => {
      expect(await send()).to.equal("TOKEN_EXPIRED");
    });

    it("rejects another user's token", async () => {
      expect(await refresh((await buildUser()).token)).to.equal("UNAUTHENTICATED");
    });

    it("accepts its messages again after a refresh", async () => {
      expect(await refresh(accessTokenOf(ada, 7200))).to.equal("ok");

      expect(await send()).to.equal("ok");
    });
  });

  describe("when one session has two connections", () => {
    let one: NativeTestClient;
    let two: NativeTestClient;
    const send = async (body: string) => codeOf(await one.ask("room:message", { body }));
    beforeEach(async () => {
      [one, two] = [await join(ada), await join(ada)];
    });

    it("shows one member", async () => {
      expect(await members()).to.deep.equal([ada.id]);
    });

    it("sends each event to each of them once", async () => {
      expect(await send("first")).to.equal("ok");
      expect(await send("last")).to.equal("ok");

      for (const { inbox } of [one, two]) {
        await inbox.next("room:new_message", ({ message }) => message.body === "last");
        expect(inbox.of("room:new_message")).to.have.length(2);
      }
    });

    it("keeps the member until both are closed", async () => {
      two.close();
      await two.inbox.next("leave");
      expect(await send("still here")).to.equal("ok");
      expect(await members()).to.deep.equal([ada.id]);

      one.close();
      await until("the member has left", async () => (await members()).length === 0);
    });
  });

  describe("when a session ends before its client connects", () => {
    const logOut = ({ refreshToken }: BuiltUser) => service.call("post", "/auth/logout", { body: { refreshToken } });
    const expectRefusal = async ({ processId, sessionId }: Payload, token = "") => {
      const path = `/${processId}/${room.id}?sessionId=${sessionId}&reconnectionToken=${token}`;
      const refused = await openRawWebSocket(service.url, path);
      await refused.heard("UNAUTHENTICATED");
      await refused.closed;
    };

    it("rejects a client that had been given a place", async () => {
      const place = await matchmake("join/voice_room", { room_id: room.id }, ada.token);

      await logOut(ada);

      await expectRefusal(place.body);
      expect(await members()).to.not.include(ada.id);
    });

    it("rejects a client that comes back after a dropped connection", async () => {
      const client = await join(ada);
      const [, token = ""] = client.room.reconnectionToken.split(":");
      client.room.reconnection.enabled = false;
      client.room.connection.close(4900);
      await client.inbox.next("leave");
      let back: Payload = {};
      await until("the room knows that the user is away", async () => {
        const { status, body } = await matchmake(`reconnect/${room.id}`, { reconnectionToken: token });
        back = body;
        return status === 200;
      });

      await logOut(ada);

      await expectRefusal(back, token);
    });
  });
});
