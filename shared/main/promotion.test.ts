import { once } from "node:events";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import pg from "pg";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "#shared/db/embedded-postgres.ts";
import { signalPostgres } from "#shared/testing/kill-hard.ts";
import { register, type SpawnedService, spawnService, stopServices } from "#shared/testing/spawned-service.ts";
import { until } from "#shared/testing/until.ts";

/** A process serves again within this time after the promotion; a busy machine gets more. */
const backMs = 30_000;

describe("a process whose PostgreSQL fails over", function () {
  this.timeout(90_000);
  let folder: string;
  let primary: EmbeddedPostgres;
  let standby: EmbeddedPostgres;
  let balancer: Server;
  /** Where the balancer leads. */
  let port: number;
  let service: SpawnedService;

  const ask = async <Row extends object>(url: string, ...statements: string[]): Promise<Row[]> => {
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => {}); // The server is killed.
    await client.connect();
    try {
      let rows: Row[] = [];
      for (const statement of statements) ({ rows } = await client.query<Row>(statement));
      return rows;
    } finally {
      await client.end();
    }
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "promotion-"));
    const [first, second] = [join(folder, "first"), join(folder, "second")];
    primary = await startEmbeddedPostgres(first);
    balancer = createServer((near: Socket) => {
      const far = connect(port, "127.0.0.1");
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const)
        one
          .on("error", () => other.destroy())
          .on("close", () => other.destroy())
          .pipe(other);
    }).listen(0, "127.0.0.1");
    ({ port } = primary);
    await once(balancer, "listening");
    const behind = Object.assign(new URL(primary.url), { port: `${(balancer.address() as AddressInfo).port}` });
    service = await spawnService({ DATABASE_URL: behind.href, DATA_DIR: join(folder, "data") });

    // A base backup, on one connection.
    const client = new pg.Client({ connectionString: primary.url });
    await client.connect();
    await client.query("SELECT pg_backup_start('standby', true)");
    await cp(first, second, { recursive: true, preserveTimestamps: true });
    const { rows } = await client.query<{ label: string }>("SELECT labelfile AS label FROM pg_backup_stop(false)");
    await client.end();
    const data = join(second, "data");
    await rm(join(data, "postmaster.pid"));
    await writeFile(join(data, "backup_label"), rows[0]!.label);
    await writeFile(join(data, "standby.signal"), "");
    const source = `host=127.0.0.1 port=${primary.port} user=${new URL(primary.url).username} password=${new URL(primary.url).password}`;
    await writeFile(join(data, "postgresql.auto.conf"), `primary_conninfo = '${source}'\n`);
    standby = await startEmbeddedPostgres(second);
    await ask(primary.url, "ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()");
    await until("it is synchronous", async () => {
      const [one] = await ask<{ state: string }>(primary.url, "SELECT sync_state AS state FROM pg_stat_replication");
      return one?.state === "sync";
    });
  });
  after(async () => {
    await stopServices();
    balancer.close();
    await standby?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("serves again when a replica was promoted, with everything that was acknowledged", async () => {
    const person = await register(service);
    const acknowledged: string[] = [];
    let isOver = false;
    const post = async () => {
      for (let n = 0; !isOver; n += 1) {
        const content = `post ${n} at ${performance.now()}`;
        const sent = await service.call("post", "/posts", { token: person.token, body: { content } });
        if (sent.status === 201) acknowledged.push(sent.body.data.id);
      }
    };
    const posting = [post(), post(), post()];
    await until("it writes", () => acknowledged.length > 20);

    await signalPostgres(join(folder, "first"), "SIGKILL");
    const killedMs = performance.now();
    ({ port } = standby);
    await until("it meets the standby", () => /the server is a standby/.test(service.output()), backMs);
    const before = acknowledged.length;
    await ask(standby.url, "SELECT pg_promote()");
    const promotedMs = performance.now();

    await until("it writes again", () => acknowledged.length > before + 3, backMs);
    await until("it is ready", async () => (await fetch(`${service.url}/readyz`)).status === 200, backMs);
    const seconds = (since: number) => ((performance.now() - since) / 1000).toFixed(1);
    console.log(`      back ${seconds(promotedMs)} s after the promotion, ${seconds(killedMs)} s after the kill`);
    isOver = true;
    await Promise.all(posting);
    const stored = await ask<{ id: string }>(standby.url, "SELECT id FROM posts");
    expect(stored.map(({ id }) => id)).to.include.members(acknowledged);
  });
});
