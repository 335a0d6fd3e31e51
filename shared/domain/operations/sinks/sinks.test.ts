import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { query, queryOne } from "#shared/db/query.ts";
import { pruneLog } from "#shared/domain/operations/events/event-log.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { FakeClickHouse } from "#shared/testing/fakes/fake-clickhouse.ts";
import { FakeKafka } from "#shared/testing/fakes/fake-kafka.ts";
import { TestNats } from "#shared/testing/nats.ts";
import { ownCertificate } from "#shared/testing/own-certificate.ts";
import { backfillSink } from "./backfill-sink.ts";
import { type EventSink, openSink, type SinkEvent } from "./event-sink.ts";
import { configureSinks, nameOfSink, SinkRunner, startSinks } from "./run-sinks.ts";

const noTime = () => AbortSignal.timeout(5000);
const events = (count: number, timestamp = "2026-01-31T12:00:00.000Z"): SinkEvent[] =>
  Array.from({ length: count }, (_, n) => ({ id: newId(), type: "room.closed", key: "k", timestamp, data: { n } }));

describe("a sink of files", () => {
  let folder: string;
  let sink: EventSink;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "sink-"));
    sink = openSink(pathToFileURL(join(folder, "events")).href);
  });
  afterEach(() => rm(folder, { recursive: true }));
  const path = (hour: string) => join(folder, "events", `events-2026-01-31T${hour}.ndjson`);
  const lines = async (hour: string) =>
    (await readFile(path(hour), "utf8"))
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));

  it("writes a line for each event, by hour", async () => {
    const [early, late] = [events(2), events(1, "2026-01-31T13:00:00.000Z")];
    await sink.write([...early, ...late], noTime());
    await sink.write(late, noTime());
    expect(await readdir(join(folder, "events"))).to.have.length(2);
    expect([await lines("12"), await lines("13")]).to.deep.equal([early, [...late, ...late]]);
  });

  it("goes on after a torn line, however long", async () => {
    const [first, second] = [events(1), events(1)];
    await sink.write(first, noTime());
    await appendFile(path("12"), `{"id":"${"x".repeat(200_000)}`);
    await sink.write(second, noTime());
    expect(await lines("12")).to.deep.equal([...first, ...second]);
    await writeFile(path("12"), '{"torn');
    await sink.write(first, noTime());
    expect(await lines("12")).to.deep.equal(first);
  });
});

describe("a sink of ClickHouse", () => {
  let fake: FakeClickHouse;
  before(async () => {
    fake = await FakeClickHouse.start();
  });
  after(() => fake.stop());

  it("stores a batch once, also if the answer was lost", async () => {
    const sink = openSink(fake.url);
    const batch = events(3);
    fake.failures.push("before", "after");
    expect(await sink.write(batch, noTime()).catch(String)).to.match(/500: Code: 241/);
    expect(await sink.write(batch, noTime()).catch(String)).to.match(/fetch failed/);
    await sink.write(batch, noTime());
    await sink.write(events(1), noTime());
    expect(fake.rows).to.have.length(4);
    expect(fake.rows[1]).to.deep.equal({ ...batch[1], data: '{"n":1}' });
  });

  it("says what is wrong", async () => {
    const wrong = openSink(fake.url.replace("writer", "reader"));
    expect(await wrong.write(events(1), noTime()).catch(String)).to.match(/403: Code: 516/);
  });
});

describe("a sink of NATS", () => {
  let nats: TestNats;
  before(async () => {
    nats = await TestNats.start();
  });
  after(() => nats.stop());

  it("stores each event once, in order, by its kind", async () => {
    const sink = openSink(nats.url);
    const batch = events(50);
    await sink.write(batch.slice(0, 20), noTime());
    await nats.kill();
    expect(await sink.write(batch.slice(0, 40), noTime()).catch(() => "failed")).to.equal("failed");
    await sink.close();
    await nats.restart();
    await sink.write(batch.slice(0, 40), noTime());
    // One whose predecessor isn't the last of the stream: another publishes, too.
    await sink.write([batch[45]!, batch[3]!, batch[46]!], noTime());
    await sink.close();

    const stored = await nats.messages<SinkEvent>();
    expect(stored.map(({ message }) => message)).to.deep.equal([...batch.slice(0, 40), batch[45], batch[46]]);
    expect(stored[0]!.subject).to.equal("EVENTS.room.closed");
  });
});

describe("a sink of Kafka", () => {
  let kafka: FakeKafka;
  let sink: EventSink;
  beforeEach(async () => {
    kafka = await FakeKafka.start();
    sink = openSink(kafka.url());
  });
  afterEach(async () => {
    await sink.close();
    await kafka.kill();
  });
  const keyed = (count: number) => events(count).map((event, n) => ({ ...event, key: `room ${n % 7}` }));
  const stored = () => kafka.partitions.flat();
  const idsOf = (key: string) => stored().flatMap((record) => (record.key === key ? [record.headers.id] : []));

  it("stores each event in the partition of its key, in order", async () => {
    const batch = keyed(100);
    await sink.write(batch.slice(0, 60), noTime());
    await sink.write(batch.slice(60), noTime());
    expect(stored()).to.have.length(100);
    expect(kafka.partitions.filter((records) => records.length > 0)).to.have.length.greaterThan(1);
    for (const key of new Set(batch.map((event) => event.key))) {
      const ids = batch.filter((event) => event.key === key).map(({ id }) => id);
      expect(idsOf(key)).to.deep.equal(ids);
      expect(kafka.partitions.filter((records) => records.some((record) => record.key === key))).to.have.length(1);
    }
    const { value, headers } = stored().find((record) => record.headers.id === batch[3]!.id)!;
    expect(JSON.parse(value)).to.deep.equal(batch[3]);
    expect(headers).to.deep.equal({ id: batch[3]!.id, type: "room.closed" });
  });

  it("stores a batch once whose answer was lost", async () => {
    kafka.answersLost = 1;
    const batch = events(20);
    await sink.write(batch, noTime());
    expect(stored().map(({ headers }) => headers.id)).to.deep.equal(batch.map(({ id }) => id));
  });

  it("fails while the broker is away, and writes again once it is back", async () => {
    const [first, second] = [events(5), events(5)];
    await sink.write(first, noTime());
    await kafka.kill();
    expect(
      await sink.write(second, noTime()).then(
        () => "written",
        () => "failed",
      ),
    ).to.equal("failed");
    await sink.close();
    await kafka.restart();
    await sink.write(second, noTime());
    expect(stored().map(({ headers }) => headers.id)).to.deep.equal([...first, ...second].map(({ id }) => id));
  });

  it("encrypts, and logs in by SCRAM, if the URL says so, with brokers whose authority it knows", async () => {
    const certificate = await ownCertificate();
    const encrypted = await FakeKafka.start(certificate);
    const known = getCACertificates();
    const write = async (user: string) => {
      const opened = openSink(encrypted.url(user, "+scram+tls"));
      const outcome = await opened.write(events(2), noTime()).then(
        () => "written",
        () => "failed",
      );
      await opened.close();
      return outcome;
    };
    try {
      expect(await write("writer"), "an unknown authority").to.equal("failed");
      setDefaultCACertificates([...known, certificate.cert]);
      expect([await write("reader"), await write("writer")]).to.deep.equal(["failed", "written"]);
    } finally {
      setDefaultCACertificates(known);
      await encrypted.kill();
    }
    expect(encrypted.partitions.flat()).to.have.length(2);
  });

  it("proves a password by SCRAM without sending it", async () => {
    const scram = openSink(kafka.url("writer", "+scram"));
    await scram.write(events(3), noTime());
    await scram.close();
    expect(stored()).to.have.length(3);
  });

  it("says what is wrong", async () => {
    const wrong = openSink(kafka.url("reader"));
    expect(
      await wrong.write(events(1), noTime()).then(
        () => "written",
        () => "failed",
      ),
    ).to.equal("failed");
    await wrong.close();
    expect(stored()).to.deep.equal([]);
  });
});

describe("the runner of a sink", () => {
  useDatabase();
  const name = "test:sink";
  beforeEach(async () => {
    await query("DELETE FROM event_log");
    await query("DELETE FROM event_sinks");
    await query(
      "INSERT INTO event_sinks (name, position) VALUES ($1, (SELECT coalesce(max(position), 0) FROM event_log))",
      [name],
    );
  });
  const log = (count: number) =>
    query(
      `INSERT INTO event_log (id, kind, key, data, created_at)
       SELECT uuidv7(), 'room.closed', 'k', jsonb_build_object('n', n), now() FROM generate_series(1, $1) AS n`,
      [count],
    );
  const row = () =>
    queryOne<Record<string, unknown>>("SELECT position, batch_to, lost, error FROM event_sinks WHERE name = $1", [
      name,
    ]);
  /** A sink that keeps its batches, and fails as often as `failing` says, after it has stored what it got. */
  class Kept implements EventSink {
    readonly batches: number[][] = [];
    failing = 0;
    closed = 0;
    async write(batch: readonly SinkEvent[]): Promise<void> {
      this.batches.push(batch.map(({ data }) => Number(data.n)));
      this.failing -= 1;
      if (this.failing >= 0) throw new Error("lost");
    }
    async close(): Promise<void> {
      this.closed += 1;
    }
  }

  it("writes the same batch again after a failure, whatever was logged meanwhile", async () => {
    const [sink, other] = [new Kept(), new Kept()];
    await log(3);
    sink.failing = 1;
    expect(await new SinkRunner(name, sink).step().catch(String)).to.equal("Error: lost");
    await query("UPDATE event_sinks SET owned_until = now()");
    await log(2);
    const next = new SinkRunner(name, other);
    while (await next.step());
    expect(sink.batches).to.deep.equal([[1, 2, 3]]);
    expect(other.batches).to.deep.equal([
      [1, 2, 3],
      [1, 2],
    ]);
    expect(await row()).to.include({ batch_to: null, error: null });
  });

  it("leaves a sink to the process that has it, until its time is over", async () => {
    const [first, second] = [new Kept(), new Kept()];
    const [owner, other] = [new SinkRunner(name, first), new SinkRunner(name, second)];
    await log(1);
    await owner.step();
    await log(1);
    expect(await other.step()).to.equal(false);
    expect(second.batches).to.deep.equal([]);
    await query("UPDATE event_sinks SET owned_until = now()");
    await other.step();
    expect(second.batches).to.deep.equal([[1]]);
  });

  it("shows why a sink fails, drops its connection, and hands it over when it ends", async () => {
    const sink = new Kept();
    sink.failing = Number.POSITIVE_INFINITY;
    await log(1);
    const ending = new AbortController();
    const running = new SinkRunner(name, sink).run(ending.signal);
    while ((await row())?.error !== "lost") await new Promise((resolve) => setTimeout(resolve, 5));
    ending.abort();
    await running;
    expect(sink.closed).to.be.greaterThan(1);
    expect(await queryOne("SELECT owner, owned_until FROM event_sinks")).to.deep.equal({
      owner: null,
      owned_until: null,
    });
  });

  it("goes on where the log begins if it was pruned, and counts what is lost", async () => {
    const sink = new Kept();
    await log(3);
    sink.failing = 1;
    await new SinkRunner(name, sink).step().catch(() => undefined);
    await query("UPDATE event_log SET created_at = now() - interval '8 days'");
    while ((await pruneLog()) > 0);
    await query("UPDATE event_sinks SET owned_until = now()");
    await log(1);
    const next = new SinkRunner(name, sink);
    while (await next.step());
    expect(sink.batches.at(-1)).to.deep.equal([1]);
    expect(await row()).to.include({ lost: 3, batch_to: null });
  });

  it("gets events again from a time on, with their IDs, and goes on where that was stopped", async () => {
    const folder = await mkdtemp(join(tmpdir(), "sink-"));
    const url = pathToFileURL(folder).href;
    const written = async () =>
      (await readFile(join(folder, (await readdir(folder))[0]!), "utf8"))
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
    await query("DELETE FROM event_sinks");
    await log(5);
    await query("UPDATE event_log SET created_at = created_at - interval '2 days' WHERE data->>'n' IN ('1', '2')");
    await query("INSERT INTO event_sinks (name, position) SELECT $1, max(position) FROM event_log", [url]);
    const from = new Date(Date.now() - 86_400_000).toISOString();
    const told: number[] = [];
    expect(await backfillSink({ name: url, url, from }, ({ left }) => told.push(left))).to.be.a("string");
    expect((await written()).map(({ data }) => data.n)).to.deep.equal([3, 4, 5]);
    expect(told.at(-1)).to.equal(0);
    const ids = (await query<{ id: string }>("SELECT id FROM event_log ORDER BY position")).map(({ id }) => id);
    expect((await written()).map(({ id }) => id)).to.deep.equal(ids.slice(2));

    await query("UPDATE event_sinks SET position = position - 1");
    expect(await backfillSink({ name: url, url, from: undefined }, () => undefined)).to.equal(undefined);
    expect((await written()).map(({ data }) => data.n)).to.deep.equal([3, 4, 5, 5]);
    const later = new Date(Date.now() + 60_000).toISOString();
    expect(await backfillSink({ name: url, url, from: later }, () => undefined)).to.equal(null);
    const none = await backfillSink({ name: "none", url, from }, () => undefined).catch(({ code }) => code);
    expect(none).to.equal("NOT_FOUND");
    await rm(folder, { recursive: true });
  });

  it("keeps the place of a sink that isn't configured any longer, without its password", async () => {
    const url = "clickhouse+http://writer:secret@127.0.0.1:1/hubbub.events";
    const state = () => query("SELECT name, active FROM event_sinks ORDER BY name");
    configureSinks([url]);
    await (await startSinks())();
    expect(await state()).to.deep.equal([
      { name: nameOfSink(url), active: true },
      { name, active: false },
    ]);
    expect(nameOfSink(url)).to.equal("clickhouse+http://writer@127.0.0.1:1/hubbub.events");
    configureSinks([]);
    await (await startSinks())();
    expect((await state()).map(({ active }) => active)).to.deep.equal([false, false]);
  });
});
