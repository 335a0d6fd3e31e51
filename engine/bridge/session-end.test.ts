import { expect } from "chai";
import { closeCodes } from "#shared/contracts/close-codes.ts";
import { accessTokenOf } from "#shared/testing/access/access-tokens.ts";
import { closeClients, connectSocket, type Inbox, joinNative, type Payload } from "#shared/testing/clients/clients.ts";
import { type BuiltRoom, type BuiltUser, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { messagesTo, tokenIn } from "#shared/testing/mailbox.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";
import { useClock } from "#shared/testing/use-clock.ts";

/** A client in the room, over either transport. */
interface Client {
  readonly inbox: Inbox;
  ask(event: string, payload?: object): Promise<Payload>;
}

describe("the end of a session", () => {
  const service = useService();
  const time = useClock();
  let room: BuiltRoom;
  let host: BuiltUser;
  let watcher: Client;
  /** A token that is still valid when the clock has moved on. */
  const lasting = (person: BuiltUser) => accessTokenOf(person, 30 * 86_400);

  beforeEach(async () => {
    room = await buildRoom();
    host = room.host;
    watcher = await transports["Socket.IO"].enter(lasting(await buildUser()));
  });
  afterEach(closeClients);

  const transports = {
    "Socket.IO": {
      async enter(token: string): Promise<Client> {
        const client = await connectSocket(service.url, token);
        expect((await client.ask("room:join", { room_id: room.id })).success).to.equal(true);
        return client;
      },
      ended: ({ inbox }: Client) => inbox.next("disconnect"),
      expired: ({ inbox }: Client) => inbox.next("disconnect"),
    },
    Colyseus: {
      enter: (token: string): Promise<Client> => joinNative(service.url, token, { room_id: room.id }),
      ended: ({ inbox }: Client) => inbox.next("leave", ({ code }) => code === closeCodes.sessionEnded),
      expired: ({ inbox }: Client) => inbox.next("leave", ({ code }) => code === closeCodes.tokenExpired),
    },
  };

  const call = async (method: string, path: string, options: object = {}): Promise<Payload> => {
    const { body, status } = await service.call(method, path, options);
    expect(status, JSON.stringify(body)).to.be.within(200, 299);
    return body.data;
  };
  const login = () => call("post", "/auth/login", { body: { identifier: host.email, password: host.password } });

  /** Ways to end the session by which the host is connected. */
  const ends: Record<string, () => Promise<unknown>> = {
    "logging out": () => call("post", "/auth/logout", { body: { refreshToken: host.refreshToken } }),
    "ending it from another device": async () => {
      const { accessToken } = await login();
      await call("delete", `/auth/sessions/${host.sessionId}`, { token: accessToken });
    },
    "resetting the password": async () => {
      await call("post", "/auth/forgot-password", { body: { email: host.email } });
      const token = tokenIn((await messagesTo(host.email))[0]!);
      await call("post", "/auth/reset-password", { body: { token, password: "another password of theirs" } });
    },
    "using a refresh token after its successor": async () => {
      const { refreshToken } = await call("post", "/auth/refresh", { body: { refreshToken: host.refreshToken } });
      await call("post", "/auth/refresh", { body: { refreshToken } });
      await service.call("post", "/auth/refresh", { body: { refreshToken: host.refreshToken } });
    },
  };

  for (const [name, transport] of Object.entries(transports)) {
    for (const [how, end] of Object.entries(ends))
      it(`by ${how} closes connections over ${name}, and frees the seat at once`, async () => {
        const client = await transport.enter(host.token);
        await watcher.inbox.next("room:seats_updated", ({ seats }) => seats[0].user?.id === host.id);

        await end();

        await transport.ended(client);
        // The grace for lost connections is 30 s.
        await watcher.inbox.next("room:participant_left", (left) => left.user_id === host.id && left.reason === "left");
        await watcher.inbox.next("room:seats_updated", ({ seats }) => seats[0].user === null);
      });

    it(`leaves a user in the room who is connected by another session over ${name}`, async () => {
      const other = await transport.enter((await login()).accessToken);
      const client = await transport.enter(host.token);

      await ends["logging out"]!();

      await transport.ended(client);
      expect((await other.ask("room:message", { room_id: room.id, body: "still here" })).success).to.equal(true);
      await watcher.inbox.next("room:new_message", ({ message }) => message.body === "still here");
      expect(watcher.inbox.of("room:participant_left")).to.deep.equal([]);
    });

    it(`closes connections over ${name} a minute after their token expired, unless it is replaced`, async () => {
      const [client, refreshed] = [await transport.enter(host.token), await transport.enter(host.token)];
      const says = (body: string) => watcher.ask("room:message", { room_id: room.id, body });
      const heard = (body: string) => (payload: Payload) => payload.message.body === body;

      time.forward(15.5 * 60_000);
      expect((await refreshed.ask("auth:refresh", { token: lasting(host) })).success).to.equal(true);
      await says("just expired");
      for (const { inbox } of [client, refreshed]) await inbox.next("room:new_message", heard("just expired"));

      time.forward(60_000);
      await transport.expired(client);
      await says("long expired");
      await refreshed.inbox.next("room:new_message", heard("long expired"));
      expect(client.inbox.of("room:new_message").some(heard("long expired"))).to.equal(false);
    });
  }

  it("ends the membership of a user who joined by REST", async () => {
    await call("post", `/rooms/${room.id}/join`, { token: host.token, body: {} });

    await ends["logging out"]!();

    await watcher.inbox.next("room:participant_left", ({ reason }) => reason === "left");
  });

  it("ends the membership of a user whose connection was lost before", async () => {
    const client = await connectSocket(service.url, host.token);
    await client.ask("room:join", { room_id: room.id });
    client.socket.io.engine.close();
    await watcher.inbox.next("room:member_updated", ({ member }) => !member.user.is_online);

    await ends["logging out"]!();

    await watcher.inbox.next("room:participant_left", ({ reason }) => reason === "left");
    await until("the seat is free", async () => {
      const view = await call("get", `/rooms/${room.id}`, { token: (await login()).accessToken });
      return view.seats[0].user === null;
    });
  });
});
