import { type IRoomCache, matchMaker } from "@colyseus/core";
import { expect } from "chai";
import { Redis } from "ioredis";
import { newId } from "#shared/kernel/ids.ts";
import { startRedis, type TestRedis } from "#shared/testing/redis.ts";
import { useService } from "#shared/testing/service.ts";
import { OwnRowsDriver } from "./own-rows-driver.ts";

describe("the listing of actors", () => {
  useService();
  let server: TestRedis;
  let redis: Redis;
  let driver: OwnRowsDriver;
  before(async () => {
    server = await startRedis();
    redis = new Redis(server.url, { maxRetriesPerRequest: 0, retryStrategy: () => null });
    redis.on("error", () => undefined);
    driver = new OwnRowsDriver(redis);
  });
  after(() => redis.disconnect());

  const row = (processId: string) => ({ roomId: newId(), processId, name: "voice_room", clients: 0 }) as IRoomCache;

  it("loses a process's own rows when it says so, and no other's", async () => {
    const [own, other] = [row(matchMaker.processId), row("another")];
    for (const one of [own, other]) await driver.persist(one, true);
    expect(await driver.remove(own.roomId)).to.equal(true);
    expect(await driver.remove(other.roomId)).to.equal(false);
    expect(await driver.remove(newId())).to.equal(false);
    expect(await driver.has(own.roomId)).to.equal(false);
    expect((await driver.findOne({ roomId: other.roomId })).processId).to.equal("another");
  });

  it("removes a row without failing while Redis is away", async () => {
    const own = row(matchMaker.processId);
    await driver.persist(own, true);
    await server.stop();
    expect(await driver.remove(own.roomId)).to.equal(false);
  });
});
