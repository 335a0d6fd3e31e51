import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { startEmbeddedPostgres } from "#shared/db/embedded-postgres.ts";
import { migrate } from "#shared/db/migrate.ts";
import { closeDatabase, openDatabase } from "#shared/db/sequelize.ts";
import { alone } from "#shared/db/transaction.ts";
import { openSink } from "#shared/domain/operations/sinks/event-sink.ts";
import { SinkRunner } from "#shared/domain/operations/sinks/run-sinks.ts";
import { TestNats } from "#shared/testing/nats.ts";
import { judge } from "./report.ts";

interface Options {
  readonly events: number;
}

const perSecondMin = 10_000;

/** Measures how fast the event log is written to files and to NATS, by one process. Fails if a target is missed. */
export async function events({ events: count }: Options): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "hubbub-load-"));
  const database = await startEmbeddedPostgres(join(folder, "postgres"));
  const nats = await TestNats.start();
  await migrate(database.url);
  await openDatabase(database.url);
  try {
    await alone(
      `INSERT INTO event_log (id, kind, key, data, created_at)
       SELECT uuidv7(), 'gift.sent', (n % 1000)::text, jsonb_build_object('transaction_id', uuidv7(), 'room_id', uuidv7(),
         'sender_id', uuidv7(), 'recipient_id', uuidv7(), 'gift_id', uuidv7(), 'quantity', 1, 'total_coins', n), now()
       FROM generate_series(1, $1::int) AS n`,
      [count],
    );
    for (const [name, sinkUrl] of [
      ["files", pathToFileURL(join(folder, "events")).href],
      ["NATS JetStream", nats.url],
    ] as const) {
      await alone("INSERT INTO event_sinks (name, position) VALUES ($1, 0)", [name]);
      const sink = openSink(sinkUrl);
      const runner = new SinkRunner(name, sink);
      const [startMs, cpu] = [performance.now(), process.cpuUsage()];
      while (await runner.step());
      const seconds = (performance.now() - startMs) / 1000;
      const { user, system } = process.cpuUsage(cpu);
      await sink.close();
      judge(
        `${name}: ${(count / seconds).toFixed(0)} events per second, ${((user + system) / count).toFixed(0)} µs of this process each (target: ${perSecondMin} per second)`,
        count / seconds >= perSecondMin,
      );
    }
  } finally {
    await closeDatabase();
    await nats.stop();
    await database.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
