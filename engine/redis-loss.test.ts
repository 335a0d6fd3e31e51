import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { Redis } from "ioredis";
import pg from "pg";
import { openRoomIn, ownerOf } from "#shared/testing/actor-placement.ts";
import { closeClients, connectSocket, joinNative } from "#shared/testing/clients/clients.ts";
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
import { Bus } from "./bridge/bus.ts";
import { userChannel } from "./bridge/fanout.ts";
import { connectRedis } from "./core/connect-redis.ts";

async function closeRoom(service: SpawnedService, room: string, { token }: Registered): Promise<void> {
  const closed = await service.call("delete", `/rooms/${room}`, { token });
  expect(closed.status, JSON.stringify(closed.body)).to.equal(200);
}

describe("two processes over a Redis that loses data, but no connection", function () {
  this.timeout(60_000);
  let redis: TestRedis;
  let owner: Redis;
  let database: pg.Client;
  let services: [SpawnedService, SpawnedService];
  let environment: Record<string, string>;
  let people: [Registered, Registered];

  before(async () => {
    redis = await startRedis();
    owner = new Redis(redis.url);
    const url = await createDatabase({ migrated: true });
    database = new pg.Client({ connectionString: url });
    await database.connect();
    environment = {
      DATABASE_URL: url,
      REDIS_URL: redis.url,
      DATA_DIR: await mkdtemp(join(tmpdir(), "redis-loss-")),
      JWT_SECRET: "one secret for them all, of 40 characters",
    };
    services = await Promise.all([spawnService(environment), spawnService(environment)]);
    people = await Promise.all([register(services[0]), register(services[1])]);
  });
  after(async () => {
    closeClients();
    await stopServices();
    owner.disconnect();
    await database.end();
    await redis.stop();
  });

  it("lose no client's state when one hangs while 25,000 events for it pass by", async () => {
    const [ada, bob] = people;
    const [near, far] = services;
    const room = await openRoomIn(owner, far, ada);
    const bystander = await connectSocket(near.url, ada.token);
    const client = await connectSocket(far.url, bob.token);
    const native = await joinNative(far.url, bob.token, { room_id: room });
    const joined = await client.ask("room:join", { room_id: room });
    expect(joined.success).to.equal(true);
    const opened = await near.call("post", "/conversations", { token: ada.token, body: { peer_id: bob.id } });
    const path = `/conversations/${opened.body.data.id}/messages`;
    const dropped = new Promise((resolve) => native.room.onDrop(resolve));
    const redisOfFlood = connectRedis(redis.url);
    const flood = new Bus(redisOfFlood, "flood", { hear: () => {}, together: (work) => work(), missed: () => {} });
    await flood.start();

    far.child.kill("SIGSTOP");
    for (let n = 0; n < 25; n += 1) {
      const sent = await near.call("post", path, { token: ada.token, body: { body: `message ${n}` } });
      expect(sent.status).to.equal(201);
      for (let i = 0; i < 1000; i += 1) flood.send([userChannel(bob.id)], JSON.stringify(["of-another-release", i]));
    }
    await flood.stop();
    redisOfFlood.disconnect();
    far.child.kill("SIGCONT");

    await client.inbox.next("disconnect");
    await dropped;
    // Its output comes by another way than what it sends.
    await until("it says so", () => far.output().includes("this process has missed what others pushed"));
    const again = await connectSocket(far.url, bob.token);
    expect((await again.ask("room:join", { room_id: room })).success).to.equal(true);
    await near.call("post", path, { token: ada.token, body: { body: "and now?" } });
    await again.inbox.next("dm:new", ({ message }) => message.body === "and now?");
    const { body } = await far.call("get", `${path}?limit=100`, { token: bob.token });
    expect(body.data.items.map(({ body }: { body: string }) => body)).to.include.members(
      Array.from({ length: 25 }, (_, n) => `message ${n}`),
    );
    expect(bystander.inbox.of("disconnect")).to.deep.equal([]);
    await closeRoom(near, room, ada);
  });

  it("wakes one relay for each part of the work, not all for everything", async () => {
    const topics = Array.from({ length: 18 }, (_, slot) => `hubbub:outbox:${slot}`);
    const subscribers = async () => {
      const counts = (await owner.pubsub("NUMSUB", ...topics)) as (string | number)[];
      return counts.filter((_, index) => index % 2 === 1).map(Number);
    };
    await until("each has its owner", async () => (await subscribers()).every((count) => count === 1), 10_000);
    const dying = await spawnService(environment);
    await until("it is one of three", async () => (await owner.hlen("hubbub:nodes")) === 3);
    await until("each has its owner again", async () => (await subscribers()).every((count) => count === 1), 10_000);

    await dying.stop("SIGKILL");

    await until("the others have it", async () => (await subscribers()).every((count) => count === 1), 5000);
  });

  const losses: [what: string, lose: () => Promise<unknown>][] = [
    ["all of it", () => owner.flushall()],
    ["the list of processes", () => owner.del("hubbub:nodes")],
    ["the list of actors", () => owner.del("roomcaches")],
  ];
  for (const [what, lose] of losses)
    it(`go on with rooms, old and new, when it loses ${what}`, async () => {
      const [host, guest] = people;
      const clients = await Promise.all(services.map(({ url }, index) => connectSocket(url, people[index]!.token)));
      const rooms = await Promise.all(services.map((service) => openRoom(service, host)));
      for (const room_id of rooms) expect((await clients[1]!.ask("room:join", { room_id })).success).to.equal(true);
      const listed = () => Promise.all(rooms.map((room) => ownerOf(owner, room)));
      // One of the processes may still be missing since the loss before.
      await until("their processes are listed", async () => !(await listed()).includes(null), 5000);
      const owners = await listed();

      await lose();

      await until("the actors are listed again", async () => (await listed()).join() === owners.join(), 5000);
      for (const service of services) {
        const room = await openRoom(service, guest);
        const joined = await service.call("post", `/rooms/${room}/join`, { token: host.token, body: {} });
        expect(joined.status, JSON.stringify(joined.body)).to.equal(200);
        await closeRoom(service, room, guest);
      }
      const { rows } = await database.query("SELECT epoch FROM room_states WHERE room_id = ANY($1)", [rooms]);
      expect(rows).to.deep.equal([{ epoch: "1" }, { epoch: "1" }]);
      for (const room of rooms) await closeRoom(services[0], room, host);
    });
});
