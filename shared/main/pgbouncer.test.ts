import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import pg from "pg";
import { toUnavailableError } from "#shared/db/unavailable.ts";
import { newId } from "#shared/kernel/ids.ts";
import { closeClients, connectSocket } from "#shared/testing/clients/clients.ts";
import { createDatabase } from "#shared/testing/database.ts";
import { freePort } from "#shared/testing/free-port.ts";
import { type PgBouncer, startPgBouncer } from "#shared/testing/pgbouncer.ts";
import { startRedis, type TestRedis } from "#shared/testing/redis.ts";
import {
  openRoom,
  register,
  runBeside,
  runProgram,
  type SpawnedService,
  spawnService,
  stopServices,
} from "#shared/testing/spawned-service.ts";
import { openWay } from "#shared/testing/standby.ts";
import { until } from "#shared/testing/until.ts";

describe("a service behind PgBouncer in transaction mode", function () {
  this.timeout(60_000);
  let direct: string;
  let bouncer: PgBouncer;
  let redis: TestRedis;
  let database: pg.Client;
  let environment: Record<string, string>;
  let [a, b]: SpawnedService[] = [];

  before(async () => {
    [direct, redis] = await Promise.all([createDatabase({ migrated: true }), startRedis()]);
    bouncer = await startPgBouncer(direct);
    database = new pg.Client({ connectionString: direct });
    await database.connect();
    environment = {
      DATABASE_URL: bouncer.url,
      DATABASE_DIRECT_URL: direct,
      REDIS_URL: redis.url,
      DATA_DIR: await mkdtemp(join(tmpdir(), "pgbouncer-service-")),
      JWT_SECRET: "one secret for them all, of 40 characters",
    };
    [a, b] = await Promise.all([spawnService(environment), spawnService(environment)]);
  });
  after(async () => {
    await stopServices();
    await database.end();
    await Promise.all([bouncer.stop(), redis.stop()]);
  });
  afterEach(closeClients);

  const connections = async () =>
    (
      await database.query<{ name: string; count: number }>(
        `SELECT application_name AS name, count(*)::int FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid() GROUP BY 1`,
      )
    ).rows;

  it("does all by few connections: calls, rooms, gifts, jobs, and signals", async () => {
    const [host, ada] = await Promise.all([register(a!), register(b!)]);
    const room = await openRoom(a!, host);
    const [categoryId, giftId] = [newId(), newId()];
    await database.query("INSERT INTO gift_categories (id, name) VALUES ($1, 'Classic')", [categoryId]);
    await database.query(
      "INSERT INTO gifts (id, category_id, name, image_url, price) VALUES ($1, $2, 'Clap', 'https://cdn.example.com/c.png', 1)",
      [giftId, categoryId],
    );
    const [there, here] = [await connectSocket(a!.url, host.token), await connectSocket(b!.url, ada.token)];
    for (const client of [there, here])
      expect((await client.ask("room:join", { room_id: room })).success).to.equal(true);
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => here.ask("room:message", { room_id: room, body: `line ${index}` })),
    );
    await there.inbox.next("room:new_message", ({ message }) => message.body === "line 39");
    const gifts = await Promise.all(
      Array.from({ length: 20 }, () =>
        b!.call("post", `/rooms/${room}/gifts`, {
          token: ada.token,
          body: { gift_id: giftId, recipient_id: host.id, quantity: 1 },
        }),
      ),
    );
    expect(gifts.map(({ status }) => status)).to.deep.equal(gifts.map(() => 201));
    const wallet = await b!.call("get", "/wallet", { token: ada.token });
    expect(wallet.body.data.balance).to.equal(80);

    // A signal of one process ends the session in the other.
    const left = await a!.call("post", "/auth/logout", { token: ada.token, body: { refreshToken: ada.refreshToken } });
    expect(left.status, JSON.stringify(left.body)).to.equal(200);
    await until("the other process knows", async () => {
      const { status } = await b!.call("get", "/users/me", { token: ada.token });
      return status === 401;
    });
    const all = await connections();
    const pooled = all.filter(({ name }) => !/signals|^hubbub relay$/.test(name));
    const sum = pooled.reduce((total, { count }) => total + count, 0);
    expect(sum, JSON.stringify(all)).to.be.at.most(8);
  });

  it("has the timeouts of each pool in each transaction, and prepares nothing", async () => {
    await runBeside(
      environment,
      `import assert from "node:assert";
       import { query } from "#shared/db/query.ts";
       import { closeDatabase, onActorPool, onSharedPool, openDatabase } from "#shared/db/sequelize.ts";
       import { inSnapshot } from "#shared/db/snapshot.ts";
       import { inTransaction } from "#shared/db/transaction.ts";
       await openDatabase(process.env.DATABASE_URL, process.env.DATABASE_DIRECT_URL);
       const of = async (name) => (await query("SELECT current_setting($1) AS value", [name]))[0].value;
       const timeouts = async () => [await of("lock_timeout"), await of("statement_timeout")];
       assert.deepEqual(await timeouts(), ["2s", "5s"]);
       assert.deepEqual(await onActorPool(() => inTransaction(timeouts)), ["2s", "3s"]);
       assert.deepEqual(await onSharedPool(timeouts), ["500ms", "5s"]);
       assert.equal(await inSnapshot(() => of("transaction_isolation")), "repeatable read");
       assert.equal(await inSnapshot(() => of("statement_timeout"), { isLong: true }), "0");
       assert.deepEqual(await query("SELECT name FROM pg_prepared_statements"), []);
       await assert.rejects(() => query("SELECT 1 / $1::int", [0]), /division by zero/);
       assert.deepEqual(await timeouts(), ["2s", "5s"]);
       await closeDatabase();`,
    );
  });

  it("states its connections", async () => {
    const printed = async (variables: object) =>
      (await runProgram(["main.ts", "config"], { ...environment, ...variables })).output;
    expect(await printed({})).to.include("at most 28 connections to the pooler and 2 to PostgreSQL.");
    expect(await printed({ ROLES: "api" })).to.include("at most 15 connections to the pooler and 1 to PostgreSQL.");
    const { DATABASE_DIRECT_URL: _left, ...alone } = environment;
    const { output } = await runProgram(["main.ts", "config"], { ...alone, ROLES: "jobs" });
    expect(output).to.include("at most 19 connections to PostgreSQL.");
  });

  it("says which variable is missing or wrong", async () => {
    const start = async (variables: object) => {
      const { exitCode, output } = await runProgram(["main.ts", "start"], { ...environment, ...variables });
      expect(exitCode).to.equal(1);
      return output;
    };
    const { DATABASE_DIRECT_URL: _left, ...alone } = environment;
    const { output } = await runProgram(["main.ts", "start"], alone);
    expect(output).to.include("Set DATABASE_DIRECT_URL to the PostgreSQL server itself.");
    expect(await start({ DATABASE_DIRECT_URL: bouncer.url })).to.include("(DATABASE_DIRECT_URL) is behind a pooler");
    const other = await createDatabase({ migrated: false });
    expect(await start({ DATABASE_DIRECT_URL: other })).to.match(/The database .* isn't the database/);
  });

  it("is back as soon as PgBouncer is", async () => {
    const ada = await register(a!);
    const me = () => a!.call("get", "/users/me", { token: ada.token });
    await bouncer.stop();
    const { status, body } = await me();
    expect([status, body.error?.code]).to.deep.equal([503, "ENGINE_UNAVAILABLE"]);
    bouncer = await startPgBouncer(direct, Number(new URL(bouncer.url).port));
    await until("calls are answered", async () => (await me()).status === 200);
  });

  it("is unavailable while PgBouncer has no server", async () => {
    const way = await openWay(Number(new URL(direct).port));
    const alone = await startPgBouncer(Object.assign(new URL(direct), { port: `${way.port}` }).href);
    way.to = await freePort();
    const ask = async (): Promise<unknown> => {
      const client = new pg.Client({ connectionString: alone.url });
      client.on("error", () => {}); // The statement rejects, too.
      try {
        await client.connect();
        return await client.query("SELECT");
      } catch (error) {
        return error;
      } finally {
        await client.end();
      }
    };
    let error: unknown;
    await database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = '' AND pid <> pg_backend_pid()`,
    );
    const isGivenUp = async () => {
      error = await ask();
      return String(error).includes("server_login_retry");
    };
    await until("PgBouncer gives up", isGivenUp, 20_000);
    expect(toUnavailableError(error)?.code).to.equal("ENGINE_UNAVAILABLE");
    way.close();
    await alone.stop();
  });
});
