import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CloseCode } from "@colyseus/core";
import { expect } from "chai";
import { Redis } from "ioredis";
import pg from "pg";
import { openRoomIn, ownerOf } from "#shared/testing/actor-placement.ts";
import {
  closeClients,
  connectSocket,
  type Inbox,
  joinNative,
  type SocketClient,
} from "#shared/testing/clients/clients.ts";
import { createDatabase } from "#shared/testing/database.ts";
import { startRedis, type TestRedis } from "#shared/testing/redis.ts";
import {
  openRoom,
  type Registered,
  register,
  type SpawnedService,
  spawnService,
  stopServices,
} from "#shared/testing/spawned-service.ts";
import { until } from "#shared/testing/until.ts";

describe("rooms whose process ends or loses Redis", function () {
  this.timeout(60_000);
  let environment: Record<string, string>;
  let redis: TestRedis;
  let listing: Redis;
  let database: pg.Client;
  /** It stays. */
  let b: SpawnedService;
  let host: Registered;
  let ada: Registered;
  let bob: Registered;

  before(async () => {
    redis = await startRedis();
    listing = new Redis(redis.url);
    listing.on("error", () => {}); // A test stops Redis.
    const url = await createDatabase({ migrated: true });
    environment = {
      DATABASE_URL: url,
      REDIS_URL: redis.url,
      DATA_DIR: await mkdtemp(join(tmpdir(), "moves-")),
      JWT_SECRET: "one secret for them all, of 40 characters",
    };
    database = new pg.Client({ connectionString: url });
    await database.connect();
    b = await spawnService(environment);
  });
  beforeEach(async () => {
    [host, ada, bob] = await Promise.all([register(b), register(b), register(b)]);
  });
  after(async () => {
    await stopServices();
    listing.disconnect();
    await database.end();
    await redis.stop();
  });
  afterEach(closeClients);

  const enter = async (service: SpawnedService, { token }: Registered, room: string): Promise<SocketClient> => {
    const client = await connectSocket(service.url, token);
    const joined = await client.ask("room:join", { room_id: room });
    expect(joined.success, JSON.stringify(joined.error)).to.equal(true);
    return client;
  };
  const roomEvents = (inbox: Inbox) => inbox.all.filter(({ payload }) => payload.seq !== undefined);

  it("moves rooms and connections to the others while it drains, without a failed call", async () => {
    const ending = await spawnService({ ...environment, DRAIN_SECONDS: "2" });
    const room = await openRoomIn(listing, ending, host);
    const [hostOnB, silentOnB, bobThere] = [
      await enter(b, host, room),
      await enter(b, ada, room),
      await enter(ending, bob, room),
    ];
    const native = await joinNative(ending.url, bob.token, { room_id: room });
    const calls = { answered: [] as [number, string | null][], refused: 0 };
    const stopped = ending.stop();
    let over = false;
    const calling = (async () => {
      while (calls.refused === 0)
        await ending.call("get", `/rooms/${room}`, { token: host.token }).then(
          ({ status, headers }) => calls.answered.push([status, headers.get("connection")]),
          () => (calls.refused += 1),
        );
    })();
    const talking = (async () => {
      for (let count = 0; !over; count += 1) {
        const said = await hostOnB.ask("room:message", { room_id: room, body: `during ${count}` });
        expect(said.success, JSON.stringify(said.error)).to.equal(true);
      }
    })();
    expect(await stopped).to.equal(0);
    over = true;
    await Promise.all([calling, talking]);

    expect(calls.answered.length).to.be.above(1);
    for (const [status, connection] of calls.answered.slice(1))
      expect([status, connection]).to.deep.equal([200, "close"]);
    // A client of Socket.IO connects again by itself, except after "io server disconnect".
    expect((await bobThere.inbox.next("disconnect")).reason).to.equal("transport close");
    expect((await native.inbox.next("leave")).code).to.equal(CloseCode.SERVER_SHUTDOWN);
    expect(await ownerOf(listing, room))
      .to.be.a("string")
      .and.not.equal(new URL(ending.url).host);
    // She did nothing.
    const said = await silentOnB.ask("room:message", { room_id: room, body: "still here" });
    expect(said.success, JSON.stringify(said.error)).to.equal(true);
    const heard = silentOnB.inbox.of("room:new_message").map(({ message }) => message.id);
    const { rows } = await database.query("SELECT id FROM room_messages WHERE room_id = $1 ORDER BY id", [room]);
    await silentOnB.inbox.next("room:new_message", ({ message }) => message.body === "still here");
    expect(rows.map(({ id }) => id)).to.include.members(heard);
    expect(new Set(heard).size).to.be.at.least(rows.length - 1);
  });

  it("takes silent members to a new actor when the process of theirs is killed", async () => {
    const dying = await spawnService(environment);
    const room = await openRoomIn(listing, dying, host);
    const [adaOnB] = [await enter(b, ada, room), await enter(b, host, room)];
    // It is stored within 250 ms. A room whose process dies before that has a new actor when a member acts.
    await until("the room is listed with both", async () => {
      const { rows } = await database.query("SELECT member_count FROM live_rooms WHERE room_id = $1", [room]);
      return rows[0]?.member_count === 2;
    });
    const seen = Math.max(...roomEvents(adaOnB.inbox).map(({ payload }) => payload.seq), 0);
    await dying.stop("SIGKILL");
    // From the new actor, whose epoch is in the numbers of its events.
    await adaOnB.inbox.next(
      "room:participant_joined",
      ({ member, seq }) => member.user.id === ada.id && seq > seen + 1000,
      15_000,
    );
    const said = await adaOnB.ask("room:message", { room_id: room, body: "still here" });
    expect(said.success, JSON.stringify(said.error)).to.equal(true);
  });

  it("forgets what a process said that arrives after its death", async () => {
    for (const key of ["hubbub:loads", "hubbub:nodes:leaving"]) await listing.hset(key, "dead", "{}");

    const forgotten = async () => {
      await openRoom(b, await register(b));
      return (
        (await listing.hexists("hubbub:loads", "dead")) + (await listing.hexists("hubbub:nodes:leaving", "dead")) === 0
      );
    };
    await until("both are forgotten", forgotten);
  });

  it("answers in time while Redis hangs, and is one service again when it responds", async () => {
    const a = await spawnService(environment);
    const facade = await spawnService({ ...environment, ROLES: "api" });
    const roomId = await openRoomIn(listing, a, host);
    const [hostOnA, adaOnB] = [await enter(a, host, roomId), await enter(b, ada, roomId)];
    redis.freeze();
    const timed = async (ask: () => Promise<unknown>) => {
      const sinceMs = performance.now();
      await ask();
      return performance.now() - sinceMs;
    };
    try {
      const took = await Promise.all([
        timed(async () => {
          const far = await adaOnB.ask("room:message", { room_id: roomId, body: "from afar" });
          expect(far.error?.code).to.equal("ENGINE_UNAVAILABLE");
        }),
        timed(async () => {
          const far = await facade.call("get", `/rooms/${roomId}`, { token: ada.token });
          expect([far.status, far.headers.get("retry-after")]).to.deep.equal([503, "1"]);
        }),
        timed(async () => {
          const near = await hostOnA.ask("room:message", { room_id: roomId, body: "near" });
          expect(near.success).to.equal(true);
        }),
        ...[a, b, facade].map((service) =>
          timed(async () => expect((await service.call("get", "/rooms", { token: ada.token })).status).to.equal(200)),
        ),
      ]);
      expect(Math.max(...took)).to.be.below(8000);
    } finally {
      redis.thaw();
    }
    await until(
      "they hear each other",
      async () => (await adaOnB.ask("room:message", { room_id: roomId, body: "together" })).success,
      15_000,
    );
    await hostOnA.inbox.next("room:new_message", ({ message }) => message.body === "together", 15_000);
  });
});
