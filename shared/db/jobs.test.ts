import { expect } from "chai";
import { metrics } from "#shared/kernel/metrics.ts";
import { useDatabase } from "../testing/database.ts";
import { until } from "../testing/until.ts";
import { defineJob, enqueue, setTimetable, startJobs, stopJobs, workOn } from "./jobs.ts";
import { query } from "./query.ts";
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
  afterEach(stopJobs);

  async function start(): Promise<void> {
    await startJobs({ work: true });
    for (const kind of [letter, doomed, slow, single]) await workOn(kind, handler);
  }

  it("start within a second, again too, and hold two connections", async () => {
    const begun = performance.now();
    await start();
    await stopJobs();
    await start();
    expect(performance.now() - begun).to.be.below(2000);
    const held = () =>
      query("SELECT 1 FROM pg_stat_activity WHERE application_name = 'hubbub jobs' AND datname = current_database()");
    await inTransaction((tx) => enqueue(tx, letter, { to: "ada" }));
    await until("the job is done", () => received.length === 1);
    expect((await held()).length).to.be.within(1, 2);
    await stopJobs();
    await until("the connections are closed", async () => (await held()).length === 0);
  });

  it("run some milliseconds after the commit, each once", async () => {
    await start();
    let began = 0;
    act = async () => {
      began ||= performance.now();
    };
    await inTransaction((tx) => enqueue(tx, letter, { to: "warm" }));
    await until("the first job is done", () => received.length === 1);
    began = 0;
    await inTransaction(async (tx) => {
      await enqueue(tx, letter, { to: "ada" });
      await enqueue(tx, letter, { to: "grace" });
      expect(received).to.deep.equal(["warm"]);
    });
    const committed = performance.now();
    await until("both are done", () => received.length === 3);
    expect(received.slice(1).sort()).to.deep.equal(["ada", "grace"]);
    expect(began - committed).to.be.below(300);
  });

  it("do not run when their transaction is rolled back", async () => {
    await start();
    await inTransaction(async (tx) => {
      await enqueue(tx, letter, { to: "nobody" });
      throw new Error("rolled back");
    }).catch(() => undefined);
    await inTransaction((tx) => enqueue(tx, letter, { to: "ada" }));
    await until("the other is done", () => received.length === 1);
    expect(received).to.deep.equal(["ada"]);
  });

  it("are asked for by a process that does not work, and done by one that does", async () => {
    await startJobs({ work: false });
    await inTransaction((tx) => enqueue(tx, letter, { to: "ada" }));
    await stopJobs();
    expect(received).to.deep.equal([]);
    await start();
    await until("the job is done", () => received.length === 1);
  });

  it("run again after a failure, beside others that go on", async () => {
    await start();
    const failed = await outcomes("test.letter", "failed");
    let failures = 2;
    act = async (to) => {
      if (to === "ada" && failures-- > 0) throw new Error("the post is closed");
    };
    await inTransaction(async (tx) => {
      await enqueue(tx, letter, { to: "ada" });
      await enqueue(tx, letter, { to: "grace" });
    });
    await until("it came through", () => received.filter((to) => to === "ada").length === 3, 10_000);
    expect(received.filter((to) => to === "grace").length).to.equal(1);
    expect((await outcomes("test.letter", "failed")) - failed).to.equal(2);
  });

  it("lie with the dead after the last try, and are counted", async () => {
    await start();
    act = async () => {
      throw new Error("never");
    };
    const dead = await outcomes("test.doomed", "dead");
    await inTransaction((tx) => enqueue(tx, doomed, { to: "ada" }));
    await until("it is dead", async () => (await jobsIn("dead_letters", "created")).length > 0);
    expect((await outcomes("test.doomed", "dead")) - dead).to.equal(1);
  });

  it("count as failed when they take too long", async () => {
    await start();
    act = () => new Promise(() => {});
    await inTransaction((tx) => enqueue(tx, slow, { to: "ada" }));
    await until("it is dead", async () => (await outcomes("test.slow", "dead")) === 1);
  });

  it("that are exclusive wait or run once", async () => {
    await start();
    let finish: () => void = () => {};
    act = () =>
      new Promise((resolve) => {
        finish = resolve;
      });
    await inTransaction((tx) => enqueue(tx, single, { to: "first" }));
    await until("it runs", () => received.length === 1);
    await inTransaction((tx) => enqueue(tx, single, { to: "second" }));
    finish();
    await until("it is done", async () => (await jobsIn("test.single", "completed")).length === 1);
    expect(received).to.deep.equal(["first"]);
  });

  it("that wait for a time do not run before", async () => {
    await startJobs({ work: false });
    await inTransaction((tx) => enqueue(tx, unwatched, { to: "later" }, { afterSeconds: 60 }));
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
    await inTransaction((tx) => enqueue(tx, letter, { to: "ada" }));
    await until("it runs", () => received.length === 1);
    const stopped = stopJobs();
    finish();
    await stopped;
    expect(done).to.equal(true);
    expect(await jobsIn("test.letter", "active")).to.deep.equal([]);
  });

  it("have a timetable, which forgets what is no longer in it", async () => {
    await start();
    await setTimetable([
      [letter, "*/5 * * * *"],
      [single, "0 3 * * *"],
    ]);
    await setTimetable([[single, "0 4 * * *"]]);
    expect(await query("SELECT name, cron FROM pgboss.schedule")).to.deep.equal([
      { name: "test.single", cron: "0 4 * * *" },
    ]);
    await setTimetable([]);
  });
});
