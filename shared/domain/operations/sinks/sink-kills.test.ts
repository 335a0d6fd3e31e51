import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import pg from "pg";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "#shared/db/embedded-postgres.ts";
import { migrate } from "#shared/db/migrate.ts";
import { signalPostgres } from "#shared/testing/kill-hard.ts";
import { TestNats } from "#shared/testing/nats.ts";
import { until } from "#shared/testing/until.ts";
import type { SinkEvent } from "./event-sink.ts";

/** How often something is killed: set it to 500 for a night. */
const kills = Number(process.env.SINK_KILLS ?? 4);
const file = fileURLToPath(new URL("../../../testing/sink-process.ts", import.meta.url));

describe("a sink of NATS that is killed", function () {
  this.timeout(60_000);
  let folder: string;
  let server: EmbeddedPostgres;
  let client: pg.Client;
  let nats: TestNats;
  let child: ChildProcess;
  const query = async (sql: string, values?: readonly unknown[]) =>
    (await client.query(sql, values && [...values])).rows;
  /** Starts the database again, which gets another port, and asks it on a connection of this test's own. */
  const openServer = async () => {
    server = await startEmbeddedPostgres(join(folder, "postgres"));
    client = new pg.Client({ connectionString: server.url });
    client.on("error", () => undefined);
    await client.connect();
  };
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "hubbub-sinks-"));
    await openServer();
    await migrate(server.url);
    nats = await TestNats.start();
  });
  after(async () => {
    await client.end();
    await Promise.all([nats.stop(), server.stop()]);
    await rm(folder, { recursive: true, force: true });
  });

  const start = async () => {
    child = fork(file, [server.url, nats.url], { stdio: ["ignore", "ignore", "ignore", "ipc"] });
    await once(child, "message");
  };
  const endChild = async () => {
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  };
  const killChild = async () => {
    await endChild();
    // Another process needn't wait for its time to end.
    await query("UPDATE event_sinks SET owned_until = now()");
    await start();
  };
  const killNats = async () => {
    await nats.kill();
    await nats.restart();
  };
  const killConnections = () =>
    query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
  const killServer = async () => {
    await signalPostgres(join(folder, "postgres"), "SIGKILL");
    await server.ended;
    await openServer();
    await killChild();
  };
  let logged = 0;
  const log = async (count: number) => {
    await query(
      `INSERT INTO event_log (id, kind, key, data, created_at)
       SELECT uuidv7(), 'room.closed', (n % 7)::text, jsonb_build_object('n', n), now()
       FROM generate_series($1::int, $2::int) AS n ORDER BY n`,
      [logged + 1, logged + count],
    );
    logged += count;
  };

  it(`loses nothing and keeps the order, in ${kills} kills`, async function () {
    this.timeout(30_000 + kills * 15_000);
    await start();
    for (let kill = 0; kill < kills; kill += 1) {
      await log(300);
      await [killNats, killChild, killConnections, killServer][kill % 4]!();
      await log(50);
    }
    await until(
      "all is written",
      async () => {
        const [row] = await query(
          "SELECT (SELECT max(position) FROM event_log) = position AS is_whole FROM event_sinks",
        );
        return row?.is_whole === true;
      },
      20_000 + kills * 10_000,
    );
    await endChild();

    const numbers = (await nats.messages<SinkEvent>()).map(({ message }) => Number(message.data.n));
    // JetStream drops what is repeated within two minutes; after longer outages, a batch may come twice.
    expect([...new Set(numbers)]).to.deep.equal(Array.from({ length: logged }, (_, n) => n + 1));
    expect(await query("SELECT lost::int FROM event_sinks")).to.deep.equal([{ lost: 0 }]);
  });
});
