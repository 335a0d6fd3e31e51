import { expect } from "chai";
import { closeClients, connectSocket, joinNative, type SocketClient } from "#shared/testing/clients/clients.ts";
import { type BuiltRoom, type BuiltUser, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";
import { engine } from "../../engine.ts";

describe("the password of a room", () => {
  const service = useService();
  let room: BuiltRoom;
  let ada: BuiltUser;
  let adaSocket: SocketClient;
  beforeEach(async () => {
    [room, ada] = await Promise.all([buildRoom({ password: "open sesame", is_private: true }), buildUser()]);
    adaSocket = await connectSocket(service.url, ada.token);
  });
  afterEach(closeClients);

  const join = async (client: SocketClient, password?: string): Promise<string> => {
    const joined = await client.ask("room:join", { room_id: room.id, ...(password && { password }) });
    return joined.success ? "ok" : joined.error.code;
  };

  it("is required to join over Socket.IO", async () => {
    expect(await join(adaSocket)).to.equal("ROOM_PASSWORD_REQUIRED");
    expect(await join(adaSocket, "wrong")).to.equal("ROOM_PASSWORD_INCORRECT");
    expect(await join(adaSocket, "open sesame")).to.equal("ok");
  });

  it("is required to join natively", async () => {
    const failure = await joinNative(service.url, ada.token, { room_id: room.id }).catch((error: Error) => error);

    expect(failure).to.have.property("message").that.contains("ROOM_PASSWORD_REQUIRED");
  });

  it("keeps the members and seats of a private room from those who haven't joined", async () => {
    const { body } = await service.call("get", `/rooms/${room.id}`, { token: ada.token });

    expect(body.data).to.deep.include({ members: [], seats: [], my_role: null });
  });

  describe("with rate limits", () => {
    let context: { rateLimits: boolean };
    beforeEach(() => {
      context = engine() as { rateLimits: boolean };
      context.rateLimits = true;
    });
    afterEach(() => {
      context.rateLimits = false;
    });

    it("can be guessed ten times, over all connections of a user together", async () => {
      const sockets = [adaSocket, await connectSocket(service.url, ada.token)] as const;

      const guesses = Array.from({ length: 12 }, (_, index) => join(sockets[index % 2]!, `guess ${index}`));

      const codes = await Promise.all(guesses);
      expect(codes.filter((one) => one === "ROOM_PASSWORD_INCORRECT")).to.have.length(10);
      expect(codes.filter((one) => one === "RATE_LIMITED")).to.have.length(2);
      expect(await join(adaSocket, "open sesame")).to.equal("RATE_LIMITED");
    });

    it("can be sent any number of times if it is correct", async () => {
      for (let times = 0; times < 12; times += 1) {
        expect(await join(adaSocket, "open sesame")).to.equal("ok");
        await adaSocket.ask("room:leave", { room_id: room.id });
      }
    });
  });
});
