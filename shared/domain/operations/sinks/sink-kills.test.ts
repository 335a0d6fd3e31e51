import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { directUrl } from "#shared/db/database-address.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { TestNats } from "#shared/testing/nats.ts";
import { until } from "#shared/testing/until.ts";
import type { SinkEvent } from "./event-sink.ts";

/** How often something is killed: set it to 500 for a night. */
const kills = Number(process.env.SINK_KILLS ?? 4);
const file = fileURLToPath(new URL("../../../testing/sink-process.ts", import.meta.url));

describe("a sink of NATS that is killed", () => {
  useDatabase();
  let nats: TestNats;
  let child: ChildProcess;
  before(async () => {
    nats = await TestNats.start();
    await query("DELETE FROM event_sinks");
  });
  after(() => nats.stop());

  const start = async () => {
    child = fork(file, [directUrl(), nats.url], { stdio: ["ignore", "ignore", "ignore", "ipc"] });
    await once(child, "message");
  };
  const killChild = async () => {
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
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
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%event_sinks%' AND query NOT LIKE '%pg_terminate%'`,
    );
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
      await [killNats, killChild, killConnections][kill % 3]!();
      await log(50);
    }
    await until(
      "all is written",
      async () => {
        const [row] = await query<{ behind: number }>(
          "SELECT (SELECT max(position) FROM event_log) - position AS behind FROM event_sinks",
        );
        return row?.behind === 0;
      },
      20_000 + kills * 10_000,
    );
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;

    const numbers = (await nats.messages<SinkEvent>()).map(({ message }) => Number(message.data.n));
    // JetStream drops what is repeated within two minutes; after longer outages, a batch may come twice.
    expect([...new Set(numbers)]).to.deep.equal(Array.from({ length: logged }, (_, n) => n + 1));
    expect(await queryOne("SELECT lost FROM event_sinks")).to.deep.equal({ lost: 0 });
  });
});
