import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { expect } from "chai";
import { Redis } from "ioredis";
import { startRedis } from "#shared/testing/redis.ts";
import { until } from "#shared/testing/until.ts";
import { SteadyPresence } from "./steady-presence.ts";

/** A server that accepts connections and never responds. */
async function startSilent(port: number) {
  const sockets: Socket[] = [];
  let received = "";
  const server = createServer((socket) => {
    sockets.push(socket.on("data", (data) => (received += data)));
  }).listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    received: () => received,
    stop: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

describe("the presence in Redis", () => {
  it("renews its subscriptions after a server that didn't respond to that", async () => {
    let redis = await startRedis();
    const client = new Redis(redis.url, { commandTimeout: 300, retryStrategy: () => 10 });
    client.on("error", () => {}); // Redis is stopped.
    const presence = new SteadyPresence(client);
    const heard: unknown[] = [];
    await presence.subscribe("topic", (message) => heard.push(message));
    await redis.stop();

    const silent = await startSilent(redis.port);
    await until("it subscribes in vain", () => silent.received().includes("subscribe"));
    // A later command has taken too long, so the subscription has, too: the run fails if nothing handles that.
    const later = await client.ping().catch((error: Error) => error.message);
    expect(later).to.equal("Command timed out");
    silent.stop();
    redis = await startRedis(redis.port);

    await until("it hears", async () => {
      await presence.publish("topic", "again");
      return heard.length > 0;
    });
    expect(heard[0]).to.equal("again");
    presence.shutdown();
    client.disconnect();
    await redis.stop();
  });

  it("survives messages of another form, to topics with and without listeners", async () => {
    const redis = await startRedis();
    const client = new Redis(redis.url);
    const presence = new SteadyPresence(client);
    const heard: unknown[] = [];
    const iterate = (message: unknown) => {
      const [first] = message as unknown[];
      heard.push(first);
    };
    await presence.subscribe("topic", iterate);
    presence.onUnheard((_topic, message) => iterate(message));
    await presence.listen("pattern:*", (_topic, message) => iterate(message))();
    const { sub } = presence as unknown as { readonly sub: Redis };
    await sub.subscribe("unheard");

    for (const topic of ["topic", "unheard", "pattern:1"]) {
      for (const message of ["null", "7", "{}", "not JSON"]) await client.publish(topic, message);
      await client.publish(topic, JSON.stringify([topic]));
    }
    await until("it hears the right ones", () => heard.length === 3);
    expect(heard).to.deep.equal(["topic", "unheard", "pattern:1"]);
    presence.shutdown();
    client.disconnect();
    await redis.stop();
  });

  it("doesn't renew a subscription that was ended while the network was cut", async () => {
    let redis = await startRedis();
    const client = new Redis(redis.url, {
      disableClientInfo: true,
      commandTimeout: 300,
      maxRetriesPerRequest: null,
      retryStrategy: () => 10,
    });
    client.on("error", () => {}); // Redis is stopped.
    const presence = new SteadyPresence(client);
    const ignore = () => {};
    for (const topic of ["kept", "left"]) await presence.subscribe(topic, ignore);
    await redis.stop();
    const { sub } = presence as unknown as { readonly sub: Redis & { readonly stream: Socket } };
    const silent = await startSilent(redis.port);
    await until("it subscribes in vain", () => silent.received().includes("left"));
    const closed = once(sub, "close");
    silent.stop();
    await closed;
    await presence.unsubscribe("left", ignore);
    // ioredis would send the subscription again; as the connection is gone at that moment, after what waits.
    sub.once("connect", () => sub.stream.destroy());
    redis = await startRedis(redis.port);

    const direct = new Redis(redis.url);
    const subscribers = async (topic: string) => (await direct.pubsub("NUMSUB", topic))[1];
    await until("it subscribes again", async () => (await subscribers("kept")) === 1);
    expect(await subscribers("left")).to.equal(0);
    presence.shutdown();
    for (const one of [client, direct]) one.disconnect();
    await redis.stop();
  });

  it("replaces the connection of its subscriptions when the network has swallowed it", async () => {
    const redis = await startRedis();
    const connections: [Socket, Socket][] = [];
    const network = createServer((near) => {
      const far = connect(redis.port, "127.0.0.1");
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const)
        one.on("error", () => {}).pipe(other);
      connections.push([near, far]);
    }).listen(0, "127.0.0.1");
    await once(network, "listening");
    const client = new Redis((network.address() as AddressInfo).port, { commandTimeout: 300, socketTimeout: 300 });
    client.on("error", () => {}); // Its connection is swallowed, too.
    const presence = new SteadyPresence(client);
    const heard: unknown[] = [];
    await presence.subscribe("topic", (message) => heard.push(message));

    for (const [near, far] of connections) for (const one of [near, far]) one.unpipe().resume();
    const direct = new Redis(redis.url);
    await until("it hears", async () => {
      await direct.publish("topic", '"again"');
      return heard.length > 0;
    });

    presence.shutdown();
    for (const one of [client, direct]) one.disconnect();
    for (const one of connections.flat()) one.destroy();
    network.close();
    await redis.stop();
  });
});
