import { expect } from "chai";
import { Redis } from "ioredis";
import { connectionsMax, eventRate } from "#shared/contracts/client-events.ts";
import { clock } from "#shared/kernel/clock.ts";
import type { DomainError } from "#shared/kernel/domain-error.ts";
import { startRedis, type TestRedis } from "#shared/testing/redis.ts";
import { until } from "#shared/testing/until.ts";
import { EventCounter } from "./event-counter.ts";
import { UserConnections } from "./user-connections.ts";

/** Events that a process may admit before it reports them. */
const share = 10;

describe("the limits of a user over two processes", () => {
  const { now } = clock;
  let nowMs = 0;
  let server: TestRedis;
  let redis: Redis;
  const closed: Redis[] = [];

  beforeEach(async () => {
    nowMs = 3_000_000;
    clock.now = () => nowMs;
    server = await startRedis();
    redis = new Redis(server.url, { maxRetriesPerRequest: 0 });
    redis.on("error", () => undefined);
    closed.push(redis);
  });
  afterEach(async () => {
    clock.now = now;
    for (const connection of closed.splice(0)) connection.disconnect();
    await server.stop();
  });

  const outcome = (asked: Promise<unknown>) =>
    asked.then(
      () => "ok",
      ({ code }: DomainError) => code,
    );

  describe("on events", () => {
    const { points, seconds } = eventRate;
    const count = async (counters: readonly EventCounter[], user: string, times: number) => {
      let admitted = 0;
      for (let index = 0; index < times; index += 1)
        if ((await outcome(counters[index % counters.length]!.count(user))) === "ok") admitted += 1;
      return admitted;
    };

    it("admits each once, except for the share that a process need not report", async () => {
      const counters = [new EventCounter(eventRate, redis), new EventCounter(eventRate, redis)];

      expect(await count(counters, "ada", 4 * points)).to.be.within(points, points + 2 * share);
      expect(await count(counters, "grace", 5)).to.equal(5);

      nowMs += seconds * 1000;
      expect(await count(counters, "ada", 5)).to.equal(5);
    });

    it("applies to concurrent events", async () => {
      const counters = [new EventCounter(eventRate, redis), new EventCounter(eventRate, redis)];

      const asked = Array.from({ length: 4 * points }, (_none, index) => outcome(counters[index % 2]!.count("ada")));
      const admitted = (await Promise.all(asked)).filter((each) => each === "ok").length;

      expect(admitted).to.be.within(points, points + 2 * share);
    });

    it("applies to each process alone while Redis is unavailable, with the time to retry", async () => {
      const counter = new EventCounter(eventRate, redis);
      await server.stop();

      expect(await count([counter], "ada", 2 * points)).to.equal(points);

      const failure = await counter.count("ada").catch((error: DomainError) => error);
      expect(failure).to.include({ code: "RATE_LIMITED", retryAfter: seconds });
    });
  });

  describe("on connections", () => {
    const alive = new Set<string>();
    const processOf = (ownId: string) => {
      alive.add(ownId);
      return new UserConnections(redis, undefined, { ownId, isAlive: async (processId) => alive.has(processId) });
    };

    it("counts those of all processes, and not those of a dead one", async () => {
      const [a, b] = [processOf("a"), processOf("b")];
      const half = connectionsMax / 2;
      const close = await a.open("ada");
      for (let opened = 1; opened < half; opened += 1) await a.open("ada");
      for (let opened = 0; opened < half; opened += 1) await b.open("ada");

      for (const process of [a, b]) expect(await outcome(process.open("ada"))).to.equal("RATE_LIMITED");
      expect(await outcome(b.open("grace"))).to.equal("ok");

      close();
      close();
      await until("another is free", async () => (await outcome(b.open("ada"))) === "ok");
      expect(await outcome(a.open("ada"))).to.equal("RATE_LIMITED");

      alive.delete("b");
      expect(await outcome(a.open("ada"))).to.equal("ok");
    });

    it("never admits more concurrent connections", async () => {
      const processes = [processOf("a"), processOf("b")];

      const asked = Array.from({ length: 4 * connectionsMax }, (_none, index) => processes[index % 2]!.open("ada"));
      const admitted = (await Promise.all(asked.map(outcome))).filter((each) => each === "ok").length;

      expect(admitted).to.be.at.most(connectionsMax);
    });

    it("applies to each process alone while Redis is unavailable", async () => {
      const a = processOf("a");
      await server.stop();

      const asked = Array.from({ length: 2 * connectionsMax }, () => outcome(a.open("ada")));

      expect((await Promise.all(asked)).filter((each) => each === "ok")).to.have.length(connectionsMax);
    });
  });
});
