import { once } from "node:events";
import { expect } from "chai";
import { Redis } from "ioredis";
import { newId } from "#shared/kernel/ids.ts";
import { connectCounters } from "#shared/kernel/rate-limiter.ts";
import { startRedis } from "#shared/testing/redis.ts";
import { configureLoginLimits, countLoginTry } from "./login-limits.ts";

describe("login limits", () => {
  beforeEach(() => configureLoginLimits({ enabled: true }));
  after(() => configureLoginLimits({ enabled: false }));

  const fail = async (account: string, ip: string, times: number) => {
    for (let time = 0; time < times; time += 1) (await countLoginTry(account, ip)).failed();
  };
  const failure = (account: string, ip: string) => countLoginTry(account, ip).catch((error: unknown) => error);

  it("reject the 11th wrong password in a row, with the time to wait", async () => {
    const account = newId();
    await fail(account, "10.0.0.1", 10);
    const refused = await failure(account, "10.0.0.1");
    expect(refused).to.have.property("code", "RATE_LIMITED");
    expect(refused).to.have.property("retryAfter").within(1, 900);
  });

  it("count each of many concurrent tries", async () => {
    const account = newId();
    const tries = await Promise.allSettled(Array.from({ length: 50 }, () => countLoginTry(account, "10.0.0.1")));
    expect(tries.filter(({ status }) => status === "fulfilled")).to.have.length(10);
  });

  it("ask for a short wait while tries are undecided: they may turn out right", async () => {
    const account = newId();
    const tries = await Promise.all(Array.from({ length: 10 }, () => countLoginTry(account, "10.0.0.1")));
    expect(await failure(account, "10.0.0.1")).to.have.property("retryAfter", 1);

    for (const attempt of tries) attempt.failed();

    expect(await failure(account, "10.0.0.1"))
      .to.have.property("retryAfter")
      .above(60);
  });

  it("ask for a short wait if the last undecided try is decided while they count", async () => {
    const account = newId();
    await fail(account, "10.0.0.1", 9);
    const other = await countLoginTry(account, "10.0.0.1");

    const counting = failure(account, "10.0.0.1");
    other.failed();

    expect(await counting).to.have.property("retryAfter", 1);
  });

  it("don't lock out the owner at another address, or other accounts", async () => {
    const account = newId();
    await fail(account, "10.0.0.1", 10);
    await countLoginTry(account, "10.0.0.2");
    await countLoginTry(newId(), "10.0.0.1");
  });

  it("restart after the right password", async () => {
    const account = newId();
    for (let round = 0; round < 3; round += 1) {
      await fail(account, "10.0.0.1", 9);
      await (await countLoginTry(account, "10.0.0.1")).succeeded();
    }
  });

  it("do not count a try that was taken back", async () => {
    const account = newId();
    for (let time = 0; time < 30; time += 1) await (await countLoginTry(account, "10.0.0.1")).withdrawn();
    await fail(account, "10.0.0.1", 10);
    expect(await failure(account, "10.0.0.1")).to.have.property("code", "RATE_LIMITED");
  });

  it("give each address fewer tries when an account is attacked from many, and a new one still some", async () => {
    const account = newId();
    for (let host = 0; host < 25; host += 1) await fail(account, `10.0.1.${host}`, 4);
    expect(await failure(account, "10.0.1.0")).to.have.property("code", "RATE_LIMITED");
    await (await countLoginTry(account, "192.0.2.7")).succeeded();
    await fail(account, "192.0.2.8", 2);
    expect(await failure(account, "192.0.2.8")).to.have.property("code", "RATE_LIMITED");
  });

  it("count an IPv6 host's /64, and an IPv4-mapped address, as one", async () => {
    const account = newId();
    await fail(account, "2001:db8:1:2::1", 5);
    await fail(account, "2001:DB8:1:2:ffff:0:0:9", 5);
    expect(await failure(account, "2001:0db8:0001:0002::abcd")).to.have.property("code", "RATE_LIMITED");
    await countLoginTry(account, "2001:db8:1:3::1");
    await fail(account, "192.0.2.1", 10);
    expect(await failure(account, "::ffff:192.0.2.1")).to.have.property("code", "RATE_LIMITED");
  });

  it("count in Redis for all processes together, and in memory while Redis is away", async () => {
    const server = await startRedis();
    const redis = new Redis(server.url, { maxRetriesPerRequest: 1, retryStrategy: () => null });
    redis.on("error", () => undefined);
    try {
      const account = newId();
      configureLoginLimits({ enabled: true, redis });
      await fail(account, "10.0.0.1", 6);
      // Another process has its own limiters over the same Redis.
      configureLoginLimits({ enabled: true, redis });
      await fail(account, "10.0.0.1", 4);
      expect(await failure(account, "10.0.0.1")).to.have.property("code", "RATE_LIMITED");
      await server.stop();
      const other = newId();
      await fail(other, "10.0.0.1", 10);
      expect(await failure(other, "10.0.0.1")).to.have.property("code", "RATE_LIMITED");
    } finally {
      redis.disconnect();
      await server.stop();
    }
  });

  it("do not wait for a Redis that hangs", async () => {
    const server = await startRedis();
    const redis = connectCounters(server.url);
    try {
      await once(redis, "ready");
      configureLoginLimits({ enabled: true, redis });
      server.freeze();
      const account = newId();
      await fail(account, "10.0.0.1", 10);
      expect(await failure(account, "10.0.0.1")).to.have.property("code", "RATE_LIMITED");
      expect(await redis.ping().catch(() => "no answer")).to.equal("no answer");
    } finally {
      redis.disconnect();
      await server.stop();
    }
  });

  it("are off when switched off", async () => {
    configureLoginLimits({ enabled: false });
    await fail("somebody", "10.0.0.1", 200);
  });
});
