import { expect } from "chai";
import { Server } from "socket.io";
import { startRedis, type TestRedis } from "#shared/testing/redis.ts";
import { until } from "#shared/testing/until.ts";
import { connectRedis } from "../core/connect-redis.ts";
import { readFromHere, streamAdapter } from "./cluster-stream.ts";

describe("what processes say to each other over Redis", () => {
  let redis: TestRedis;
  const ends: (() => void)[] = [];
  before(async () => {
    redis = await startRedis();
  });
  after(async () => {
    for (const end of ends) end();
    await redis.stop();
  });

  /** The Socket.IO server of a process, and its client of Redis. */
  async function startProcess() {
    const client = connectRedis(redis.url);
    const io = new Server({ adapter: streamAdapter(client) });
    await readFromHere(io, client);
    ends.push(() => {
      io.of("/").adapter.close();
      client.disconnect();
    });
    return { io, client };
  }

  it("reaches one that was cut off at that moment", async () => {
    const [sender, receiver] = [await startProcess(), await startProcess()];
    const heard: unknown[] = [];
    receiver.io.on("news", (news: unknown) => heard.push(news));

    for (const type of ["normal", "pubsub"]) await sender.client.client("KILL", "TYPE", type, "SKIPME", "yes");
    sender.io.serverSideEmit("news", "first");
    sender.io.serverSideEmit("news", "second");

    await until("it has heard it", () => heard.length === 2);
    expect(heard).to.deep.equal(["first", "second"]);
    // What is still to be subscribed again would reject when they end.
    await until("both are whole again", async () => (await sender.io.of("/").adapter.serverCount()) === 2);
    await sender.client.ping();
  });
});
