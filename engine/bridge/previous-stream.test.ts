import { once } from "node:events";
import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdapter } from "@socket.io/redis-streams-adapter";
import { expect } from "chai";
import type { Redis } from "ioredis";
import { Server } from "socket.io";
import { type Socket as ClientSocket, io as connect } from "socket.io-client";
import type { ServerPush } from "#shared/contracts/events.ts";
import { startRedis, type TestRedis } from "#shared/testing/redis.ts";
import { until } from "#shared/testing/until.ts";
import { connectRedis } from "../core/connect-redis.ts";
import { Bus } from "./bus.ts";
import { PreviousStream } from "./previous-stream.ts";

describe("a process beside one of the previous release", () => {
  let redis: TestRedis;
  let client: Redis;
  let bus: Bus;
  let stream: PreviousStream;
  const heard: unknown[] = [];
  let http: HttpServer;
  /** As 0.2.0 makes it. */
  let previous: Server;
  let socket: ClientSocket;

  before(async () => {
    redis = await startRedis();
    client = connectRedis(redis.url);
    http = createServer();
    const ofAdapter = client.duplicate({ maxRetriesPerRequest: null });
    delete ofAdapter.options.commandTimeout;
    const adapter = createAdapter(ofAdapter, {
      streamName: "hubbub:socket.io",
      maxLen: 10_000,
      readCount: 100,
      blockTimeInMs: 500,
    });
    previous = new Server(http, { adapter });
    await new Promise<void>((listening) => http.listen(0, "127.0.0.1", listening));
    await client.hset("hubbub:nodes", "previous", "127.0.0.1:1");
    socket = connect(`http://127.0.0.1:${(http.address() as AddressInfo).port}`, { transports: ["websocket"] });
    await once(socket as never, "connect");

    const hear = (message: string, channels: readonly string[]) => heard.push([channels, ...JSON.parse(message)]);
    bus = new Bus(client, "new", { hear, together: (work) => work(), missed: () => {} });
    stream = new PreviousStream(client, bus, hear);
    await bus.start();
    await stream.start();
    // Its adapter reads from now on, until it has read its first entry.
    let isHeard = false;
    previous.on("came-or-went", () => {
      isHeard = true;
    });
    await until("the previous release hears", () => {
      stream.send(["presence:1"], JSON.stringify(["came-or-went", null]));
      return isHeard;
    });
  });
  after(async () => {
    socket.disconnect();
    stream.stop();
    await bus.stop();
    await previous.close();
    client.disconnect();
    await redis.stop();
  });

  it("reaches its sockets and what it does itself", async () => {
    const push = { event: "room:hearts", payload: { room_id: "1" } } as unknown as ServerPush;
    const told: unknown[] = [];
    for (const kind of ["to-natives", "actor-began", "admit-session"])
      previous.on(kind as never, ((...content: unknown[]) => told.push([kind, ...content])) as never);
    const got: unknown[] = [];
    socket.onAny((event, payload) => got.push([event, payload]));

    stream.admit("previous", "room:1", JSON.stringify(["admit", { id: socket.id }]));
    stream.send(["room:1"], JSON.stringify(["push", { push, options: {} }]));
    stream.send(["room:1"], JSON.stringify(["leave", { roomId: "1" }]));
    stream.send(["room:1"], JSON.stringify(["push", { push, options: {} }]));
    stream.send(["user:2"], JSON.stringify(["push", { push, options: { volatile: true } }]));
    stream.send(["room:1"], JSON.stringify(["actor-began", { roomId: "1", epoch: 2 }]));
    stream.send(["user:2"], JSON.stringify(["admit-session", { userId: "2" }]));

    await until("it has heard all", () => told.length === 3);
    expect(told).to.deep.equal([
      ["to-natives", ["2"], push, { volatile: true }],
      ["actor-began", { roomId: "1", epoch: 2 }],
      ["admit-session", { userId: "2" }],
    ]);
    await until("its socket has heard once", () => got.length > 0);
    expect(got).to.deep.equal([["room:hearts", { room_id: "1" }]]);
  });

  it("hears what it pushes and says", async () => {
    heard.length = 0;
    previous.to("room:1").volatile.emit("room:hearts", { room_id: "1" });
    previous.in("socket").socketsJoin("room:1");
    previous.in("user:2").socketsLeave("room:1");
    for (const packet of [
      ["to-natives", ["2"], {}, {}],
      ["came-or-went", ["2"]],
      ["actor-began", { epoch: 2 }],
    ]) {
      const data = JSON.stringify({ packet });
      await client.xadd("hubbub:socket.io", "*", ...["uid", "previous", "nsp", "/", "type", "9", "data", data]);
    }

    const push = { event: "room:hearts", payload: { room_id: "1" } };
    await until("all is heard", () => heard.length === 5);
    expect(heard).to.deep.equal([
      [["room:1"], "push", { push, options: { volatile: true } }],
      [["room:1"], "admit", { id: "socket" }],
      [["user:2"], "leave", { roomId: "1" }],
      [["presence:2"], "came-or-went", null],
      [[], "actor-began", { epoch: 2 }],
    ]);
  });

  it("leaves the stream alone once that one is gone", async () => {
    await client.hdel("hubbub:nodes", "previous");
    const push = { push: { event: "room:hearts", payload: {} }, options: {} };

    await until("nothing is written any more", async () => {
      const before = await client.xlen("hubbub:socket.io");
      stream.send(["room:1"], JSON.stringify(["push", push]));
      await client.ping();
      return (await client.xlen("hubbub:socket.io")) === before;
    });
  });
});
