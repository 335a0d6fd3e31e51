import { expect } from "chai";
import { newId } from "#shared/kernel/ids.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { until } from "#shared/testing/until.ts";
import { defineJob, Jobs, observeJobs } from "./jobs.ts";
import { query } from "./query.ts";
import { patienceOptions } from "./server-settings.ts";
import { inTransaction } from "./transaction.ts";

interface Letter {
  to: string;
}

const letter = defineJob<Letter>("test.letter", { retries: 5, retryMaxSeconds: 1, timeoutSeconds: 5 });
const doomed = defineJob<Letter>("test.doomed", { retries: 0, retryMaxSeconds: 1, timeoutSeconds: 5 });
const slow = defineJob<Letter>("test.slow", { retries: 0, retryMaxSeconds: 1, timeoutSeconds: 0.05 });
const single = defineJob<Letter>("test.single", { retries: 0, retryMaxSeconds: 1, timeoutSeconds: 5, exclusive: true });
const unwatched = defineJob<Letter>("test.unwatched", { retries: 0, retryMaxSeconds: 1, timeoutSeconds: 5 });

const outcomes = async (job: string, outcome: string): Promise<number> => {
  const { values } = await metrics.jobs.get();
  return values.find(({ labels }) => labels.job === job && labels.outcome === outcome)?.value ?? 0;
};
const jobsIn = (name: string, state: string) =>
  query("SELECT 1 FROM pgboss.job WHERE name = $1 AND state = $2::pgboss.job_state", [name, state]);

describe("jobs", () => {
  useDatabase();
  const jobs = new Jobs("hubbub test jobs");
  let received: string[];
  let act: (to: string) => Promise<void>;

  const handler = async ({ to }: Letter) => {
    received.push(to);
    await act(to);
  };

  beforeEach(() => {
    received = [];
    act = async () => {};
  });
  afterEach(() => jobs.stop());

  async function start(): Promise<void> {
    await jobs.start({ work: true });
    for (const kind of [letter, doomed, slow, single]) await jobs.workOn(kind, handler);
  }

  it("start and restart, with two connections", async () => {
    await start();
    await jobs.stop();
    await start();
    const held = () =>
      query(
        "SELECT 1 FROM pg_stat_activity WHERE application_name = 'hubbub test jobs' AND datname = current_database()",
      );
    await inTransaction((tx) => jobs.enqueue(tx, letter, { to: "ada" }));
    await until("the job is done", () => received.length === 1);
    expect((await held()).length).to.be.within(1, 2);
    await jobs.stop();
    await until("the connections are closed", async () => (await held()).length === 0);
  });

  it("run again soon after their connections have turned silent", async () => {
    const { query_timeout } = patienceOptions;
    patienceOptions.query_timeout = 500;
    await start().finally(() => Object.assign(patienceOptions, { query_timeout }));
    const held = await query<{ pid: number }>(
      "SELECT pid FROM pg_stat_activity WHERE application_name = 'hubbub test jobs' AND datname = current_database()",
    );
    for (const { pid } of held) process.kill(pid, "SIGSTOP");

    try {
      await inTransaction((tx) => jobs.enqueue(tx, letter, { to: "ada" }));
      await until("the job is done", () => received.length === 1, 10_000);
    } finally {
      for (const { pid } of held) process.kill(pid, "SIGCONT");
    }
  });

  it("run after the commit, each once", async () => {
    await start();
    await inTransaction(async (tx) => {
      await jobs.enqueue(tx, letter, { to: "ada" });
      await jobs.enqueue(tx, letter, { to: "grace" });
      expect(received).to.deep.equal([]);
    });
    await until("both are done", () => received.length === 2);
    expect(received.sort()).to.deep.equal(["ada", "grace"]);
  });

  it("run when the commit wakes their worker, which is told of others only every two seconds", async () => {
    await start();
    const begun = performance.now();
    for (let done = 1; done <= 8; done += 1) {
      await inTransaction((tx) => jobs.enqueue(tx, letter, { to: "ada" }));
      await until("the job is done", () => received.length === done);
    }
    expect(performance.now() - begun).to.be.below(6000);
  });

  it("are enqueued once with the same id, also while and after they run", async () => {
    await start();
    const [id, other] = [newId(), newId()];
    const ask = (jobId: string) => inTransaction((tx) => jobs.enqueue(tx, letter, { to: jobId }, { id: jobId }));
    await Promise.all([ask(id), ask(id), ask(id)]);
    await until("the job is done", () => received.length === 1);
    await ask(id);
    await ask(other);
    await until("the other is done", () => received.includes(other));
    expect(received).to.deep.equal([id, other]);
  });

  it("do not run when their transaction is rolled back", async () => {
    await start();
    await inTransaction(async (tx) => {
      await jobs.enqueue(tx, letter, { to: "nobody" });
      throw new Error("rolled back");
    }).catch(() => undefined);
    await inTransaction((tx) => jobs.enqueue(tx, letter, { to: "ada" }));
    await until("the other is done", () => received.length === 1);
    expect(received).to.deep.equal(["ada"]);
  });

  it("are enqueued by a process that does not work, and run by one that does", async () => {
    await jobs.start({ work: false });
    await inTransaction((tx) => jobs.enqueue(tx, letter, { to: "ada" }));
    await jobs.stop();
    expect(received).to.deep.equal([]);
    await start();
    await until("the job is done", () => received.length === 1);
  });

  it("are found soon when a process that does not work enqueues them", async () => {
    await start();
    const other = new Jobs("hubbub other jobs");
    await other.start({ work: false });
    try {
      for (const kind of [letter, single]) await inTransaction((tx) => other.enqueue(tx, kind, { to: kind.name }));
      await until("both are done", () => received.length === 2, 10_000);
    } finally {
      await other.stop();
    }
  });

  it("are retried after a failure, without delaying others", async () => {
    await start();
    const failed = await outcomes("test.letter", "failed");
    let failures = 2;
    act = async (to) => {
      if (to === "ada" && failures-- > 0) throw new Error("the post is closed");
    };
    await inTransaction(async (tx) => {
      await jobs.enqueue(tx, letter, { to: "ada" });
      await jobs.enqueue(tx, letter, { to: "grace" });
    });
    await until("it came through", () => received.filter((to) => to === "ada").length === 3, 10_000);
    expect(received.filter((to) => to === "grace").length).to.equal(1);
    expect((await outcomes("test.letter", "failed")) - failed).to.equal(2);
  });

  it("are dead-lettered after the last retry, and counted", async () => {
    await start();
    act = async () => {
      throw new Error("never");
    };
    const dead = await outcomes("test.doomed", "dead");
    await inTransaction((tx) => jobs.enqueue(tx, doomed, { to: "ada" }));
    const lies = `SELECT 1 FROM pgboss.job WHERE name = 'dead_letters' AND source_name = 'test.doomed'`;
    await until("it is dead", async () => (await query(lies)).length === 1);
    expect((await outcomes("test.doomed", "dead")) - dead).to.equal(1);
  });

  it("that are dead-lettered are in the metrics of every process", async () => {
    await start();
    const shown = async () => {
      await observeJobs();
      return (await metrics.deadJobs.get()).values[0]!.value;
    };
    const before = await shown();
    await query("INSERT INTO pgboss.job (name, data) VALUES ('dead_letters', '{}')");
    expect((await shown()) - before).to.equal(1);
    await query("DELETE FROM pgboss.job WHERE name = 'dead_letters'");
    expect(await shown()).to.equal(0);
  });

  it("count as failed when they take too long", async () => {
    await start();
    act = () => new Promise(() => {});
    await inTransaction((tx) => jobs.enqueue(tx, slow, { to: "ada" }));
    await until("it is dead", async () => (await outcomes("test.slow", "dead")) === 1);
  });

  it("that are exclusive are enqueued once", async () => {
    await start();
    let finish: () => void = () => {};
    act = () =>
      new Promise((resolve) => {
        finish = resolve;
      });
    const done = async () => (await jobsIn("test.single", "completed")).length;
    const before = await done();
    await inTransaction((tx) => jobs.enqueue(tx, single, { to: "first" }));
    await until("it runs", () => received.length === 1);
    await inTransaction((tx) => jobs.enqueue(tx, single, { to: "second" }));
    finish();
    await until("it is done", async () => (await done()) === before + 1);
    expect(received).to.deep.equal(["first"]);
  });

  it("that are delayed do not run early", async () => {
    await jobs.start({ work: false });
    await inTransaction((tx) => jobs.enqueue(tx, unwatched, { to: "later" }, { afterSeconds: 60 }));
    const [row] = await query<{ waits: boolean }>(
      "SELECT start_after > now() + interval '50 s' AS waits FROM pgboss.job WHERE name = 'test.unwatched'",
    );
    expect(row?.waits).to.equal(true);
  });

  it("end before the stop does", async () => {
    await start();
    let done = false;
    let finish: () => void = () => {};
    act = () =>
      new Promise((resolve) => {
        finish = () => {
          done = true;
          resolve();
        };
      });
    await inTransaction((tx) => jobs.enqueue(tx, letter, { to: "ada" }));
    await until("it runs", () => received.length === 1);
    const stopped = jobs.stop();
    finish();
    await stopped;
    expect(done).to.equal(true);
    expect(await jobsIn("test.letter", "active")).to.deep.equal([]);
  });

  it("have a timetable, which drops entries that are no longer listed", async () => {
    await start();
    const times = () => query<{ name: string; cron: string }>("SELECT name, cron FROM pgboss.schedule");
    const before = await times();
    await jobs.setTimetable([
      [letter, "*/5 * * * *"],
      [single, "0 3 * * *"],
    ]);
    await jobs.setTimetable([[single, "0 4 * * *"]]);
    expect(await times()).to.deep.equal([{ name: "test.single", cron: "0 4 * * *" }]);
    await jobs.setTimetable(before.map(({ name, cron }) => [{ ...letter, name }, cron] as const));
    expect(await times()).to.have.deep.members(before);
  });
});
