import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CloseCode } from "@colyseus/core";
import { expect } from "chai";
import { Redis } from "ioredis";
import pg from "pg";
import type { Member } from "#shared/contracts/views.ts";
import { locks } from "#shared/db/locks.ts";
import { newId } from "#shared/kernel/ids.ts";
import { openRoomIn, ownerOf } from "#shared/testing/actor-placement.ts";
import {
  closeClients,
  connectSocket,
  type Inbox,
  joinNative,
  type SocketClient,
} from "#shared/testing/clients/clients.ts";
import { createDatabase } from "#shared/testing/database.ts";
import { attributeOf, FakeCollector } from "#shared/testing/fakes/fake-collector.ts";
import { startRedis, type TestRedis } from "#shared/testing/redis.ts";
import {
  openRoom,
  type Registered,
  register,
  runBeside,
  type SpawnedService,
  spawnService,
  stopServices,
} from "#shared/testing/spawned-service.ts";
import { until } from "#shared/testing/until.ts";

describe("two processes over one database and one Redis", function () {
  this.timeout(60_000);
  let environment: Record<string, string>;
  let redis: TestRedis;
  /** Where the processes list themselves and their actors. */
  let listing: Redis;
  let database: pg.Client;
  let collector: FakeCollector;
  /** The actor of `roomId` lives here. */
  let a: SpawnedService;
  let b: SpawnedService;
  /** Hosts no actors and holds no connections: REST only. */
  let facade: SpawnedService;
  let giftId: string;
  let host: Registered;
  let ada: Registered;
  let bob: Registered;
  /** Its actor lives in `a`. */
  let roomId: string;

  before(async () => {
    redis = await startRedis();
    listing = new Redis(redis.url);
    listing.on("error", () => {}); // A test stops Redis.
    collector = await FakeCollector.start();
    const url = await createDatabase({ migrated: true });
    const folder = await mkdtemp(join(tmpdir(), "cluster-"));
    environment = {
      DATABASE_URL: url,
      REDIS_URL: redis.url,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      DATA_DIR: folder,
      JWT_SECRET: "one secret for them all, of 40 characters",
    };
    database = new pg.Client({ connectionString: url });
    [a, b, facade] = await Promise.all([
      spawnService(environment),
      spawnService(environment),
      spawnService({ ...environment, ROLES: "api" }),
      database.connect(),
    ]);
    giftId = newId();
    const categoryId = newId();
    await database.query("INSERT INTO gift_categories (id, name) VALUES ($1, 'Classic')", [categoryId]);
    await database.query(
      "INSERT INTO gifts (id, category_id, name, image_url, price) VALUES ($1, $2, 'Clap', 'https://cdn.example.com/c.png', 1)",
      [giftId, categoryId],
    );
  });
  after(async () => {
    await stopServices();
    await collector.stop();
    listing.disconnect();
    await database.end();
    await redis.stop();
  });

  beforeEach(async () => {
    [host, ada, bob] = await Promise.all([register(a), register(b), register(facade)]);
    roomId = await openRoom(a, host);
    if ((await ownerOf(listing, roomId)) !== new URL(a.url).host) [a, b] = [b, a];
  });
  afterEach(closeClients);

  const enter = async (service: SpawnedService, person: Registered, room = roomId): Promise<SocketClient> => {
    const client = await connectSocket(service.url, person.token);
    let joined = await client.ask("room:join", { room_id: room });
    // The other process may be slow: a client asks again then.
    if (joined.error?.code === "ENGINE_UNAVAILABLE") joined = await client.ask("room:join", { room_id: room });
    expect(joined.success, JSON.stringify(joined.error)).to.equal(true);
    return client;
  };
  const roomEvents = (inbox: Inbox) => inbox.all.filter(({ payload }) => payload.seq !== undefined);
  const counts = async (service: SpawnedService): Promise<[number, number]> => {
    const { body } = await service.call("get", "/rooms?filter=popular", { token: host.token });
    const card = body.data.items.find(({ id }: { id: string }) => id === roomId);
    return [card.member_count, card.seated_count];
  };

  it("creates one actor when the first users join over both at the same moment", async () => {
    for (let round = 0; round < 5; round += 1) {
      const id = newId();
      await database.query(
        "INSERT INTO rooms (id, host_id, name, category, language, seat_count) VALUES ($1, $2, 'New', 'music', 'en', 8)",
        [id, host.id],
      );
      const clients = await Promise.all([enter(a, ada, id), enter(b, bob, id), enter(b, host, id)]);
      const { rows } = await database.query("SELECT epoch FROM room_states WHERE room_id = $1", [id]);
      expect(rows).to.deep.equal([{ epoch: "1" }]);
      for (const service of [a, b, facade]) {
        const { body } = await service.call("get", `/rooms/${id}`, { token: ada.token });
        expect(body.data.members).to.have.length(3);
      }
      for (const client of clients) client.close();
    }
  });

  it("spreads new rooms over the processes, whichever gets the call", async () => {
    const owners = new Set<string | null>();
    // A process that is busy for a moment gets no new rooms.
    await until(
      "both have got one",
      async () => {
        owners.add(await ownerOf(listing, await openRoom(facade, await register(facade))));
        return owners.size === 2;
      },
      15_000,
    );
    expect([...owners]).to.have.members([a, b].map(({ url }) => new URL(url).host));
  });

  it("brings each event to each connection once, whichever transport and process caused it", async () => {
    const native = await joinNative(b.url, bob.token, { room_id: roomId });
    const [hostOnA, adaOnB, adaOnA] = [await enter(a, host), await enter(b, ada), await enter(a, ada)];
    const senders = [
      (body: string) => hostOnA.ask("room:message", { room_id: roomId, body }),
      (body: string) => adaOnB.ask("room:message", { room_id: roomId, body }),
      (body: string) => native.ask("room:message", { body }),
    ];
    const bodies = Array.from({ length: 30 }, (_, index) => `message ${index}`);
    await Promise.all(bodies.map((body, index) => senders[index % senders.length]?.(body)));
    const asked = await b.call("post", `/rooms/${roomId}/seat-request`, { token: ada.token, body: { seat_no: 3 } });
    const approval = `/rooms/${roomId}/seat-requests/${asked.body.data.id}/approve`;
    expect((await facade.call("post", approval, { token: host.token })).status).to.equal(200);
    const gift = { gift_id: giftId, recipient_id: ada.id, quantity: 2 };
    expect((await b.call("post", `/rooms/${roomId}/gifts`, { token: bob.token, body: gift })).status).to.equal(201);
    const connections = [hostOnA, adaOnB, adaOnA, native];
    for (const { inbox } of connections) await inbox.next("gift:animation");
    for (const { inbox } of connections) {
      const sent = inbox.of("room:new_message").map(({ message }) => message.body);
      expect(sent).to.have.length(30).and.have.members(bodies);
      // The gift shows once more with the seats, a moment later.
      const seated = inbox.of("room:seats_updated").map(({ seats }) => seats[2]);
      expect(seated.filter((seat) => seat.user?.id === ada.id && seat.gifts_received === 0)).to.have.length(1);
      expect(inbox.of("gift:animation")).to.have.length(1);
      const seqs = roomEvents(inbox).map(({ payload }) => payload.seq);
      expect(seqs).to.deep.equal(seqs.map((_, index) => seqs[0] + index));
    }
    // What is for one user reaches all their connections, and no others.
    const requestEvents = { "room:seat_requested": "pending", "room:seat_request_updated": "approved" } as const;
    for (const [event, status] of Object.entries(requestEvents)) {
      for (const { inbox } of [hostOnA, adaOnA, adaOnB])
        expect(inbox.of(event).map(({ request }) => request.status)).to.deep.equal([status]);
      expect(native.inbox.of(event)).to.deep.equal([]);
    }
  });

  it("brings a message between two people to each of their connections once, whichever process holds them", async () => {
    const native = await joinNative(b.url, bob.token, { room_id: roomId });
    const [adaOnA, adaOnB, bobOnB] = [
      await connectSocket(a.url, ada.token),
      await connectSocket(b.url, ada.token),
      await connectSocket(b.url, bob.token),
    ];
    const connections = [native, adaOnA, adaOnB, bobOnB];
    const opened = await facade.call("post", "/conversations", { token: ada.token, body: { peer_id: bob.id } });
    const { id } = opened.body.data;
    for (const [service, { token }, body] of [
      [facade, ada, "by the facade"],
      [a, bob, "by a"],
      [b, ada, "by b"],
    ] as const) {
      const sent = await service.call("post", `/conversations/${id}/messages`, { token, body: { body } });
      expect(sent.status).to.equal(201);
      for (const { inbox } of connections) await inbox.next("dm:new", ({ message }) => message.body === body);
    }
    await a.call("post", `/conversations/${id}/read`, { token: bob.token });
    const typed = { conversation_id: id, user_id: ada.id, typing: true };
    await until("both of the peer's connections see the typing", async () => {
      await adaOnA.ask("typing:dm", { conversation_id: id, typing: true });
      return [native, bobOnB].every(({ inbox }) => inbox.of("typing:dm").length > 0);
    });
    for (const { inbox } of connections) {
      expect(await inbox.next("dm:read")).to.include({ conversation_id: id, reader_id: bob.id });
      expect(inbox.of("dm:read")).to.have.length(1);
      expect(inbox.of("dm:new")).to.have.length(3);
    }
    expect(native.inbox.of("typing:dm")[0]).to.deep.equal(typed);
    for (const { inbox } of [adaOnA, adaOnB]) expect(inbox.of("typing:dm")).to.deep.equal([]);
  });

  it("shows a native client of one process the actor in the other", async () => {
    const hostOnA = await enter(a, host);
    const native = await joinNative(b.url, ada.token, { room_id: roomId });
    await until("the state is there", () => native.room.state.members?.size === 2);
    expect(native.room.state.seats[0].user_id).to.equal(host.id);
    await hostOnA.ask("seat:invite", { room_id: roomId, user_id: ada.id, seat_no: 2 });
    await native.inbox.next("seat:invited");
    expect((await native.ask("seat:accept_invite", {})).success).to.equal(true);
    await until("the state follows", () => native.room.state.seats[1].user_id === ada.id);
    const told = await hostOnA.inbox.next("room:seats_updated", ({ seats }) => seats[1].user?.id === ada.id);
    expect(told.room_id).to.equal(roomId);
    native.room.send("room:message", { body: "sent and not asked" });
    await native.inbox.next("room:new_message", ({ message }) => message.body === "sent and not asked");
    await hostOnA.ask("room:kick", { room_id: roomId, user_id: ada.id });
    expect((await native.inbox.next("leave")).code).to.equal(4403);
  });

  it("animates a gift that was sent elsewhere when it is committed, not when a user looks", async () => {
    const [hostOnA] = [await enter(a, host), await enter(b, ada)];
    const gift = { gift_id: giftId, recipient_id: host.id, quantity: 1 };
    const sendFrom = async (service: SpawnedService): Promise<number> => {
      const earlier = new Set(hostOnA.inbox.of("gift:animation"));
      const arrived = hostOnA.inbox
        .next("gift:animation", (payload) => !earlier.has(payload), 15_000)
        .then(() => performance.now());
      const sent = await service.call("post", `/rooms/${roomId}/gifts`, { token: ada.token, body: gift });
      const answered = performance.now();
      expect(sent.status).to.equal(201);
      return (await arrived) - answered;
    };
    const areQuick = async (service: SpawnedService): Promise<boolean> => {
      for (let count = 0; count < 3; count += 1) if ((await sendFrom(service)) >= 300) return false;
      return true;
    };
    // The two that deliver look once a second each: of the second and the third gift one would wait for about half a
    // second or more. Other work shares the machine, so there are some tries.
    for (const service of [b, facade]) await until("three in a row are quick", () => areQuick(service), 20_000);
    // Quick may be chance; that the facade says so is not.
    const listener = new Redis(redis.url);
    await listener.subscribe("hubbub:outbox:0");
    const woken = once(listener, "message");
    await sendFrom(facade);
    await woken;
    listener.disconnect();
  });

  it("closes connections that the other process holds, when their session or account ends", async () => {
    const gone = (inbox: Inbox) =>
      Promise.race([inbox.next("disconnect", undefined, 2000), inbox.next("leave", undefined, 2000)]);
    const [adaOnB, bobOnB] = [await enter(b, ada), await enter(b, bob)];
    const native = await joinNative(b.url, ada.token, { room_id: roomId });
    const out = await a.call("post", "/auth/logout", { body: { refreshToken: ada.refreshToken } });
    expect(out.status).to.equal(200);
    await Promise.all([gone(adaOnB.inbox), gone(native.inbox)]);
    expect((await b.call("get", "/auth/me", { token: ada.token })).body.error.code).to.equal("UNAUTHENTICATED");
    const hostOnA = await enter(a, host);
    await runBeside(
      environment,
      `import { service } from "#shared/contracts/principal.ts";
       import { jobs } from "#shared/db/jobs.ts";
       import { closeDatabase, openDatabase } from "#shared/db/sequelize.ts";
       import { suspendUser } from "#shared/domain/identity/accounts/suspend-user.ts";
       await openDatabase(process.env.DATABASE_URL);
       await jobs.start({ work: false });
       await suspendUser(service, "${bob.id}", { reason: "test" });
       await jobs.stop();
       await closeDatabase();`,
    );
    await gone(bobOnB.inbox);
    expect((await b.call("get", "/auth/me", { token: bob.token })).body.error.code).to.equal("ACCOUNT_SUSPENDED");
    const left = await hostOnA.inbox.next("room:participant_left", ({ user_id }) => user_id === bob.id);
    expect(left.reason).to.equal("kicked");
  });

  it("keeps each person in one room, and counts people, over both", async () => {
    const [hostOnA, adaOnB] = [await enter(a, host), await enter(b, ada)];
    await Promise.all(
      [a, b, facade].map((service) => until("counts", async () => (await counts(service)).join() === "2,1")),
    );
    const other = await openRoom(b, bob);
    expect((await adaOnB.ask("room:join", { room_id: other })).success).to.equal(true);
    const left = await hostOnA.inbox.next("room:participant_left");
    expect(left).to.include({ user_id: ada.id, reason: "moved" });
    await Promise.all(
      [a, b, facade].map((service) => until("counts", async () => (await counts(service)).join() === "1,1")),
    );
    await hostOnA.ask("room:message", { room_id: roomId, body: "is she gone?" });
    const bobOnB = await enter(b, bob, other);
    await bobOnB.ask("room:message", { room_id: other, body: "she is here" });
    await adaOnB.inbox.next("room:new_message");
    expect(adaOnB.inbox.of("room:new_message").map(({ message }) => message.body)).to.deep.equal(["she is here"]);
  });

  it("serves REST from a process without the engine, through those with it", async () => {
    const room = await openRoom(facade, ada);
    expect((await facade.call("post", `/rooms/${room}/join`, { token: bob.token, body: {} })).status).to.equal(200);
    const seen = await a.call("get", `/rooms/${room}`, { token: ada.token });
    expect(seen.body.data.member_count).to.equal(1);
    const failures: [string, string, object, string][] = [
      ["get", `/rooms/${newId()}`, {}, "NOT_FOUND"],
      ["post", `/rooms/${newId()}/join`, { body: {} }, "NOT_FOUND"],
      ["post", `/rooms/${room}/seat-request`, { body: {} }, "NOT_A_MEMBER"],
    ];
    for (const [method, path, options, code] of failures) {
      const answer = await facade.call(method, path, { token: host.token, ...options });
      expect(answer.body.error.code).to.equal(code);
    }
    const refused = await connectSocket(facade.url, ada.token).then(
      () => "connected",
      () => "refused",
    );
    expect(refused).to.equal("refused");
  });

  it("traces a call through the processes it passes, down to its statements and its job", async () => {
    const traceId = newId().replaceAll("-", "");
    const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
    const spans = () => collector.of(traceId);
    const body = { email: "somebody@example.com" };
    const joined = await facade.call("post", `/rooms/${roomId}/join`, { token: ada.token, body: {}, headers });
    const asked = await facade.call("post", "/auth/forgot-password", { body, headers });
    expect([joined.status, asked.status]).to.deep.equal([200, 200]);

    const names = ["POST /api/v1/rooms/:id/join", "voice_room room:join", "COMMIT", "job mail.account"];
    await until("all parts of the trace have arrived", () => names.every((name) => spans().has(name)), 15_000);
    const [call, action, commit, job] = names.map((name) => spans().get(name)!);
    expect(call).to.include({ parentSpanId: "00f067aa0ba902b7", processId: `${facade.child.pid}` });
    expect(action).to.include({ parentSpanId: call!.spanId, processId: `${a.child.pid}` });
    expect(job!.processId).not.to.equal(call!.processId);
    expect(attributeOf(call!, "http.response.status_code")).to.equal("200");
    expect(attributeOf(commit!, "db.system.name")).to.equal("postgresql");
    const sent = JSON.stringify([...spans().values()]);
    expect(sent).not.to.include(body.email).and.not.to.include(ada.token);
  });

  it("announces the first and the last connection over both, once", async () => {
    const followed = await b.call("post", `/users/${ada.id}/follow`, { token: bob.token, body: {} });
    expect(followed.status).to.equal(200);
    const follower = await connectSocket(b.url, bob.token);
    await follower.inbox.next("presence:update", ({ user_id }) => user_id === bob.id);
    const news = () => follower.inbox.of("presence:update").filter(({ user_id }) => user_id === ada.id);
    const [onA, onB] = [await connectSocket(a.url, ada.token), await connectSocket(b.url, ada.token)];
    await until("she is online", () => news().length === 1);
    await onA.inbox.next("presence:update", ({ user_id, is_online }) => user_id === ada.id && is_online);
    const leases = async () =>
      (await database.query("SELECT 1 FROM online_users WHERE user_id = $1", [ada.id])).rowCount;
    await until("both processes hold her", async () => (await leases()) === 2);
    onA.close();
    await until("one lets her go", async () => (await leases()) === 1);
    // What she does here comes later than an event about the other connection would.
    await onB.ask("room:join", { room_id: roomId });
    await until("her room is named", () => news().at(-1)?.room_id === roomId);
    expect(news().every(({ is_online }) => is_online)).to.equal(true);
    onB.close();
    await until("she is offline", () => news().at(-1)?.is_online === false);
    expect(news().filter(({ is_online }) => !is_online)).to.have.length(1);
  });

  it("survives the loss of Redis, and is one service again with a new one", async () => {
    const [hostOnA, adaOnB] = [await enter(a, host), await enter(b, ada)];
    // What of the way in is still in the stream ends with Redis.
    await hostOnA.ask("room:message", { room_id: roomId, body: "before" });
    await adaOnB.inbox.next("room:new_message", undefined, 15_000);
    const printedBefore = [a, b, facade].map(({ output }) => output().lastIndexOf("\n") + 1);
    await redis.stop();
    // The actor's own process needs no Redis; the other says what is the matter.
    await until("the loss is noticed", async () => {
      const refused = await adaOnB.ask("room:message", { room_id: roomId, body: "from afar" });
      return refused.error?.code === "ENGINE_UNAVAILABLE";
    });
    expect((await hostOnA.ask("room:message", { room_id: roomId, body: "alone" })).success).to.equal(true);
    expect((await a.call("get", "/rooms", { token: host.token })).status).to.equal(200);
    expect([a, b, facade].map(({ child }) => child.exitCode)).to.deep.equal([null, null, null]);
    const printed = () =>
      [a, b, facade].flatMap(({ output }, index) => output().slice(printedBefore[index]).split("\n").slice(0, -1));
    await until("the loss is logged", () => printed().some((line) => line.includes("redis connection")));
    expect(printed().filter((line) => !line.startsWith("{"))).to.deep.equal([], "stacks that libraries print");
    redis = await startRedis(redis.port);
    await until(
      "they hear each other",
      async () => {
        const sent = await adaOnB.ask("room:message", { room_id: roomId, body: "together" });
        return sent.success;
      },
      15_000,
    );
    await hostOnA.inbox.next("room:new_message", ({ message }) => message.body === "together");
    await hostOnA.ask("room:message", { room_id: roomId, body: "again" });
    await adaOnB.inbox.next("room:new_message", ({ message }) => message.body === "again", 15_000);
    const native = await joinNative(b.url, bob.token, { room_id: roomId });
    await until("the state is there", () => native.room.state.members?.size === 3);
    const { rows } = await database.query("SELECT epoch FROM room_states WHERE room_id = $1", [roomId]);
    expect(rows).to.deep.equal([{ epoch: "1" }]);
    await until("the counts are there", async () => (await counts(facade)).join() === "3,1", 10_000);
  });

  it("notices which users lost their connections with a process", async () => {
    const dying = await spawnService(environment);
    await b.call("post", `/users/${bob.id}/follow`, { token: ada.token, body: {} });
    const [watcher, gone, alive] = [await enter(a, host), await enter(dying, bob), await enter(b, ada)];
    await dying.stop("SIGKILL");
    await gone.inbox.next("disconnect");
    await watcher.inbox.next(
      "room:member_updated",
      ({ member }) => member.user.id === bob.id && !member.connected && !member.user.is_online,
      30_000,
    );
    // Followers are told too, before the leases of the process are over.
    await alive.inbox.next("presence:update", ({ user_id, is_online }) => user_id === bob.id && !is_online, 1000);
    const { data } = await alive.ask("room:sync", { room_id: roomId, since_seq: 0 });
    const online = data.room.members.filter(({ user }: Member) => user.is_online).map(({ user }: Member) => user.id);
    expect(online).to.have.members([host.id, ada.id]);
  });

  it("gives the relay's work of a killed process to the others within 2 s", async () => {
    const owners = async () => {
      const { rows } = await database.query<{ slots: number }>(
        `SELECT count(*)::int AS slots FROM pg_locks WHERE locktype = 'advisory' AND classid = $1 AND objsubid = 2
           AND mode = 'ExclusiveLock' AND granted
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) GROUP BY pid ORDER BY 1`,
        [locks.outboxRelay],
      );
      return rows.map(({ slots }) => slots).join();
    };
    const dying = await spawnService(environment);
    await until("three share the work", async () => (await owners()) === "6,6,6", 15_000);
    await dying.stop("SIGKILL");
    await until("two do it all", async () => (await owners()) === "9,9", 2000);
    const adaOnB = await connectSocket(b.url, ada.token);
    const opened = await facade.call("post", "/conversations", { token: bob.token, body: { peer_id: ada.id } });
    const path = `/conversations/${opened.body.data.id}/messages`;
    expect((await facade.call("post", path, { token: bob.token, body: { body: "still there?" } })).status).to.equal(
      201,
    );
    await adaOnB.inbox.next("dm:new");
  });

  it("continues in one process when the other ends, with the same seats", async () => {
    const ending = await spawnService(environment);
    const room = await openRoomIn(listing, ending, host);
    const [hostOnB, adaOnB, bobThere] = [
      await enter(b, host, room),
      await enter(b, ada, room),
      await enter(ending, bob, room),
    ];
    const natives = await Promise.all([ending, b].map(({ url }) => joinNative(url, bob.token, { room_id: room })));
    await hostOnB.ask("seat:invite", { room_id: room, user_id: ada.id, seat_no: 4 });
    await adaOnB.ask("seat:accept_invite", { room_id: room });
    const seen = Math.max(...roomEvents(hostOnB.inbox).map(({ payload }) => payload.seq));
    const stopped = ending.stop();
    const acknowledged: string[] = [];
    for (let count = 0, over = false; !over; count += 1) {
      const answer = await hostOnB.ask("room:message", {
        room_id: room,
        body: `during ${count}`,
        client_id: `${count}`,
      });
      if (answer.success) acknowledged.push(answer.data.id);
      else if (answer.error.code === "NOT_A_MEMBER") await hostOnB.ask("room:join", { room_id: room });
      else expect(answer.error.code).to.equal("ENGINE_UNAVAILABLE");
      over = await Promise.race([
        stopped.then(() => true),
        new Promise<boolean>((resolve) => setImmediate(resolve, false)),
      ]);
    }
    expect(await stopped).to.equal(0);
    await bobThere.inbox.next("disconnect");
    for (const { inbox } of natives) expect((await inbox.next("leave")).code).to.equal(CloseCode.SERVER_SHUTDOWN);
    const rejoined = await adaOnB.ask("room:join", { room_id: room });
    expect(rejoined.data.seats[3].user.id).to.equal(ada.id);
    expect(rejoined.data.seq).to.be.greaterThan(seen);
    // All know the same actor: who asks over another process is heard by who listens to this one.
    expect((await facade.call("post", `/rooms/${room}/join`, { token: bob.token, body: {} })).status).to.equal(200);
    await adaOnB.inbox.next(
      "room:participant_joined",
      ({ member, seq }) => member.user.id === bob.id && seq > rejoined.data.seq,
    );
    const onA = await enter(a, bob, room);
    await onA.ask("room:message", { room_id: room, body: "from the third" });
    await adaOnB.inbox.next("room:new_message", ({ message }) => message.body === "from the third");
    const { rows } = await database.query("SELECT id FROM room_messages WHERE room_id = $1 ORDER BY id", [room]);
    expect(rows.map(({ id }) => id).slice(0, -1)).to.include.members(acknowledged);
    const { rows: states } = await database.query("SELECT epoch FROM room_states WHERE room_id = $1", [room]);
    expect(states).to.deep.equal([{ epoch: "2" }]);
  });
});
