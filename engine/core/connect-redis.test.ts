import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import type { Redis } from "ioredis";
import { startRedis, type TestRedis } from "#shared/testing/redis.ts";
import { until } from "#shared/testing/until.ts";
import { connectRedis } from "./connect-redis.ts";

describe("the connection to Redis", () => {
  let server: TestRedis;
  let balancer: Server;
  let redis: Redis | undefined;
  let accepted = 0;
  let isAway = true;

  before(async () => {
    server = await startRedis();
    // Accepts connections while the server behind it is away, and closes them.
    balancer = createServer((near) => {
      accepted += 1;
      near.on("error", () => {});
      if (isAway) return near.destroy();
      const far = connect(server.port, "127.0.0.1");
      far.on("error", () => {});
      near.pipe(far).pipe(near);
    }).listen(0, "127.0.0.1");
    await once(balancer, "listening");
  });
  after(async () => {
    redis?.disconnect();
    balancer.close();
    await server.stop();
  });

  it("is established after a balancer has accepted and closed several", async () => {
    redis = connectRedis(`redis://127.0.0.1:${(balancer.address() as AddressInfo).port}`);
    await until("it has tried often", () => accepted > 4);
    isAway = false;

    expect(await redis.ping()).to.equal("PONG");
  });

  it("is established again when the client gives up, but not when it was told to", async () => {
    const connector = Reflect.get(redis!, "connector") as { connect(): Promise<never> };
    const connect = connector.connect.bind(connector);
    connector.connect = () => Promise.reject(new Error("a failover is announced"));
    redis!.disconnect(true);
    await new Promise((resolve) => redis!.once("end", resolve)); // It emits an error before.
    connector.connect = connect;

    await until("it is there again", () => redis!.status === "ready");
    const other = redis!.duplicate();
    await once(other, "ready");
    other.disconnect();
    await once(other, "end");
    await pause(300);
    expect(other.status).to.equal("end");
  });

  it("has duplicates that log lost connections, as libraries make them", () => {
    const duplicate = redis!.duplicate({ lazyConnect: true });
    const ofDuplicate = duplicate.duplicate({ lazyConnect: true });

    // ioredis prints the stacks of what no listener gets.
    expect([duplicate, ofDuplicate].map((one) => one.listenerCount("error"))).to.deep.equal([1, 1]);
  });
});
