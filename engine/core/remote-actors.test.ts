import { once } from "node:events";
import type { Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import { Redis } from "ioredis";
import { service } from "#shared/contracts/principal.ts";
import { startRedis, type TestRedis } from "#shared/testing/redis.ts";
import { until } from "#shared/testing/until.ts";
import { RemoteActors } from "./remote-actors.ts";
import { SteadyPresence } from "./steady-presence.ts";

const command = { principal: service, action: "room:view", input: { of: "a test" } } as const;
const limitMs = 2000;

/** A process: Colyseus would subscribe to its actors. */
function startNode(url: string, processId: string) {
  const redis = new Redis(url, { commandTimeout: 500, retryStrategy: () => 10 });
  redis.on("error", () => {}); // A test ends connections.
  const presence = new SteadyPresence(redis);
  const made = redis.duplicate.bind(redis);
  let publisher: Redis;
  redis.duplicate = (...options) => {
    publisher = made(...options);
    return publisher;
  };
  const actors = new RemoteActors(redis, presence, processId);
  const heard: unknown[] = [];
  const host = (id: string, perform: () => object | undefined) =>
    presence.subscribe(`$${id}`, async ([method, requestId, args]: [string, string, unknown[]]) => {
      heard.push([method, ...args]);
      const result = perform();
      if (result) await presence.publish(`ipc:${requestId}`, [0, result]);
    });
  const stop = () => {
    actors.stop();
    presence.shutdown();
    redis.disconnect();
  };
  return { publisher: publisher!, presence, actors, heard, host, stop };
}

describe("actors in other processes", () => {
  let server: TestRedis;
  let near: ReturnType<typeof startNode>;
  let far: ReturnType<typeof startNode>;
  before(async () => {
    server = await startRedis();
  });
  after(() => server.stop());
  beforeEach(() => {
    [near, far] = [startNode(server.url, "near"), startNode(server.url, "far")];
  });
  afterEach(() => {
    for (const node of [near, far]) node.stop();
  });
  const ask = (id: string) => near.actors.perform(id, command, limitMs);

  it("answer, each call for itself", async () => {
    let asked = 0;
    await far.host("counter", () => ({ ok: true, value: ++asked }));
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask("counter")));
    expect(answers).to.deep.equal(answers.map((_, index) => ({ ok: true, value: index + 1 })));
    expect(far.heard[0]).to.deep.equal(["perform", command]);
  });

  it("are known not to exist", async () => {
    expect(await ask("nobody")).to.equal(undefined);
  });

  it("are known to have ended while Redis is still subscribed to them", async () => {
    await far.host("ended", () => ({ ok: true, value: "never asked" }));
    const { subscriptions } = far.presence as unknown as { subscriptions: NodeJS.EventEmitter };
    subscriptions.removeAllListeners("$ended");
    expect(await ask("ended")).to.equal(undefined);
    expect(far.heard).to.deep.equal([]);
  });

  it("are known to have ended while their process ends", async () => {
    await far.host("ending", () => ({ ok: true, value: "never asked" }));
    const { sub, subscriptions } = far.presence as unknown as {
      readonly sub: { readonly stream: Socket };
      readonly subscriptions: NodeJS.EventEmitter;
    };
    subscriptions.removeAllListeners("$ending");
    await ask("nobody"); // From now on a command is sent at once.
    sub.stream.pause();
    const asked = ask("ending");
    await setImmediate();
    await near.publisher.ping();
    const closed = far.presence.close();
    sub.stream.resume();
    expect(await asked).to.equal(undefined);
    await closed;
  });

  it("answer although their predecessor hears the command, too", async () => {
    const moved = startNode(server.url, "moved");
    await moved.host("moving", () => ({ ok: false, code: "ENGINE_UNAVAILABLE", undone: true }));
    const late = Promise.withResolvers<void>();
    await far.presence.subscribe("$moving", async ([, requestId]: [string, string]) => {
      await late.promise;
      await far.presence.publish(`ipc:${requestId}`, [0, { ok: true, value: "done" }]);
    });
    const asked = ask("moving");
    await until("the predecessor has heard it", () => moved.heard.length === 1);
    late.resolve();
    expect(await asked).to.deep.equal({ ok: true, value: "done" });
    moved.stop();
  });

  it("answer after the connection to Redis was lost", async () => {
    await far.host("steady", () => ({ ok: true, value: "here" }));
    await ask("steady");
    const { sub } = near.presence as unknown as { readonly sub: Redis };
    const closed = once(sub, "close");
    const direct = new Redis(server.url);
    await direct.client("KILL", "TYPE", "pubsub");
    await closed;
    await until("the actor hears again", async () => (await direct.pubsub("NUMSUB", "$steady"))[1] === 1);
    expect(await ask("steady")).to.deep.equal({ ok: true, value: "here" });
    direct.disconnect();
  });

  it("answer although something else publishes to the topic of answers", async () => {
    await far.host("patient", () => ({ ok: true, value: "here" }));
    await ask("patient");
    const direct = new Redis(server.url);
    await direct.publish("ipc:near:1", "not JSON");
    expect(await ask("patient")).to.deep.equal({ ok: true, value: "here" });
    direct.disconnect();
  });

  it("get a command once, even if Redis has not confirmed it", async () => {
    await far.host("careful", () => ({ ok: true, value: "done" }));
    await ask("careful");
    // Redis takes the command, and what it responds is lost with the connection.
    const { stream } = near.publisher as unknown as { readonly stream: Socket };
    stream.pause();
    const asked = ask("careful");
    await until("the actor has heard it", () => far.heard.length === 2);
    const closed = once(near.publisher, "close");
    stream.destroy();
    await closed;
    expect(await asked).to.deep.equal({ ok: true, value: "done" });
    await ask("careful");
    expect(far.heard).to.have.length(3);
  });
});
