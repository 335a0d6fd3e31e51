import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, expect } from "chai";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "#shared/db/embedded-postgres.ts";
import { signalPostgres } from "#shared/testing/kill-hard.ts";
import { startRedis, type TestRedis } from "#shared/testing/redis.ts";
import {
  type Registered,
  register,
  type SpawnedService,
  spawnService,
  stopServices,
} from "#shared/testing/spawned-service.ts";
import { ask, openWay, startStandby, type Way } from "#shared/testing/standby.ts";
import { until } from "#shared/testing/until.ts";

/** A process serves again within this time after the promotion; a busy machine gets more. */
const backMs = 30_000;
/** How often each writer looks for its own write: `REPLICA_TRIES=2500 npm test -- shared/main/promotion` are 10,000. */
const tries = Number(process.env.REPLICA_TRIES ?? 25);

describe("processes whose PostgreSQL has a replica", function () {
  this.timeout(180_000 + 2000 * tries);
  let folder: string;
  let first: string;
  let second: string;
  let primary: EmbeddedPostgres;
  let standby: EmbeddedPostgres;
  /** The ways to the primary and to the replica. */
  let ways: Way[];
  let redis: TestRedis;
  let writer: SpawnedService;
  let reader: SpawnedService;
  let people: Registered[];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "promotion-"));
    [first, second] = [join(folder, "first"), join(folder, "second")];
    [primary, redis] = await Promise.all([startEmbeddedPostgres(first), startRedis()]);
    standby = await startStandby(first, primary, second);
    ways = await Promise.all([primary, standby].map(({ port }) => openWay(port)));
    const [url, replicaUrl] = ways.map(({ port }) => Object.assign(new URL(primary.url), { port: `${port}` }).href);
    const environment = {
      ...{ DATABASE_URL: url!, DATABASE_REPLICA_URL: replicaUrl!, REDIS_URL: redis.url },
      ...{ JWT_SECRET: "a secret of two processes, for tests", DATABASE_REPLICA_WAIT_MS: "1000" },
    };
    const start = (name: string) => spawnService({ ...environment, DATA_DIR: join(folder, name) });
    [writer, reader] = await Promise.all([start("writer"), start("reader")]);
    people = await Promise.all(Array.from({ length: 4 }, () => register(writer)));
  });
  after(async () => {
    await stopServices();
    for (const way of ways) way.close();
    await Promise.all([standby?.stop(), redis?.stop()]);
    await rm(folder, { recursive: true, force: true });
  });

  /** Returns a metric of the process that reads. */
  const metric = async (name: string): Promise<number> => {
    const text = await (await fetch(`${reader.url}/metrics`)).text();
    return Number(
      text
        .split("\n")
        .find((line) => line.startsWith(`${name} `))
        ?.slice(name.length) ?? 0,
    );
  };
  const readsOf = (server: string) => metric(`hubbub_db_replica_reads_total{server="${server}"}`);
  /** Metrics are up to a second old. */
  const untilUp = (up: 0 | 1) =>
    until(`replica up: ${up}`, async () => (await metric("hubbub_db_replica_up")) === up, backMs);
  const newestOf = async ({ id, token }: Registered) => {
    const { status, body } = await reader.call("get", `/users/${id}/posts?limit=1`, { token });
    assert(status === 200, JSON.stringify(body));
    return body.data.items[0];
  };
  const seeOwn = async (person: Registered, times: number): Promise<void> => {
    for (let n = 0; n < times; n += 1) {
      const { status, body } = await writer.call("post", "/posts", {
        token: person.token,
        body: { content: `post ${n}` },
      });
      assert(status === 201, JSON.stringify(body));
      expect(await newestOf(person)).to.include({ id: body.data.id, content: `post ${n}` });
    }
  };
  const seeAll = (times: number) => Promise.all(people.map((person) => seeOwn(person, times)));

  it("show a user in one what they have just written in another, from the replica", async () => {
    await untilUp(1);
    const startedMs = performance.now();

    await seeAll(tries);

    const seconds = (performance.now() - startedMs) / 1000;
    console.log(`      ${4 * tries} own writes seen in ${seconds.toFixed(1)} s`);
    // Each list of posts is two reads.
    await until("most came from there", async () => (await readsOf("replica")) > 7 * tries);
  });

  it("know who is online, which no replica knows", async () => {
    const [person] = people;
    const lease = (sql: string) => ask(primary.url, sql);
    const fromReplica = async () => {
      const { author } = await newestOf(person!);
      return author.is_online;
    };

    const before = await fromReplica();
    await lease(
      `INSERT INTO online_users (user_id, process_id, lease_until) VALUES ('${person!.id}', gen_random_uuid(), now() + interval '1 hour')`,
    );
    const online = await fromReplica();
    await lease(`DELETE FROM online_users WHERE user_id = '${person!.id}'`);

    expect([before, online, await fromReplica()]).to.deep.equal([false, true, false]);
  });

  it("ask the primary while the replica stands still, and the replica again", async () => {
    await ask(standby.url, "SELECT pg_wal_replay_pause()");
    await seeAll(3);
    await untilUp(0);
    const before = await readsOf("primary");
    await seeAll(3);
    await until("the primary serves", async () => (await readsOf("primary")) > before);

    await ask(standby.url, "SELECT pg_wal_replay_resume()");
    await untilUp(1);
    await seeAll(3);
  });

  it("ask the primary when the replica is killed, without a failed call", async () => {
    await Promise.all([seeAll(20), signalPostgres(second, "SIGKILL")]);
    await untilUp(0);

    await standby.ended;
    standby = await startEmbeddedPostgres(second);
    ways[1]!.to = standby.port;
    await untilUp(1);
    await seeAll(3);
  });

  it("serve again when the replica was promoted, with everything that was acknowledged", async () => {
    await ask(primary.url, "ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()");
    await until("it is synchronous", async () => {
      const [one] = await ask<{ state: string }>(primary.url, "SELECT sync_state AS state FROM pg_stat_replication");
      return one?.state === "sync";
    });
    const acknowledged: string[] = [];
    let isOver = false;
    const post = async ({ token }: Registered) => {
      for (let n = 0; !isOver; n += 1) {
        const content = `post ${n} at ${performance.now()}`;
        const sent = await writer.call("post", "/posts", { token, body: { content } });
        if (sent.status === 201) acknowledged.push(sent.body.data.id);
      }
    };
    const posting = people.map(post);
    await until("it writes", () => acknowledged.length > 20);

    await signalPostgres(first, "SIGKILL");
    const killedMs = performance.now();
    ways[0]!.to = standby.port;
    await until("it meets the standby", () => /the server is a standby/.test(writer.output()), backMs);
    const before = acknowledged.length;
    await ask(standby.url, "SELECT pg_promote()");
    const promotedMs = performance.now();

    await until("it writes again", () => acknowledged.length > before + 3, backMs);
    for (const { url } of [writer, reader])
      await until("it is ready", async () => (await fetch(`${url}/readyz`)).status === 200, backMs);
    const seconds = (since: number) => ((performance.now() - since) / 1000).toFixed(1);
    console.log(`      back ${seconds(promotedMs)} s after the promotion, ${seconds(killedMs)} s after the kill`);
    isOver = true;
    await Promise.all(posting);
    const stored = await ask<{ id: string }>(standby.url, "SELECT id FROM posts");
    expect(stored.map(({ id }) => id)).to.include.members(acknowledged);
    // What the address of the replica leads to is no replica any more.
    await seeAll(3);
    await untilUp(0);
  });
});
