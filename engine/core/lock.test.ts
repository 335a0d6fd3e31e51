import { expect } from "chai";
import type { Redis } from "ioredis";
import { startRedis, type TestRedis } from "#shared/testing/redis.ts";
import { until } from "#shared/testing/until.ts";
import { connectRedis } from "./connect-redis.ts";
import { takeLock } from "./lock.ts";

describe("a lock", () => {
  const key = "a lock";
  let server: TestRedis;
  let one: Redis;
  let other: Redis;
  before(async () => {
    server = await startRedis();
    [one, other] = [connectRedis(server.url), connectRedis(server.url)];
  });
  after(async () => {
    one.disconnect();
    other.disconnect();
    await server.stop();
  });

  it("stays taken until it is released, however long that takes", async () => {
    const release = await takeLock(one, key);
    let leftMs = await other.pttl(key);
    await until("it is renewed", async () => {
      const before = leftMs;
      leftMs = await other.pttl(key);
      return leftMs > before;
    });
    let taken = false;
    const taking = takeLock(other, key).finally(() => {
      taken = true;
    });
    await other.ping();
    expect(taken).to.equal(false);

    await release();
    await (await taking)();
    expect(await one.exists(key)).to.equal(0);
  });

  it("is soon free if Redis gave it to a process that no longer waited for the answer", async () => {
    server.freeze();
    try {
      const failure = await takeLock(one, key).catch(String);
      expect(failure).to.contain("timed out");
    } finally {
      server.thaw();
    }
    await until("it is taken, by no one", async () => (await other.exists(key)) === 1);
    await until("it is free", async () => (await other.exists(key)) === 0);
  });
});
