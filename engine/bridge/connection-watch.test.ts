import { matchMaker } from "@colyseus/core";
import { expect } from "chai";
import { anonymousMax } from "#shared/contracts/client-events.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { within } from "#shared/kernel/within.ts";
import { closeClients, connectSocket, type SocketClient } from "#shared/testing/clients/clients.ts";
import { openRawWebSocket, type RawWebSocket } from "#shared/testing/clients/raw-websocket.ts";
import { type BuiltRoom, type BuiltUser, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";
import { useClock } from "#shared/testing/use-clock.ts";
import type { AnyActorRoom } from "../core/any-actor-room.ts";
import { engine } from "../engine.ts";

const connectionsCut = async (reason = "slow_reader") =>
  (await metrics.connectionsCut.get()).values.find(({ labels }) => labels.reason === reason)?.value ?? 0;
/** What 200 looks take at most; a busy machine needs some 25 ms for each. */
const manyLooksMs = 15_000;

/** How many connections the gauge shows, over both transports. */
const gauge = async () => (await metrics.connections.get()).values.reduce((sum, { value }) => sum + value, 0);

describe("a client that doesn't read", () => {
  const service = useService();
  let room: BuiltRoom;
  let ada: BuiltUser;
  let host: SocketClient;
  let joinedSeq: number;
  beforeEach(async () => {
    [room, ada] = await Promise.all([buildRoom(), buildUser()]);
    host = await connectSocket(service.url, room.host.token);
    await host.ask("room:join", { room_id: room.id });
    joinedSeq = (await service.call("post", `/rooms/${room.id}/join`, { token: ada.token, body: {} })).body.data.seq;
    // Long enough for answers of half a megabyte to `room:sync`.
    const body = "x".repeat(1000);
    await Promise.all(Array.from({ length: 400 }, () => host.ask("room:message", { room_id: room.id, body })));
  });
  afterEach(closeClients);

  const members = async () =>
    (await service.call("get", `/rooms/${room.id}`, { token: room.host.token })).body.data.members.length;

  /** Lets answers to `ask` wait for the reader until it is cut; others go on meanwhile. */
  async function untilCut(reader: RawWebSocket, ask: () => void): Promise<void> {
    const before = await connectionsCut();
    reader.pause();
    let asked = 0;
    await until(
      "the client is disconnected",
      async () => {
        // The network takes some megabytes before anything waits here.
        if (asked < 60) ask();
        asked += 1;
        const answer = await host.ask("room:message", { room_id: room.id, body: "others go on" });
        expect(answer.success).to.equal(true);
        return (await connectionsCut()) === before + 1;
      },
      15_000,
    );
    reader.close();
    expect((await service.call("get", `/rooms/${room.id}`, { token: room.host.token })).status).to.equal(200);
    expect(await members()).to.equal(2);
    expect((await metrics.connections.get()).values.every(({ value }) => value >= 0)).to.equal(true);
  }

  it("is disconnected by Socket.IO, while others keep working", async () => {
    const reader = await openRawWebSocket(service.url, "/socket.io/?EIO=4&transport=websocket");
    reader.send(`40${JSON.stringify({ token: ada.token })}`);
    await reader.heard('40{"sid"');
    reader.send(`420["room:join",{"room_id":"${room.id}"}]`);
    await reader.heard('430[{"success":true');
    await untilCut(reader, () => reader.send(`421["room:sync",{"room_id":"${room.id}","since_seq":${joinedSeq}}]`));
  });

  it("is disconnected by the native transport, while others keep working", async () => {
    const response = await fetch(`${service.url}/matchmake/join/voice_room`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${ada.token}` },
      body: JSON.stringify({ room_id: room.id }),
    });
    const { processId, sessionId } = (await response.json()) as { processId: string; sessionId: string };
    const reader = await openRawWebSocket(service.url, `/${processId}/${room.id}?sessionId=${sessionId}`);
    await reader.heard("schema");
    reader.send(Uint8Array.of(10));
    const since = Buffer.alloc(9, 0xcb);
    since.writeDoubleBE(joinedSeq, 1);
    const request = Buffer.concat([
      Buffer.from([21, 1, 0xa9]),
      Buffer.from("room:sync"),
      Buffer.from([0x81, 0xa9]),
      Buffer.from("since_seq"),
      since,
    ]);
    await untilCut(reader, () => reader.send(request));
  });
});

/** A client that has come to some state of its protocol and is silent from then on. */
interface Silent {
  /** Whether the server has ended its connection. */
  hasEnded(): Promise<boolean>;
}

describe("a connection without events", () => {
  const service = useService();
  const time = useClock();
  let ada: BuiltUser;
  let room: BuiltRoom;
  const opened: RawWebSocket[] = [];
  const polling: string[] = [];
  beforeEach(async () => {
    [ada, room] = await Promise.all([buildUser(), buildRoom()]);
    await until("earlier connections are closed", async () => (await gauge()) === 0);
  });
  afterEach(() => {
    for (const raw of opened.splice(0)) raw.close();
    return Promise.all(polling.splice(0).map((sid) => poll(sid, "1")));
  });

  const open = async (path: string): Promise<RawWebSocket> => {
    const raw = await openRawWebSocket(service.url, path);
    opened.push(raw);
    return raw;
  };
  const endOf = (raw: RawWebSocket): Silent => {
    let ended = false;
    void raw.closed.then(() => {
      ended = true;
    });
    return { hasEnded: async () => ended };
  };

  const engineIo = "/socket.io/?EIO=4&transport=websocket";
  const signInPacket = () => `40${JSON.stringify({ token: ada.token })}`;
  const joinPacket = () => `420["room:join",{"room_id":"${room.id}"}]`;
  const signedIn = async (): Promise<RawWebSocket> => {
    const raw = await open(engineIo);
    raw.send(signInPacket());
    await raw.heard('40{"sid"');
    raw.send(joinPacket());
    await raw.heard('430[{"success":true');
    return raw;
  };

  const poll = (sid = "", body?: string) =>
    fetch(`${service.url}/socket.io/?EIO=4&transport=polling${sid && `&sid=${sid}`}`, {
      ...(body !== undefined && { method: "POST", body }),
    });
  const startPolling = async (): Promise<string> => {
    const { sid } = JSON.parse((await (await poll()).text()).slice(1));
    polling.push(sid);
    return sid;
  };
  const signInPolling = async (): Promise<string> => {
    const sid = await startPolling();
    for (const [packet, answer] of [
      [signInPacket(), '40{"sid"'],
      [joinPacket(), '430[{"success":true'],
    ] as const) {
      await poll(sid, packet);
      // Other events may come first.
      await until(`${answer} comes`, async () => (await (await poll(sid)).text()).includes(answer));
    }
    return sid;
  };
  const endOfPolling = (sid: string): Silent => ({
    // Not a poll, which would be no silence: a packet that says nothing.
    hasEnded: async () => (await poll(sid, "6")).status === 400,
  });

  const reserve = async (): Promise<{ processId: string; sessionId: string }> => {
    const response = await fetch(`${service.url}/matchmake/join/voice_room`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${ada.token}` },
      body: JSON.stringify({ room_id: room.id }),
    });
    return (await response.json()) as { processId: string; sessionId: string };
  };
  const joinNatively = async (): Promise<RawWebSocket> => {
    const { processId, sessionId } = await reserve();
    const raw = await open(`/${processId}/${room.id}?sessionId=${sessionId}`);
    await raw.heard("schema");
    return raw;
  };
  const acknowledge = (raw: RawWebSocket) => raw.send(Uint8Array.of(10));
  const logOut = () => service.call("post", "/auth/logout", { body: { refreshToken: ada.refreshToken } });

  /** States that are limited in time. */
  const brief: Record<string, () => Promise<Silent>> = {
    "that never signs in over Socket.IO": async () => endOf(await open(engineIo)),
    "that never signs in by polling": async () => endOfPolling(await startPolling()),
    "whose sign-in over Socket.IO was refused": async () => {
      const raw = await open(engineIo);
      raw.send('40{"token":"none"}');
      await raw.heard("UNAUTHENTICATED");
      return endOf(raw);
    },
    "that has signed out over Socket.IO": async () => {
      const raw = await signedIn();
      raw.send("41");
      return endOf(raw);
    },
    "that has signed out by polling": async () => {
      const sid = await signInPolling();
      await poll(sid, "41");
      return endOfPolling(sid);
    },
    "whose session has ended over Socket.IO": async () => {
      const raw = await signedIn();
      raw.pause();
      await logOut();
      return endOf(raw);
    },
    "whose session has ended over Colyseus": async () => {
      const raw = await joinNatively();
      acknowledge(raw);
      raw.pause();
      await logOut();
      return endOf(raw);
    },
    "that never acknowledges its room": async () => endOf(await joinNatively()),
    "without a reservation": async () => {
      const raw = await open(`/${matchMaker.processId}/${room.id}?sessionId=none`);
      raw.pause();
      return endOf(raw);
    },
  };

  for (const [state, reach] of Object.entries(brief))
    it(`${state} is ended in time`, async () => {
      const silent = await reach();

      let passedMs = 0;
      await until(
        "it is no longer counted",
        async () => {
          // Until the limit, and not until the token expires. Each of two phases may be looked at some steps late.
          if (passedMs < 40_000) time.forward(200);
          passedMs += 200;
          return (await gauge()) === 0;
        },
        manyLooksMs,
      );

      // A client that does not read does not see the end, either.
      for (const raw of opened) raw.resume();
      await until("the client sees its end", () => silent.hasEnded());
    });

  /** States in which pushes can wait for a client. */
  const waiting: Record<string, () => Promise<Silent>> = {
    "that joined over Socket.IO": async () => {
      const raw = await signedIn();
      raw.pause();
      return endOf(raw);
    },
    "that joined by polling": async () => endOfPolling(await signInPolling()),
    "that is upgrading from polling": async () => {
      const sid = await signInPolling();
      const probe = await open(`${engineIo}&sid=${sid}`);
      probe.send("2probe");
      await probe.heard("3probe");
      probe.pause();
      return endOfPolling(sid);
    },
    "that was upgraded from polling": async () => {
      const sid = await signInPolling();
      const raw = await open(`${engineIo}&sid=${sid}`);
      raw.send("2probe");
      await raw.heard("3probe");
      raw.send("5");
      raw.pause();
      return endOf(raw);
    },
    "that joined over Colyseus": async () => {
      const raw = await joinNatively();
      acknowledge(raw);
      raw.pause();
      return endOf(raw);
    },
    "that never acknowledges its room": async () => {
      const raw = await joinNatively();
      raw.pause();
      return endOf(raw);
    },
  };

  for (const [state, reach] of Object.entries(waiting))
    it(`${state} is cut when more than 1 MB waits for it`, async () => {
      const silent = await reach();
      const cuts = await connectionsCut();

      // The network takes some megabytes before anything waits here.
      const payload = { room_id: room.id, reason: "x".repeat(400_000), banned_until: null };
      await until(
        "it is cut",
        async () => {
          engine().fanout.toUsers([ada.id], { event: "room:kicked", payload });
          return (await connectionsCut()) > cuts;
        },
        10_000,
      );

      for (const raw of opened) raw.close();
      await until("the connection has ended", () => silent.hasEnded());
      await until("it is no longer counted", async () => (await gauge()) === 0);
    });

  /** Many frames that aren't events, which have a limit of their own. */
  const floods: Record<string, () => Promise<Silent>> = {
    "pongs over Socket.IO": async () => {
      const raw = await signedIn();
      for (let sent = 0; sent < 1000; sent += 1) raw.send("3");
      return endOf(raw);
    },
    "acknowledgements over Socket.IO": async () => {
      const raw = await signedIn();
      for (let sent = 0; sent < 1000; sent += 1) raw.send("4399[1]");
      return endOf(raw);
    },
    "packets by polling": async () => {
      const sid = await startPolling();
      // Its own response is cut, too.
      await poll(sid, Array.from({ length: 1000 }, () => "6").join("\x1e")).catch(() => undefined);
      return endOfPolling(sid);
    },
    "control frames before signing in": async () => {
      const raw = await open(engineIo);
      raw.ping(1000);
      return endOf(raw);
    },
    "control frames over Colyseus": async () => {
      const raw = await joinNatively();
      acknowledge(raw);
      raw.ping(1000);
      return endOf(raw);
    },
  };

  /** Runs `work` with the limits on, which are off in tests. */
  async function limited(work: () => Promise<unknown>): Promise<void> {
    const context = engine() as { rateLimits: boolean };
    context.rateLimits = true;
    try {
      await work();
    } finally {
      context.rateLimits = false;
    }
  }

  for (const [kind, flood] of Object.entries(floods))
    it(`is cut when it sends too many ${kind}`, () =>
      limited(async () => {
        const before = await connectionsCut("flooded");
        const { hasEnded } = await flood();
        await until("it is cut", async () => (await connectionsCut("flooded")) > before && (await hasEnded()));
      }));

  it("that has not signed in counts toward the limit of its address", () =>
    limited(async () => {
      const first = await open(engineIo);
      await Promise.all(Array.from({ length: anonymousMax + 5 }, () => open(engineIo)));
      await until("the others are cut", async () => (await gauge()) === anonymousMax);

      // One that signs in makes room for another.
      for (const come of [async () => first, () => open(engineIo)]) {
        const raw = await come();
        raw.send(signInPacket());
        await raw.heard('40{"sid"');
      }
    }));

  it("that never comes holds up no actor that ends", async () => {
    await joinNatively();
    const actor = matchMaker.getLocalRoomById(room.id) as AnyActorRoom;
    await reserve();
    void actor.disconnect();
    // A reservation lasts 15 s.
    await within(5000, actor.ended, "the actor has not ended");
  });

  it("that never comes loses its reservation", async () => {
    await service.actors.voice(room.id, { kind: "service" }, "room:present", { user_ids: [] });
    const actor = matchMaker.getLocalRoomById(room.id)!;
    actor.seatReservationTimeout = 0.1;

    const { sessionId } = await reserve();

    expect(actor.hasReservedSeat(sessionId)).to.equal(true);
    await until("it is gone", () => !actor.hasReservedSeat(sessionId));
  });
});
