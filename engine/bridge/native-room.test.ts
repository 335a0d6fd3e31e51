import { CloseCode, matchMaker } from "@colyseus/core";
import { expect } from "chai";
import fc from "fast-check";
import { voiceActions } from "#shared/contracts/actions.ts";
import { connectionsMax } from "#shared/contracts/client-events.ts";
import { service as serviceItself } from "#shared/contracts/principal.ts";
import { query } from "#shared/db/query.ts";
import { suspendUser } from "#shared/domain/identity/accounts/suspend-user.ts";
import { errorCodes } from "#shared/kernel/error-codes.ts";
import { newId } from "#shared/kernel/ids.ts";
import { accessTokenOf } from "#shared/testing/access/access-tokens.ts";
import {
  callMatchmaker,
  closeClients,
  codeOf,
  connectSocket,
  joinNative,
  type NativeTestClient,
  type Payload,
} from "#shared/testing/clients/clients.ts";
import { openRawWebSocket } from "#shared/testing/clients/raw-websocket.ts";
import { type BuiltRoom, type BuiltUser, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";
import { useClock } from "#shared/testing/use-clock.ts";
import { GameRoom } from "../rooms/game/game.room.ts";
import { LobbyRoom } from "../rooms/game/lobby.room.ts";
import { RoomData } from "../rooms/voice/room-data.ts";
import { VoiceRoom } from "../rooms/voice/voice.room.ts";
import { PresenceTracker } from "./presence.ts";

/** The two messages of the protocol that a client sends on its own. */
const joined = Uint8Array.of(10);
const leaving = Uint8Array.of(12);

describe("the native transport", () => {
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
  const failure = (joining: Promise<unknown>) =>
    joining.then(
      () => "joined",
      ({ message }: Error) => message.split(":")[0],
    );
  const matchmake = (path: string, options: unknown, token?: string) =>
    callMatchmaker(service.url, path, options, token);
  const come = ({ processId, sessionId }: Payload) =>
    openRawWebSocket(service.url, `/${processId}/${room.id}?sessionId=${sessionId}`);
  /** The host of the room plays with Ada; both are in the room. */
  const startGame = async (): Promise<string> => {
    const post = async (person: BuiltUser, path: string, body: object = {}): Promise<Payload> =>
      (await service.call("post", `/games/lobbies${path}`, { token: person.token, body })).body.data;
    const { id } = await post(room.host, "", { type: "snakes_and_ladders", room_id: room.id });
    await post(ada, `/${id}/join`);
    await post(ada, `/${id}/ready`);
    return (await post(room.host, `/${id}/start`)).session_id;
  };
  const members = async (): Promise<string[]> => {
    const { body } = await service.call("get", `/rooms/${room.id}`, { token: room.host.token });
    return body.data.members.map(({ user }: Payload) => user.id);
  };

  describe("matchmaking", () => {
    it("creates no rooms, and has none of Colyseus' other methods", async () => {
      for (const method of ["create", "createRoom", "query", "__proto__", "remoteRoomCall", "gracefullyShutdown"]) {
        const { status, body } = await matchmake(`${method}/voice_room`, { room_id: room.id }, ada.token);
        expect([status, body.success], method).to.deep.equal([method === "create" ? 400 : 404, false]);
      }
      expect(matchMaker.getLocalRoomById(room.id)).to.equal(undefined);
    });

    it("returns the error of a request for a place, in the SDK's form too", async () => {
      const place = (options: unknown, token?: string) => matchmake("join/voice_room", options, token);
      const [closed, suspended] = await Promise.all([buildRoom(), buildUser()]);
      await query("UPDATE rooms SET status = 'closed' WHERE id = $1", [closed.id]);
      await suspendUser(serviceItself, suspended.id, { reason: "test" });
      const cases: [Promise<{ status: number; body: Payload }>, number, string][] = [
        [place({ room_id: room.id }), 401, "UNAUTHENTICATED"],
        [place({ room_id: room.id }, "no token"), 401, "UNAUTHENTICATED"],
        [place({ room_id: room.id }, suspended.token), 403, "ACCOUNT_SUSPENDED"],
        [place({}, ada.token), 400, "VALIDATION_ERROR"],
        [place({ room_id: 5 }, ada.token), 400, "VALIDATION_ERROR"],
        [place({ room_id: room.id, userId: room.host.id }, ada.token), 400, "VALIDATION_ERROR"],
        [place([], ada.token), 400, "VALIDATION_ERROR"],
        [place("null", ada.token), 400, "VALIDATION_ERROR"],
        [place({ room_id: newId() }, ada.token), 404, "NOT_FOUND"],
        [place({ room_id: closed.id }, ada.token), 409, "ROOM_CLOSED"],
        [matchmake("join/game_session", { session_id: newId() }, ada.token), 404, "NOT_FOUND"],
        [matchmake("join/game_session", { session_id: room.id }, ada.token), 404, "NOT_FOUND"],
        [matchmake(`joinById/${newId()}`, {}, ada.token), 404, "NOT_FOUND"],
        [matchmake("joinById/nonsense", {}, ada.token), 400, "VALIDATION_ERROR"],
        [matchmake(`reconnect/${newId()}`, { reconnectionToken: "none" }), 404, "NOT_FOUND"],
        [matchmake(`reconnect/${room.id}`, {}), 400, "VALIDATION_ERROR"],
      ];

      for (const [asked, status, error] of cases) {
        const answer = await asked;
        expect([answer.status, answer.body.success, answer.body.error.code]).to.deep.equal([status, false, error]);
        // What the SDK shows.
        expect(answer.body.message).to.equal(`${error}: ${answer.body.error.message}`);
      }
    });

    it("accepts a room ID in capitals", async () => {
      const { body } = await matchmake("join/voice_room", { room_id: room.id.toUpperCase() }, ada.token);

      expect(body).to.include({ name: "voice_room", roomId: room.id });
    });

    it("doesn't use the caller's session ID for the connection", async () => {
      const { body } = await matchmake("join/voice_room", { room_id: room.id }, ada.token);

      // Naming another session's ID doesn't make a client another user.
      expect(body.sessionId).to.not.equal(ada.sessionId);
    });

    it("gives no places in a lobby, and Colyseus' own matchmaking would give none in any actor", async () => {
      const opened = await service.call("post", "/games/lobbies", { token: ada.token, body: { type: "ludo" } });
      const lobby_id = opened.body.data.id;
      await service.call("post", `/games/lobbies/${lobby_id}/ready`, { token: ada.token });
      expect(matchMaker.getLocalRoomById(lobby_id).roomName).to.equal("game_lobby");
      for (const kind of [LobbyRoom, VoiceRoom, GameRoom])
        expect(await failure(Promise.resolve(kind.onAuth("", {}, {} as never)))).to.equal("NOT_FOUND");

      const byKind = await matchmake("join/game_lobby", { room_id: lobby_id }, ada.token);
      const byId = await matchmake(`joinById/${lobby_id}`, {}, ada.token);

      for (const { status, body } of [byKind, byId])
        expect([status, body.error.code]).to.deep.equal([404, "NOT_FOUND"]);
    });

    for (const way of ["join/voice_room", "joinOrCreate/voice_room", "joinById"])
      it(`gives a place by ${way}`, async () => {
        const [path, options] = way === "joinById" ? [`${way}/${room.id}`, {}] : [way, { room_id: room.id }];

        const { status, body } = await matchmake(path, options, ada.token);

        expect([status, body.roomId]).to.deep.equal([200, room.id]);
      });

    it("asks a client that joins or creates without an ID for the ID", async () => {
      for (const [kind, id] of [
        ["voice_room", "room_id"],
        ["game_session", "session_id"],
      ]) {
        const { status, body } = await matchmake(`joinOrCreate/${kind}`, {}, ada.token);

        expect([status, body.error.code]).to.deep.equal([400, "VALIDATION_ERROR"]);
        expect(body.error.message).to.match(new RegExp(`^Send \`${id}\`.* only joins`));
      }
    });

    it("says what is wrong with every request that it rejects, in the envelope and where the SDK reads it", async () => {
      for (const [path, options, code, text] of [
        ["jion/voice_room", {}, "NOT_FOUND", "no method `jion`"],
        ["join/lobby", {}, "NOT_FOUND", "no kind of room `lobby`. Join `voice_room` or `game_session`"],
        ["join/voice_room", "{", "MALFORMED_JSON", "JSON"],
        ["join/voice_room", {}, "VALIDATION_ERROR", "room_id is required"],
        ["create/voice_room", {}, "VALIDATION_ERROR", "POST /api/v1/rooms"],
        [`reconnect/${room.id}`, { reconnectionToken: "x" }, "NOT_FOUND", "Join again"],
      ] as const) {
        const { body } = await matchmake(path, options, ada.token);

        expect(body.error).to.include({ code, doc_url: `${service.url}/docs/errors#${code}` });
        expect(body.message).to.equal(`${code}: ${body.error.message}`);
        expect(body.message).to.include(text);
      }
      const opened = await fetch(`${service.url}/matchmake/join/voice_room`);
      expect([opened.status, opened.headers.get("allow")]).to.deep.equal([405, "POST"]);
    });

    it("refers clients that create a room to the REST API", async () => {
      const { status, body } = await matchmake("create/voice_room", { room_id: room.id }, ada.token);

      expect([status, body.error.code]).to.deep.equal([400, "VALIDATION_ERROR"]);
      expect(body.error.message).to.include("POST /api/v1/rooms");
    });

    it("doesn't reveal to anonymous callers which actors exist", async () => {
      await join(ada);
      const answers = [room.id, newId(), "nonsense"].flatMap((actorId) => [
        matchmake(`joinById/${actorId}`, {}),
        matchmake("join/voice_room", { room_id: actorId }),
        matchmake("join/game_session", { session_id: actorId }),
        matchmake("create/voice_room", { room_id: actorId }),
      ]);
      const [first, ...others] = await Promise.all(answers);
      expect([first?.status, first?.body.error.code]).to.deep.equal([401, "UNAUTHENTICATED"]);
      for (const { status, body } of others) expect([status, body]).to.deep.equal([401, first?.body]);
    });

    it("reserves no place for users who may not join", async () => {
      const [stranger, banned, secret] = await Promise.all([
        buildUser(),
        buildUser(),
        buildRoom({ password: "open sesame" }),
      ]);
      const host = await connectSocket(service.url, room.host.token);
      await host.ask("room:join", { room_id: room.id });
      for (const person of [ada, banned]) await join(person);
      const session_id = await startGame();
      await host.ask("room:kick", { room_id: room.id, user_id: banned.id, ban_minutes: 5 });

      const refusals: [Promise<{ status: number; body: Payload }>, string][] = [
        [matchmake("join/game_session", { session_id }, stranger.token), "NOT_FOUND"],
        [matchmake(`joinById/${session_id}`, {}, stranger.token), "NOT_FOUND"],
        [matchmake("join/voice_room", { room_id: room.id }, banned.token), "BANNED_FROM_ROOM"],
        [matchmake("join/voice_room", { room_id: secret.id }, stranger.token), "ROOM_PASSWORD_REQUIRED"],
      ];
      for (const [asked, error] of refusals) expect((await asked).body.error?.code).to.equal(error);

      expect((await matchmake(`joinById/${session_id}`, {}, ada.token)).status).to.equal(200);
      const given = { room_id: secret.id, password: "open sesame" };
      expect((await matchmake("join/voice_room", given, stranger.token)).status).to.equal(200);
    });

    it("counts connections when they open, not when places are given", async () => {
      const place = () => matchmake("join/voice_room", { room_id: room.id }, ada.token);
      const [first, second] = [await place(), await place()];
      await Promise.all(Array.from({ length: connectionsMax - 1 }, () => connectSocket(service.url, ada.token)));
      const last = await come(first.body);
      await last.heard("schema");
      const tooMany = await come(second.body);
      await tooMany.heard("RATE_LIMITED");
      await tooMany.closed;
      last.close();
    });

    it("limits the length of a request for a place", async () => {
      const { status, body } = await matchmake("join/voice_room", { room_id: "x".repeat(20_000) }, ada.token);

      expect([status, body.error.code]).to.deep.equal([413, "PAYLOAD_TOO_LARGE"]);
    });

    const requests: [string, string, RequestInit][] = [
      ["a preflight", "/api/v1/rooms", { method: "OPTIONS", headers: { "access-control-request-method": "PUT" } }],
      ["a request for a place", "/matchmake/join/voice_room", { method: "POST" }],
    ];
    for (const [what, path, { method, headers }] of requests)
      it(`answers ${what} by the service's own CORS policy`, async () => {
        const origin = { origin: "https://evil.example", ...(headers as object) };

        const answer = await fetch(service.url + path, { method: method as string, headers: origin });

        expect(answer.headers.get("access-control-allow-origin")).to.equal("*");
        expect(answer.headers.get("access-control-allow-credentials")).to.equal(null);
      });

    it("has no health check of Colyseus", async () => {
      expect((await fetch(`${service.url}/__healthcheck`)).status).to.equal(404);
    });

    it("rejects upgrades on unknown paths", async () => {
      for (const path of ["/", "/nowhere", "/api/v1/rooms", `/unknown/${room.id}`, `/../${room.id}`, "/socket.io"])
        expect(await failure(openRawWebSocket(service.url, path)), path).to.equal("404");
    });

    it("closes a connection without a reservation", async () => {
      const path = `/${matchMaker.processId}/${room.id}?sessionId=${ada.sessionId}`;

      const raw = await openRawWebSocket(service.url, path);

      await raw.heard("NOT_FOUND: This reservation has expired.");
      await raw.closed;
    });
  });

  describe("when messages are nonsense", () => {
    // Leaving would end the connection.
    const names = [...Object.keys(voiceActions).filter((name) => name !== "room:leave"), "auth:refresh"];
    const anything = fc.anything({ withDate: true, maxDepth: 3 });
    const payloads = fc.oneof(
      anything,
      fc.dictionary(fc.constantFrom("room_id", "body", "user_id", "__proto__", "seat_no", "constructor"), anything),
      fc.uint8Array({ maxLength: 2000 }),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    );

    it("answers each request once, with a code, and keeps working", async () => {
      let client = await join(ada);
      const check = fc.asyncProperty(fc.constantFrom(...names), payloads, async (name, payload) => {
        const envelope = await client.ask(name, payload);
        if (envelope.success) return;
        expect(errorCodes).to.have.property(envelope.error.code).and.not.equal(errorCodes.INTERNAL_ERROR);
      });
      for (let round = 0; round < 4; round += 1) {
        // Below the 100 a second at which a client is cut.
        await fc.assert(check, { numRuns: 80 });
        client = await join(ada);
      }
      expect(codeOf(await client.ask("room:message", { body: "all well" }))).to.equal("ok");
      await client.inbox.next("room:new_message", ({ message }) => message.body === "all well");
    });

    it("reports each rejected message, and disconnects no client", async () => {
      const client = await join(ada);
      const wrong = fc.sample(
        fc.tuple(fc.constantFrom("seat:leave", "audio:state", "nothing", "__proto__", "constructor"), payloads),
        50,
      );
      for (const [name, payload] of wrong) client.room.send(name, payload as never);
      client.room.sendBytes("room:message", new Uint8Array(50));
      client.room.send(17, {});
      // The failure names it as it was sent.
      client.room.send("seat:leave", { " odd\u0000": 1 });
      client.room.send("room:message", { body: "all well" });
      await client.inbox.next("room:new_message", ({ message }) => message.body === "all well");
      // They are said in the user's language, which is read meanwhile.
      await until("all are reported", () => client.inbox.of("error").length >= 53);
      expect(client.inbox.of("error")).to.have.length(53);
      const unknown = client.inbox.of("error").find(({ event }) => event === "17");
      expect(unknown).to.deep.equal({
        event: "17",
        code: "VALIDATION_ERROR",
        message: "There is no event `17`.",
        doc_url: `${service.url}/docs/errors#VALIDATION_ERROR`,
      });
      expect(client.inbox.of("leave")).to.deep.equal([]);
    });

    it("disconnects a client that sends more than 100 in a second", async () => {
      const [client, other] = [await join(ada), await join(ada)];
      for (let sent = 0; sent < 150; sent += 1) client.room.send("seat:leave", {});
      expect((await client.inbox.next("leave", undefined, 2000)).code).to.equal(CloseCode.WITH_ERROR);
      expect(codeOf(await other.ask("room:message", { body: "all well" }))).to.equal("ok");
    });

    it("survives frames that don't follow the protocol", async function () {
      this.timeout(90_000);
      const others = await join(await buildUser());
      const random = fc.sample(fc.uint8Array({ minLength: 1, maxLength: 300 }), 40);
      // The codes of messages and requests, followed by data that is incomplete, too long, or of an unsupported type.
      const begun = [13, 17, 21, 21 | 0x20].flatMap((first) =>
        [
          [],
          [0xdb, 255, 255, 255, 255],
          [0xd9, 250, 1],
          [0xa3, 97],
          [1, 0xdb, 255, 255, 255, 255],
          [0xcb],
          [5, 0xa1, 97, 0xdd, 255, 255, 255, 255],
          [0xa1, 97, 0xc7, 5, 0x72, 1],
          [0xa1, 97, ...Array(5000).fill(0x91)],
        ].map((rest) => Uint8Array.from([first, ...rest])),
      );
      for (const frame of [...begun, ...random]) {
        const { body } = await matchmake("join/voice_room", { room_id: room.id }, ada.token);
        const client = await come(body);
        await client.heard("schema");
        client.send(joined);
        client.send(frame);
        client.send(leaving);
        await client.closed;
      }
      expect(codeOf(await others.ask("room:message", { body: "all well" }))).to.equal("ok");
    });
  });

  it("answers a user who leaves before their connections end", async () => {
    const [client, other, watcher] = [await join(ada), await join(ada), await join(await buildUser())];
    expect((await client.ask("room:leave")).data).to.deep.equal({ room_id: room.id });
    for (const one of [client, other]) expect(await one.inbox.next("leave")).to.deep.equal({ code: 4403 });
    await watcher.inbox.next("room:participant_left", ({ user_id, reason }) => user_id === ada.id && reason === "left");
    expect(await members()).to.not.include(ada.id);
  });

  it("restores a dropped client with its state", async () => {
    const client = await join(ada);
    await client.ask("seat:request", { seat_no: 3 });
    client.room.reconnection.minUptime = 0;
    client.room.onReconnect(() => client.inbox.add("back", {}));
    client.room.connection.close(4010);
    await client.inbox.next("back");
    expect(codeOf(await client.ask("room:message", { body: "back again" }))).to.equal("ok");
    await client.inbox.next("room:new_message");
    expect(codeOf(await client.ask("seat:cancel"))).to.equal("ok");
  });

  it("restores a client that comes back before it is gone", async () => {
    const { closed } = PresenceTracker.prototype;
    const { onReconnect } = VoiceRoom.prototype;
    const returned = Promise.withResolvers<void>();
    PresenceTracker.prototype.closed = async function (this: PresenceTracker, userId) {
      await returned.promise;
      return closed.call(this, userId);
    };
    VoiceRoom.prototype.onReconnect = function (this: VoiceRoom, client) {
      returned.resolve();
      return onReconnect.call(this, client);
    };
    try {
      const client = await join(ada);
      client.room.reconnection.minUptime = 0;
      client.room.onReconnect(() => client.inbox.add("back", {}));
      client.room.connection.close(4010);
      await client.inbox.next("back");
      expect(codeOf(await client.ask("room:message", { body: "back again" }))).to.equal("ok");
    } finally {
      PresenceTracker.prototype.closed = closed;
      VoiceRoom.prototype.onReconnect = onReconnect;
      returned.resolve();
    }
  });

  it("removes a user whose connection ended before its message had its turn", async () => {
    const eve = await buildUser();
    // Valid also when the clock has moved on.
    const watcher = await joinNative(service.url, accessTokenOf(eve, 30 * 86_400), { room_id: room.id });
    const client = await join(ada);
    const { hostCard } = RoomData.prototype;
    const [asked, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    RoomData.prototype.hostCard = async function (this: RoomData) {
      asked.resolve();
      await gone.promise;
      return hostCard.call(this);
    };
    try {
      client.room.send("room:join", {});
      await asked.promise;
      client.room.reconnection.enabled = false;
      client.room.connection.close(4900);
      await watcher.inbox.next("room:member_updated", ({ member }) => !member.user.is_online);
    } finally {
      RoomData.prototype.hostCard = hostCard;
      gone.resolve();
    }
    await watcher.inbox.next("room:member_updated", ({ member }) => member.user.is_online);
    await until("the user has left", () => {
      time.forward(31_000);
      return watcher.inbox.of("room:participant_left").some(({ user_id }) => user_id === ada.id);
    });
  });

  it("keeps working after a decision throws", async () => {
    const client = await join(ada);
    const { memberOf } = RoomData.prototype;
    RoomData.prototype.memberOf = () => {
      throw new Error("planted");
    };
    try {
      expect(codeOf(await client.ask("seat:request", {}))).to.equal("INTERNAL_ERROR");
    } finally {
      RoomData.prototype.memberOf = memberOf;
    }
    expect(codeOf(await client.ask("seat:request", {}))).to.equal("ok");
  });
});
