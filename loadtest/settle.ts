import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import * as hdr from "hdr-histogram-js";
import pg from "pg";
import { newId } from "#shared/kernel/ids.ts";
import { splitGifts } from "./gift.ts";
import { type GiftScene, joinAll, raiseSignupBonus, setScene, untilDelivered } from "./gift-scene.ts";
import { judge, say } from "./report.ts";
import { type Service, startService } from "./service.ts";
import { type Economy, seedEconomy, settledMonth } from "./settle-seed.ts";
import { untilDue } from "./until-due.ts";

interface Options extends Economy {
  /** Gifts per second meanwhile. */
  readonly rate: number;
  /** How long gifts are measured without a run. */
  readonly seconds: number;
  /** Seed the database again. */
  readonly fresh?: boolean;
}

const login = { email: "bench@example.com", password: "an administrator who settles" };
const couples = 32;
/** Members without a connection are put out after two minutes. */
const joinEverySeconds = 60;
const watchEveryMs = 200;
const measureEveryMs = 1000;
/** The name of what is measured without a run. */
const quiet = "quiet";

const secondsMax = 60;
const memoryMax = 256 * 2 ** 20;
const slowdownMax = 1.5;

/**
 * Measures a run of a month: how long it takes to compute its lines, to check, and to pay them, in how much memory, and
 * what it does to gifts that are given at a constant rate meanwhile, under a plan that pays earnings. The seeded
 * database stays in the temporary folder for the next run. Fails if a target is missed.
 */
export async function settle({ hosts, gifts, rate, seconds, fresh = false }: Options): Promise<void> {
  const folder = join(tmpdir(), `hubbub-bench-settle-${hosts}-${gifts}`);
  const seeded = join(folder, "seeded");
  if (fresh || !existsSync(seeded)) await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const service = await startService({ folder, more: { ADMIN_EMAIL: login.email, ADMIN_PASSWORD: login.password } });
  const pool = new pg.Pool({ connectionString: service.databaseUrl, max: 2 });
  pool.on("error", () => {}); // The database may end before its idle connections do.
  try {
    if (!existsSync(seeded)) {
      say("Seeding the database, which takes some minutes …");
      await seedEconomy(service.databaseUrl, { hosts, gifts });
      await writeFile(seeded, "");
    }
    // A month's run doesn't come minutes after the last one, whose dead rows would be vacuumed meanwhile.
    await pool.query("VACUUM (ANALYZE)");
    await pool.query("CHECKPOINT");
    await raiseSignupBonus(pool);
    const scene = await setScene(service, couples);
    await splitGifts(pool, true);

    await joinAll(service, scene);
    // Warms up: a service that has just started collects garbage for longer.
    await giveDuring(pause(seconds * 1000), service, scene, rate);
    const steps: Step[] = [];
    const during = async (name: string, work: Promise<unknown>) => {
      const startedMs = performance.now();
      const times = await giveDuring(work, service, scene, rate);
      steps.push({ name, seconds: (performance.now() - startedMs) / 1000, times });
    };
    // Before and after: a machine that gets slower or faster affects both alike.
    const beQuiet = () => during(quiet, pause(seconds * 1000));
    const measured = beQuiet().then(() => settleMonth(service, pool, during));
    const [memory] = await Promise.all([watchMemory(measured, service), measured]);
    await beQuiet();
    report(steps, { memory, rate });
    await untilDelivered(pool);
  } finally {
    await pool.end();
    await service.stop();
  }
}

/** Returns a function that tells whether this is done, or has failed. */
function endOf(work: Promise<unknown>): () => boolean {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  work.then(end, end);
  return () => isOver;
}

/** Has people give gifts at a constant rate until `work` is done. Returns the times from when each was due. */
async function giveDuring(
  work: Promise<unknown>,
  service: Service,
  scene: GiftScene,
  rate: number,
): Promise<hdr.Histogram> {
  const { roomId, giftId, pairs } = scene;
  const isOver = endOf(work);
  const times = hdr.build();
  const given: Promise<unknown>[] = [];
  const startedMs = performance.now();
  for (let sent = 0; !isOver(); sent += 1) {
    const dueMs = startedMs + (sent * 1000) / rate;
    await untilDue(dueMs);
    if (sent % (rate * joinEverySeconds) === 0) given.push(joinAll(service, scene));
    const { sender, recipient } = pairs[sent % pairs.length]!;
    const body = { gift_id: giftId, recipient_id: recipient.id, quantity: 1 };
    const one = service.call("POST", `/rooms/${roomId}/gifts`, { token: sender.token, body });
    given.push(one.then(() => times.recordValue(Math.max(0, performance.now() - dueMs) * 100)));
  }
  await Promise.all(given);
  return times;
}

interface Step {
  readonly name: string;
  readonly seconds: number;
  /** Of the gifts meanwhile. */
  readonly times: hdr.Histogram;
}

interface Run {
  readonly id: string;
  readonly status: string;
  readonly line_count: number | null;
  readonly problems: readonly object[];
}

/** Begins a run of the month, and waits until it is paid. `during` measures each step, and ends when it does. */
async function settleMonth(
  service: Service,
  pool: pg.Pool,
  during: (name: string, work: Promise<void>) => Promise<void>,
): Promise<void> {
  const { token } = await service.call<{ token: string }>("POST", "/admin/login", { body: login });
  const call = (method: string, path: string, body?: object) =>
    service.call<Run>(method, `/admin/runs${path}`, { token, body });
  // Of an earlier measurement.
  await pool.query("UPDATE runs SET status = 'cancelled'");
  const {
    rows: [month],
  } = await pool.query<{ starts_on: string }>(`SELECT ${settledMonth}::date::text AS starts_on`);

  const { id } = await call("POST", "", { period: "month", time_zone: "UTC", ...month });
  const until = async (isDone: (run: Run) => boolean): Promise<void> => {
    for (;;) {
      const run = await call("GET", `/${id}`);
      if (isDone(run)) return;
      if (run.problems.length > 0) throw new Error(JSON.stringify(run.problems));
      await pause(watchEveryMs);
    }
  };
  await during(
    "computed",
    until(({ line_count }) => line_count !== null),
  );
  await call("POST", `/${id}/check`);
  await during(
    "checked",
    until(({ status }) => status === "checked"),
  );
  await pool.query(
    `WITH other AS (INSERT INTO admins (id, email, full_name, password_hash, role_id)
       SELECT $2, $2::uuid || '@example.com', 'Other', '-', role_id FROM admins LIMIT 1 RETURNING id)
     UPDATE runs SET approved_by = other.id FROM other WHERE runs.id = $1`,
    [id, newId()],
  );
  await call("POST", `/${id}/approve`);
  await during(
    "paid",
    until(({ status }) => status === "paid"),
  );
}

interface Memory {
  /** Bytes. */
  readonly service: number;
  readonly database: number;
}

/** Watches the memory of the service, and of the largest of the database's processes, until `work` is done. */
async function watchMemory(work: Promise<unknown>, service: Service): Promise<Memory> {
  const isOver = endOf(work);
  let most: Memory = { service: 0, database: 0 };
  while (!isOver()) {
    const now = await Promise.all([service.bytes(), service.databaseBytes()]);
    most = { service: Math.max(most.service, now[0]), database: Math.max(most.database, now[1]) };
    await pause(measureEveryMs);
  }
  return most;
}

interface Measured {
  readonly memory: Memory;
  readonly rate: number;
}

const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MB`;
const p99 = (times: hdr.Histogram): number => times.getValueAtPercentile(99) / 100;

function report(steps: readonly Step[], { memory, rate }: Measured): void {
  for (const { name, seconds, times } of steps)
    say(`  ${name} in ${seconds.toFixed(1)} s, gifts' p99 ${p99(times).toFixed(1)} ms`);
  const secondsOf = (step: string) => steps.find(({ name }) => name === step)!.seconds;
  const total = secondsOf("computed") + secondsOf("checked");
  judge(`computed and checked in ${total.toFixed(1)} s (target: ${secondsMax} s)`, total <= secondsMax);
  judge(
    `at most ${megabytes(memory.database)} in a process of the database beside its buffers (target: ${megabytes(memoryMax)})`,
    memory.database <= memoryMax,
  );
  say(`  at most ${megabytes(memory.service)} in the service; load average ${loadavg()[0]!.toFixed(1)}`);
  const [alone, during] = [hdr.build(), hdr.build()];
  for (const { name, times } of steps) (name === quiet ? alone : during).add(times);
  judge(
    `${rate} gifts per second: p99 ${p99(alone).toFixed(1)} ms, during the run ${p99(during).toFixed(1)} ms (target: at most ${slowdownMax} ×)`,
    p99(during) <= slowdownMax * p99(alone),
  );
}
