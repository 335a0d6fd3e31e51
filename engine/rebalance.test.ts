import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { Redis } from "ioredis";
import { type Balancer, type Place, startBalancer } from "#shared/testing/balancer.ts";
import { closeClients, connectSocket, type SocketClient } from "#shared/testing/clients/clients.ts";
import { createDatabase } from "#shared/testing/database.ts";
import { freePort } from "#shared/testing/free-port.ts";
import { startRedis, type TestRedis } from "#shared/testing/redis.ts";
import { openRoom, register, spawnService, stopServices } from "#shared/testing/spawned-service.ts";
import { until } from "#shared/testing/until.ts";
import { excessOf, LastingExcess, movable } from "./rebalance.ts";

describe("rebalancing", function () {
  this.timeout(90_000);
  const cases: [what: string, own: number, all: number[], excess: number][] = [
    ["leaves alone what is even", 50, [50, 50], 0],
    ["leaves alone what is nearly even", 68, [68, 32], 0],
    ["takes no notice of the first few", 15, [15, 0], 0],
    ["takes what is beyond the mean", 90, [90, 10], 40],
    ["takes nothing from a process that has less than the mean", 10, [90, 10], 0],
  ];
  for (const [what, own, all, excess] of cases)
    it(what, () => {
      expect(excessOf(own, all)).to.equal(excess);
    });

  it("takes no notice of an excess that three rounds in a row haven't seen", () => {
    const excess = new LastingExcess();
    expect([40, 30, 0, 20, 40, 30, 50].map((one) => excess.add(one))).to.deep.equal([0, 0, 0, 0, 0, 20, 30]);
  });

  const moves: [what: string, sizes: number[], excess: number, moved: number[]][] = [
    ["moves a part of many", [1, 2, 3, 4, 5, 6], 12, [6, 5, 1]],
    ["moves at most four rooms in a round", [1, 1, 1, 1, 1, 1], 6, [1, 1, 1, 1]],
    ["leaves a room that is more than the excess, which would come back", [300], 150, []],
    ["moves what is beside such a room", [300, 20, 4], 162, [20, 4]],
    ["moves one of two halves", [51, 51], 51, [51]],
  ];
  for (const [what, sizes, excess, moved] of moves)
    it(what, () => {
      expect(movable(sizes, excess, (size) => size)).to.deep.equal(moved);
    });

  let redis: TestRedis;
  let listing: Redis;
  let balancer: Balancer;
  before(async () => {
    redis = await startRedis();
    listing = new Redis(redis.url);
  });
  after(async () => {
    closeClients();
    await stopServices();
    listing.disconnect();
    await Promise.all([balancer.stop(), redis.stop()]);
  });

  const isEven = async (): Promise<boolean> => {
    const loads: Record<"size" | "sockets", number>[] = Object.values(await listing.hgetall("hubbub:loads")).map(
      (text) => JSON.parse(text),
    );
    return (["size", "sockets"] as const).every((key) => {
      const all = loads.map((load) => load[key]);
      return all.length === 2 && all.every((own) => own > 2 && excessOf(own, all) === 0);
    });
  };

  it("gives a new process its share of rooms and connections, without a failed call", async () => {
    const environment = {
      DATABASE_URL: await createDatabase({ migrated: true }),
      REDIS_URL: redis.url,
      DATA_DIR: await mkdtemp(join(tmpdir(), "rebalance-")),
      JWT_SECRET: "one secret for them all, of 40 characters",
    };
    const place = async (): Promise<Place> => ({ port: await freePort(), metricsPort: await freePort() });
    const places: [Place, Place] = [await place(), await place()];
    const start = ({ port, metricsPort }: Place) =>
      spawnService({ ...environment, PORT: `${port}`, METRICS_PORT: `${metricsPort}` });
    const first = await start(places[0]);
    balancer = await startBalancer(places);
    const people = await Promise.all(Array.from({ length: 6 }, () => register(first)));
    const rooms = (
      await Promise.all(
        people.map((host) =>
          Promise.all(
            Array(6)
              .fill(host)
              .map((one) => openRoom(first, one)),
          ),
        ),
      )
    ).flat();
    const talkers: SocketClient[] = [];
    for (const { token } of people)
      for (let nth = 0; nth < 6; nth += 1) {
        const client = await connectSocket(balancer.url, token);
        client.socket.io.reconnection(true);
        talkers.push(client);
      }
    for (const [nth, talker] of talkers.entries())
      if (nth % 6 === 0) expect((await talker.ask("room:join", { room_id: rooms[nth] })).success).to.equal(true);

    await start(places[1]);
    await until("both have about as much", isEven, 60_000);
    await until("all are connected", async () => talkers.every(({ socket }) => socket.connected), 20_000);
    for (const [nth, talker] of talkers.entries())
      if (nth % 6 === 0) {
        const said = await talker.ask("room:message", { room_id: rooms[nth]!, body: "still here" });
        expect(said.success, JSON.stringify(said.error)).to.equal(true);
      }
  });
});
