import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { connectCounters, consume, makeRateLimiter } from "#shared/kernel/rate-limiter.ts";
import { partPrefix, type RedisPart } from "#shared/kernel/redis-cluster.ts";
import { checkRedis } from "#shared/start/check-redis.ts";
import { closeClients, connectSocket } from "#shared/testing/clients/clients.ts";
import { createDatabase } from "#shared/testing/database.ts";
import { startRedisCluster, type TestCluster } from "#shared/testing/redis-cluster.ts";
import {
  openRoom,
  type Registered,
  register,
  type SpawnedService,
  spawnService,
  stopServices,
} from "#shared/testing/spawned-service.ts";
import { until } from "#shared/testing/until.ts";

/** A service is back within this time after a node of the cluster was killed; a busy machine gets more. */
const backMs = 20_000;

describe("two processes over a Redis Cluster", function () {
  this.timeout(60_000);
  let cluster: TestCluster;
  let services: SpawnedService[];
  let people: Registered[];

  before(async () => {
    const [started, url] = await Promise.all([startRedisCluster(), createDatabase({ migrated: true })]);
    cluster = started;
    const environment = {
      DATABASE_URL: url,
      REDIS_URL: cluster.url,
      DATA_DIR: await mkdtemp(join(tmpdir(), "redis-cluster-")),
      JWT_SECRET: "one secret for them all, of 40 characters",
    };
    services = await Promise.all([spawnService(environment), spawnService(environment)]);
    people = await Promise.all(services.map((service) => register(service)));
  });
  after(async () => {
    closeClients();
    await stopServices();
    await cluster?.stop();
  });

  const enter = async (room_id: string) => {
    const clients = await Promise.all(services.map(({ url }, n) => connectSocket(url, people[n]!.token)));
    for (const client of clients)
      await until("it is in the room", async () => (await client.ask("room:join", { room_id })).success, backMs);
    return clients;
  };
  /** Each hears what the other says. */
  const talk = async (room_id: string, clients: Awaited<ReturnType<typeof enter>>) => {
    for (const [n, client] of clients.entries()) {
      const body = `message of ${n} at ${performance.now()}`;
      const said = await client.ask("room:message", { room_id, body });
      expect(said.success, JSON.stringify(said.error)).to.equal(true);
      for (const { inbox } of clients) await inbox.next("room:new_message", ({ message }) => message.body === body);
    }
  };

  it("are one service, whose keys have their places", async () => {
    const room = await openRoom(services[0]!, people[0]!);
    await talk(room, await enter(room));

    const keys = (await Promise.all(cluster.nodes.slice(0, 3).map((node) => node.keys("*")))).flat();
    const parts: RedisPart[] = ["rooms", "bus"];
    for (const part of parts)
      expect(
        keys.filter((key) => key.startsWith(partPrefix(part))),
        part,
      ).not.to.be.empty;
    expect(keys.filter((key) => !parts.some((part) => key.startsWith(partPrefix(part))))).to.deep.equal([]);
  });

  it("count together", async () => {
    const clients = [connectCounters(cluster.url), connectCounters(cluster.url)];
    await Promise.all(clients.map((client) => new Promise((resolve) => client.once("ready", resolve))));
    const limiters = clients.map((client) => makeRateLimiter({ keyPrefix: "test", points: 2, duration: 60 }, client));
    await Promise.all(limiters.map((limiter) => consume(limiter, "key")));

    const third = await consume(limiters[0]!, "key").catch((error: Error) => error);
    expect(third).to.include({ code: "RATE_LIMITED" });
    expect(await clients[1]!.exists("test:key")).to.equal(1);
    for (const client of clients) client.disconnect();
  });

  it("are back soon after the owner of the directory was killed", async () => {
    const room = await openRoom(services[0]!, people[0]!);
    const clients = await enter(room);

    await cluster.killOwner(partPrefix("rooms"));

    const killedMs = performance.now();
    const make = async (service: SpawnedService, { token }: Registered) => {
      const body = { name: "New", category: "music", language: "en", seat_count: 8 };
      return (await service.call("post", "/rooms", { token, body })).body.data?.id;
    };
    const allJoin = async (id: string) => {
      const join = (service: SpawnedService, n: number) =>
        service.call("post", `/rooms/${id}/join`, { token: people[n]!.token, body: {} });
      return (await Promise.all(services.map(join))).every(({ status }) => status === 200);
    };
    for (const [n, service] of services.entries()) {
      // One for all tries: a host has at most 10.
      let made: string | undefined;
      const opens = async () => {
        made ??= await make(service, people[n]!);
        return made !== undefined && (await allJoin(made));
      };
      await until("it opens rooms", opens, backMs);
    }
    console.log(`      back after ${((performance.now() - killedMs) / 1000).toFixed(1)} s`);
    // Those who lost their place are let in again, as clients do.
    for (const client of clients) client.close();
    await talk(room, await enter(room));
  });

  it("don't start with the address of a single node", async () => {
    const [node] = cluster.url.slice("redis-cluster://".length).split(",").slice(-1);

    const failure = await checkRedis(`redis://${node}`).catch(({ message }: Error) => message);

    expect(failure).to.equal(
      `Can't use the Redis server at ${node} (REDIS_URL): it is a node of a cluster. Use redis-cluster://host:port,host:port.`,
    );
  });
});
