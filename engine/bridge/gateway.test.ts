import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect } from "chai";
import fc from "fast-check";
import { voiceActions } from "#shared/contracts/actions.ts";
import { connectionsMax } from "#shared/contracts/client-events.ts";
import { closeCodes } from "#shared/contracts/close-codes.ts";
import { service as serviceItself } from "#shared/contracts/principal.ts";
import { queryOne } from "#shared/db/query.ts";
import { suspendUser } from "#shared/domain/identity/accounts/suspend-user.ts";
import { errorCodes } from "#shared/kernel/error-codes.ts";
import { newId } from "#shared/kernel/ids.ts";
import { accessTokenOf } from "#shared/testing/access/access-tokens.ts";
import {
  closeClients,
  codeOf,
  connectSocket,
  joinNative,
  joinVoiceRoom,
  type Payload,
  type SocketClient,
} from "#shared/testing/clients/clients.ts";
import { openRawWebSocket, openWatched } from "#shared/testing/clients/raw-websocket.ts";
import { type BuiltRoom, type BuiltUser, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";
import { useClock } from "#shared/testing/use-clock.ts";
import { RoomData } from "../rooms/voice/room-data.ts";

describe("Socket.IO", () => {
  const service = useService();
  const time = useClock();
  let ada: BuiltUser;
  let room: BuiltRoom;
  beforeEach(async () => {
    [ada, room] = await Promise.all([buildUser(), buildRoom()]);
  });
  afterEach(closeClients);

  const inRoom = (more: object = {}) => ({ room_id: room.id, ...more });
  const enter = (person: BuiltUser, token = person.token) => joinVoiceRoom(service.url, token, room.id);
  /** A token that is still valid when the clock has moved on. */
  const lasting = (person: BuiltUser) => accessTokenOf(person, 30 * 86_400);
  const logOut = async ({ refreshToken }: BuiltUser) =>
    expect((await service.call("post", "/auth/logout", { body: { refreshToken } })).status).to.equal(200);

  describe("at the handshake", () => {
    const failure = (token: unknown) =>
      connectSocket(service.url, token as string).then(
        () => undefined,
        (error: Error & { data?: { code: string; message: string } }) => error.data,
      );

    it("rejects a client without a valid token", async () => {
      for (const token of [undefined, "", "no token", 5, { token: ada.token }, [ada.token], ada.refreshToken])
        expect(await failure(token)).to.deep.include({
          code: "UNAUTHENTICATED",
          doc_url: `${service.url}/docs/errors#UNAUTHENTICATED`,
        });
    });

    it("forgets the request of a client that it lets in", async () => {
      setFlagsFromString("--expose-gc");
      const collect = runInNewContext("gc") as () => void;
      const { client, request } = await openWatched(service.url, "/socket.io/?EIO=4&transport=websocket");
      collect();
      expect(request.deref()).to.be.an("object");

      client.send(`40${JSON.stringify({ token: ada.token })}`);
      await client.heard('40{"sid"');

      await until("the request is gone", () => {
        collect();
        return !request.deref();
      });
      client.close();
    });

    it("rejects an expired token", async () => {
      expect(await failure(accessTokenOf(ada, -1))).to.deep.include({ code: "TOKEN_EXPIRED" });
    });

    it("rejects the token of a session that has ended", async () => {
      await logOut(ada);

      expect(await failure(ada.token)).to.deep.include({ code: "UNAUTHENTICATED" });
    });

    it("tells a suspended user why they are rejected", async () => {
      await suspendUser(serviceItself, ada.id, { reason: "test" });

      const error = await failure(ada.token);

      expect(error).to.deep.include({ code: "ACCOUNT_SUSPENDED" });
      expect(error?.message).to.be.a("string").and.not.equal("");
    });

    describe("when a user has the maximum number of connections", () => {
      let clients: SocketClient[];
      let native: Awaited<ReturnType<typeof joinNative>>;
      beforeEach(async () => {
        const open = () => connectSocket(service.url, ada.token);
        clients = await Promise.all(Array.from({ length: connectionsMax - 1 }, open));
        native = await joinNative(service.url, ada.token, { room_id: room.id });
      });

      it("rejects another one over each transport", async () => {
        const refused = await joinNative(service.url, ada.token, { room_id: room.id }).catch(String);

        expect(await failure(ada.token)).to.deep.include({ code: "RATE_LIMITED" });
        expect(refused).to.include("RATE_LIMITED");
      });

      it("admits other users", async () => {
        expect(await failure((await buildUser()).token)).to.equal(undefined);
      });

      it("admits one more for each that is closed", async () => {
        clients[0]!.close();
        await until("there is room for one more", async () => (await failure(ada.token)) === undefined);

        native.close();
        await until("there is room for another", async () => (await failure(ada.token)) === undefined);
      });
    });

    it("disconnects a client that was revoked a moment later", async () => {
      // The handshake goes by the token's own clock, which the test does not move: revoked in between, in effect.
      time.forward(16 * 60_000);
      const client = await connectSocket(service.url, ada.token);
      await client.inbox.next("disconnect");
      expect(client.inbox.all.map(({ event }) => event)).to.deep.equal(["disconnect"]);
      expect(await queryOne("SELECT 1 FROM online_users WHERE user_id = $1", [ada.id])).to.equal(undefined);
    });
  });

  describe("when the token of a connection has expired", () => {
    let client: SocketClient;
    const send = async () => codeOf(await client.ask("room:message", inRoom({ body: "hello" })));
    const refresh = (token: unknown) => client.ask("auth:refresh", { token });
    beforeEach(async () => {
      client = await enter(ada);
      time.forward(15.5 * 60_000);
    });

    it("rejects its actions", async () => {
      expect(await send()).to.equal("TOKEN_EXPIRED");
    });

    it("rejects tokens that are invalid or another user's", async () => {
      const another = accessTokenOf(await buildUser(), 7200);

      expect(codeOf(await refresh(another))).to.equal("UNAUTHENTICATED");
      expect(codeOf(await refresh("no token"))).to.equal("UNAUTHENTICATED");
      expect(codeOf(await refresh(5))).to.equal("VALIDATION_ERROR");
      expect(await send()).to.equal("TOKEN_EXPIRED");
    });

    it("accepts its actions again after a refresh", async () => {
      expect(await refresh(accessTokenOf(ada, 7200))).to.deep.equal({ success: true, data: {} });

      expect(await send()).to.equal("ok");
    });
  });

  it("closes when its current session ends, not an earlier one", async () => {
    const again = await service.call("post", "/auth/login", {
      body: { identifier: ada.email, password: ada.password },
    });
    const [moved, stayed] = [await enter(ada), await enter(ada)];
    expect(codeOf(await moved.ask("auth:refresh", { token: again.body.data.accessToken }))).to.equal("ok");

    await logOut(ada);
    await stayed.inbox.next("disconnect");
    expect(codeOf(await moved.ask("room:message", inRoom({ body: "still here" })))).to.equal("ok");

    await service.call("post", "/auth/logout", { body: { refreshToken: again.body.data.refreshToken } });
    await moved.inbox.next("disconnect");
  });

  describe("when an event has no acknowledgement", () => {
    let client: SocketClient;
    beforeEach(async () => {
      client = await enter(ada);
    });

    it("sends the error of an action as an event", async () => {
      client.socket.emit("seat:leave", inRoom());

      expect(await client.inbox.next("error")).to.deep.include({ event: "seat:leave", code: "NOT_SEATED" });
    });

    it("executes an event whose last argument isn't a function", async () => {
      client.socket.emit("room:message", inRoom({ body: "hello" }), "no function");

      await client.inbox.next("room:new_message");
      expect(client.inbox.of("error")).to.deep.equal([]);
    });

    it("sends one error for an unknown event", async () => {
      client.socket.emit("no such event", "x", "y", 5);
      client.socket.emit("seat:leave", inRoom());

      await client.inbox.next("error", ({ event }) => event === "seat:leave");
      const errors = client.inbox.of("error").filter(({ event }) => event === "no such event");
      expect(errors.map((error) => error.code)).to.deep.equal(["VALIDATION_ERROR"]);
    });
  });

  it("suggests the event that a mistyped one means", async () => {
    const [client, native] = [await enter(ada), await joinNative(service.url, ada.token, { room_id: room.id })];
    for (const asked of [client.ask("room:mesage", inRoom()), native.ask("room:mesage")])
      expect((await asked).error).to.deep.include({
        code: "VALIDATION_ERROR",
        message: "There is no event `room:mesage`. Did you mean `room:message`?",
      });
    expect((await client.ask("nonsense")).error.message).to.equal("There is no event `nonsense`.");
  });

  describe("when a user has several devices", () => {
    const ways: Record<string, { leave: (first: SocketClient) => Promise<unknown>; reason: string }> = {
      "leaves on one": { leave: (first) => first.ask("room:leave", inRoom()), reason: "left" },
      "leaves by REST": {
        leave: () => service.call("post", `/rooms/${room.id}/leave`, { token: ada.token, body: {} }),
        reason: "left",
      },
      "moves to another room": {
        leave: async (first) => first.ask("room:join", { room_id: (await buildRoom()).id }),
        reason: "moved",
      },
      "is removed": {
        leave: async () => (await enter(room.host)).ask("room:kick", inRoom({ user_id: ada.id })),
        reason: "kicked",
      },
    };

    for (const [how, { leave, reason }] of Object.entries(ways))
      it(`notifies all of them that the user ${how}`, async () => {
        const [first, second] = [await enter(ada), await enter(ada)];
        const native = await joinNative(service.url, ada.token, { room_id: room.id });

        await leave(first);

        for (const { inbox } of [first, second, native]) {
          expect(await inbox.next("room:left")).to.deep.equal({ room_id: room.id, reason });
          expect(inbox.of("room:left")).to.have.length(1);
        }
        expect(await native.inbox.next("leave")).to.deep.equal({ code: closeCodes.notMember });
        expect(codeOf(await second.ask("room:message", inRoom({ body: "late" })))).to.equal("NOT_A_MEMBER");
      });
  });

  it("accepts a room ID in capitals", async () => {
    const client = await enter(room.host);
    const joined = await client.ask("room:join", { room_id: room.id.toUpperCase() });
    expect(joined.data.id).to.equal(room.id);
    expect(await queryOne("SELECT epoch FROM room_states WHERE room_id = $1", [room.id])).to.deep.equal({ epoch: 1 });
  });

  it("lists every invalid field of a payload", async () => {
    const client = await connectSocket(service.url, ada.token);

    const { error } = await client.ask("seat:lock", { seat_no: "one", other: 1 });

    const fields = error.details.map(({ field }: { field: string }) => field);
    expect(fields).to.have.members(["room_id", "seat_no", "locked", "other"]);
  });

  it("says of unknown rooms that they don't exist", async () => {
    const client = await connectSocket(service.url, ada.token);

    for (const id of [newId(), "00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000000"])
      expect((await client.ask("room:join", { room_id: id })).error).to.include({
        code: "NOT_FOUND",
        message: "This room doesn't exist.",
      });
  });

  describe("when events are nonsense", () => {
    const names = [
      ...Object.keys(voiceActions),
      "auth:refresh",
      "room:close",
      "connection:drop",
      "user:remove",
      "gift:sent",
      "gifts:sent",
    ];
    const strange = [
      "__proto__",
      "constructor",
      "toString",
      "hasOwnProperty",
      "error",
      "",
      "to-natives",
      "connection",
      "\u0000",
      "x".repeat(5000),
    ];
    const ids = () => fc.constantFrom(room.id, room.host.id, ada.id, newId(), "__proto__", 5, null);
    const members = [
      "room_id",
      "body",
      "user_id",
      "seat_no",
      "request_id",
      "since_seq",
      "minutes",
      "role",
      "__proto__",
      "constructor",
      "toJSON",
    ];
    const payloads = () =>
      fc.oneof(
        fc.anything({ maxDepth: 3 }),
        fc.dictionary(fc.constantFrom(...members), fc.oneof(fc.anything({ maxDepth: 2 }), ids()), {
          noNullPrototype: false,
        }),
        fc.uint8Array({ maxLength: 2000 }).map((bytes) => Buffer.from(bytes)),
        fc.record({ room_id: fc.constant(room.id), body: fc.uint8Array().map((bytes) => Buffer.from(bytes)) }),
        fc.constant(undefined),
      );
    /** What JSON cannot say, the client cannot send. */
    const sendable = (payload: unknown) => {
      if (payload === undefined || Buffer.isBuffer(payload) || Buffer.isBuffer((payload as { body?: unknown })?.body))
        return payload;
      return JSON.parse(
        JSON.stringify(payload, (_key, member) => (typeof member === "bigint" ? String(member) : member)) ?? "null",
      );
    };

    it("answers each once, with a code, and keeps working", async () => {
      const [host, client] = [await enter(room.host), await enter(ada)];
      const event = fc.oneof(fc.constantFrom(...names), fc.constantFrom(...strange), fc.string());
      const check = fc.asyncProperty(event, payloads(), async (name, payload) => {
        if (["connect", "connect_error", "disconnect", "disconnecting", "newListener", "removeListener"].includes(name))
          return;
        const envelope = await client.ask(name, sendable(payload));
        if (!envelope.success)
          expect(errorCodes).to.have.property(envelope.error.code).and.not.equal(errorCodes.INTERNAL_ERROR);
      });
      await fc.assert(check, { numRuns: 400 });
      expect(client.socket.connected).to.equal(true);
      await client.ask("room:join", inRoom());
      expect(codeOf(await host.ask("room:message", inRoom({ body: "all well" })))).to.equal("ok");
      await client.inbox.next("room:new_message", ({ message }) => message.body === "all well");
    });

    it("answers each once also without acknowledgements", async () => {
      const client = await enter(ada);
      const sent = fc.sample(fc.tuple(fc.constantFrom(...strange), payloads()), 200);
      for (const [name, payload] of sent) client.socket.emit(name, sendable(payload), 7);
      client.socket.emit("room:message", null);
      await client.inbox.next("error", ({ event }) => event === "room:message");
      expect(client.inbox.of("error")).to.have.length(201);
    });

    it("closes connections only for packets that are malformed or too large", async () => {
      const client = await enter(ada);
      const id = JSON.stringify(room.id);
      const deep = `{"room_id":${id},"body":${'{"a":'.repeat(9000)}1${"}".repeat(9000)}}`;
      const answered = [
        '42[17,{"room_id":5}]',
        "420[0]",
        `421["room:message",${deep}]`,
        `422["room:join",{"__proto__":{"room_id":${id}}}]`,
      ];
      const ended = [
        "4",
        "42{}",
        '42["room:message"',
        '42["disconnect"]',
        '451-["room:message"]',
        "hello",
        `42["room:message",{"room_id":${id},"body":"${"x".repeat(70_000)}"}]`,
      ];
      const open = async () => {
        const raw = await openRawWebSocket(service.url, "/socket.io/?EIO=4&transport=websocket");
        raw.send(`40${JSON.stringify({ token: ada.token })}`);
        await raw.heard('40{"sid"');
        return raw;
      };
      const raw = await open();
      raw.send("42");
      await raw.heard('"event":"undefined"');
      raw.send("43");
      raw.send(answered[0]!);
      await raw.heard('"event":"17"');
      for (const [index, packet] of answered.slice(1).entries()) {
        raw.send(packet);
        await raw.heard(`43${index}[{"success":false`);
      }
      for (const packet of ended) {
        const other = await open();
        other.send(packet);
        other.send("43");
        await other.closed;
      }
      raw.close();
      expect(codeOf(await client.ask("room:message", inRoom({ body: "all well" })))).to.equal("ok");
    });
  });

  it("never acts on what belongs to others", async () => {
    const [host, client] = [await enter(room.host), await enter(ada)];
    const eve = await connectSocket(service.url, (await buildUser()).token);
    const request = await client.ask("seat:request", inRoom({ seat_no: 3 }));
    const message = await client.ask("room:message", inRoom({ body: "mine" }));
    const other = await buildRoom();
    const elsewhere = { room_id: other.id };
    const attempts: [SocketClient, string, object][] = [
      [eve, "seat:approve", inRoom({ request_id: request.data.id })],
      [eve, "room:sync", inRoom({ since_seq: 0 })],
      [eve, "message:delete", inRoom({ message_id: message.data.id })],
      [eve, "room:kick", inRoom({ user_id: ada.id })],
      [eve, "room:leave", inRoom({ user_id: ada.id })],
      [client, "seat:approve", inRoom({ request_id: request.data.id })],
      [client, "room:role", inRoom({ user_id: ada.id, role: "moderator" })],
      [client, "room:mute_chat", inRoom({ user_id: room.host.id, minutes: 5 })],
      [host, "seat:approve", { ...elsewhere, request_id: request.data.id }],
      [host, "message:delete", { ...elsewhere, message_id: message.data.id }],
      [host, "room:kick", { ...elsewhere, user_id: other.host.id }],
      [host, "room:kick", inRoom({ user_id: newId() })],
    ];
    for (const [by, event, payload] of attempts)
      expect(["FORBIDDEN", "NOT_FOUND", "NOT_A_MEMBER", "REQUEST_NOT_PENDING", "VALIDATION_ERROR"]).to.include(
        codeOf(await by.ask(event, payload)),
        event,
      );
    const { body } = await service.call("get", `/rooms/${room.id}`, { token: room.host.token });
    expect(body.data.members.map(({ user, role, seat_no }: Payload) => [user.id, role, seat_no])).to.deep.equal([
      [room.host.id, "host", 1],
      [ada.id, "member", null],
    ]);
    expect(
      (await service.call("get", `/rooms/${room.id}/messages`, { token: ada.token })).body.data.items,
    ).to.have.length(1);
  });

  it("removes users who disconnect, in whatever order their events were handled", async () => {
    const host = await enter(room.host, lasting(room.host));
    const client = await enter(ada);
    const secret = await buildRoom({ password: "open sesame" });
    const watcher = await connectSocket(service.url, lasting(secret.host));
    await watcher.ask("room:join", { room_id: secret.id });

    const rejoined = await Promise.all([client.ask("room:leave", inRoom()), client.ask("room:join", inRoom())]);
    expect(rejoined.map(codeOf)).to.deep.equal(["ok", "ok"]);
    const other = await connectSocket(service.url, (await buildUser()).token);
    const tries = [{}, { password: "open sesame" }, { password: "wrong" }];
    const answers = await Promise.all(tries.map((one) => other.ask("room:join", { room_id: secret.id, ...one })));
    expect(codeOf(answers[1])).to.equal("ok");

    for (const gone of [client, other]) gone.close();
    await until("both have left", () => {
      time.forward(31_000);
      return [host, watcher].every(({ inbox }) =>
        inbox.of("room:participant_left").some(({ reason }) => reason === "disconnected"),
      );
    });
  });

  it("keeps working after a decision throws", async () => {
    const [host, client] = [await enter(room.host), await enter(ada)];
    const { memberOf } = RoomData.prototype;
    RoomData.prototype.memberOf = () => {
      throw new Error("planted");
    };
    try {
      expect(codeOf(await client.ask("room:message", inRoom({ body: "?" })))).to.equal("INTERNAL_ERROR");
      client.socket.emit("seat:request", inRoom());
      expect(await client.inbox.next("error")).to.include({
        code: "INTERNAL_ERROR",
        message: errorCodes.INTERNAL_ERROR.meaning,
      });
    } finally {
      RoomData.prototype.memberOf = memberOf;
    }
    expect(codeOf(await client.ask("room:message", inRoom({ body: "on" })))).to.equal("ok");
    await host.inbox.next("room:new_message");
  });

  it("rejects joins of a closed room at once, while its actor is still ending", async () => {
    const [host, client] = [await enter(room.host), await enter(ada)];
    const closing = service.call("delete", `/rooms/${room.id}`, { token: room.host.token });
    await client.inbox.next("room:closed");
    expect(codeOf(await client.ask("room:join", inRoom()))).to.equal("ROOM_CLOSED");
    expect(codeOf(await host.ask("room:join", inRoom()))).to.equal("ROOM_CLOSED");
    expect((await closing).status).to.equal(200);
    const presence = () => queryOne("SELECT 1 FROM room_presence WHERE user_id = $1", [ada.id]);
    await until("the room is empty", async () => !(await presence()));
  });
});
