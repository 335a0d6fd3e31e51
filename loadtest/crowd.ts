import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import * as hdr from "hdr-histogram-js";
import { startRedis } from "#shared/testing/redis.ts";
import type { Heard, ToListeners } from "./crowd-listeners.ts";
import { addPeople, addRooms, changeSetting, settleDatabase } from "./many-people.ts";
import { connectAll, type RawClient } from "./raw-client.ts";
import { judge, printTable, say } from "./report.ts";
import { type Process, startProcess, startService, stopProcess } from "./service.ts";
import { untilDue } from "./until-due.ts";

interface Options {
  readonly listeners: number;
  readonly processes: number;
  /** Processes of the load generator: each can hold only so many open files. */
  readonly generators: number;
  /** The first rate, messages per second; it is doubled until they come too late. */
  readonly rate: number;
  readonly seconds: number;
}

const p99MaxMs = 500;
const program = "loadtest/peers/bare-socketio.ts";
/** How long what is late may take to come. */
const patienceMs = 30_000;

/** Servers that hold a crowd together. */
interface Hall {
  readonly processes: readonly Process[];
  /** Says something to all. */
  readonly say: (body: string) => Promise<unknown>;
  readonly generators: readonly ChildProcess[];
}

interface Measured {
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  /** CPU of all servers for a delivery, microseconds. */
  readonly cpu: number;
  readonly missing: number;
  readonly lost: number;
}

/**
 * A room of very many listeners who are connected to several processes, beside as many bare Socket.IO servers, each of
 * which is sent every message, as if what carries it between them cost nothing. One person talks, twice as often in
 * each run, until p99 is too late.
 */
export async function crowd(options: Options): Promise<void> {
  const { listeners, processes, generators, seconds } = options;
  say(`${listeners} listeners over ${processes} processes, held by ${generators} processes, ${seconds} s per run`);
  const ours = await climb("hubbub", options, openHubbub);
  const bare = await climb("bare Socket.IO", options, openBare);
  printTable(
    [...ours.map((row) => ["hubbub", row] as const), ...bare.map((row) => ["bare Socket.IO", row] as const)].map(
      ([server, { rate, p50, p99, cpu, missing, lost }]) => ({
        server,
        "messages per second": rate,
        "p50 ms": p50.toFixed(0),
        "p99 ms": p99.toFixed(0),
        "CPU µs per delivery": cpu.toFixed(1),
        "not delivered": missing,
        disconnected: lost,
      }),
    ),
  );
  const most = (rows: readonly Measured[]) => rows.findLast(isHeard)?.rate ?? 0;
  judge(
    `${listeners} listeners hear ${most(ours)} messages per second within ${p99MaxMs} ms (p99); bare Socket.IO's ${most(bare)} (target: as many)`,
    most(ours) > 0 && most(ours) >= most(bare),
  );
}

const isHeard = ({ p99, missing, lost }: Measured): boolean => p99 <= p99MaxMs && missing === 0 && lost === 0;

type Open = (
  options: Options,
  use: (hall: Omit<Hall, "generators">, roomId: string, auths: readonly object[]) => Promise<Measured[]>,
) => Promise<Measured[]>;

/** Fills the hall, and measures until it is too much. */
async function climb(name: string, options: Options, open: Open): Promise<Measured[]> {
  return open(options, async (empty, roomId, auths) => {
    const startedMs = performance.now();
    const generators = await fill(empty.processes, options.generators, roomId, auths);
    say(`  ${name}: all are there after ${((performance.now() - startedMs) / 1000).toFixed(0)} s`);
    try {
      const rows: Measured[] = [];
      await measure({ ...empty, generators }, options.rate, options); // Warms up.
      for (let rate = options.rate; ; rate *= 2) {
        rows.push(await measure({ ...empty, generators }, rate, options));
        say(`  ${name}: ${rate} messages per second, p99 ${rows.at(-1)!.p99.toFixed(0)} ms`);
        if (!isHeard(rows.at(-1)!)) return rows;
      }
    } finally {
      for (const child of generators) child.kill("SIGKILL");
    }
  });
}

/** Has each generator connect its listeners to the processes in turn. */
async function fill(
  processes: readonly Process[],
  count: number,
  roomId: string,
  auths: readonly object[],
): Promise<ChildProcess[]> {
  const file = new URL("crowd-listeners.ts", import.meta.url).pathname;
  const children = Array.from({ length: count }, () => fork(file, { stdio: "inherit" }));
  const joined = children.map((child, nth) => {
    const own = auths.filter((_, place) => place % count === nth);
    const listeners = own.map((auth, place) => ({ url: processes[place % processes.length]!.url, auth }));
    return ask(child, { kind: "join", roomId, listeners });
  });
  await Promise.all(joined);
  return children;
}

/** Asks a process of the load generator, which answers each question in turn. Throws if it has ended instead. */
async function ask(child: ChildProcess, question: ToListeners): Promise<Heard> {
  const isAnswered = new AbortController();
  const options = { signal: isAnswered.signal };
  const ended = once(child, "exit", options).then(([code]) => {
    throw new Error(`a process of the load generator ended with ${code}`);
  });
  const answered = once(child, "message", options) as Promise<[Heard]>;
  child.send(question);
  const [heard] = await Promise.race([answered, ended]);
  ended.catch(() => {}); // It no longer waits.
  isAnswered.abort();
  return heard;
}

async function measure(hall: Hall, rate: number, { listeners, seconds }: Options): Promise<Measured> {
  const asked = (question: ToListeners) => Promise.all(hall.generators.map((child) => ask(child, question)));
  const cpuSeconds = async () => {
    const each = await Promise.all(hall.processes.map((process) => process.cpuSeconds()));
    return each.reduce((sum, used) => sum + used, 0);
  };
  await asked({ kind: "listen" });
  const cpuBefore = await cpuSeconds();
  const startedMs = performance.now();
  const messages = Math.max(1, Math.round(rate * seconds));
  const answers: Promise<unknown>[] = [];
  for (let sent = 0; sent < messages; sent += 1) {
    await untilDue(startedMs + (sent * 1000) / rate);
    answers.push(hall.say(`${performance.timeOrigin + performance.now()} good evening to everyone in this room`));
  }
  await Promise.all(answers);
  const due = messages * listeners;
  let heard = await asked({ kind: "report" });
  const countOf = () => heard.reduce((sum, { count }) => sum + count, 0);
  for (const untilMs = performance.now() + patienceMs; countOf() < due && performance.now() < untilMs; ) {
    await pause(250);
    heard = await asked({ kind: "report" });
  }
  const cpu = (await cpuSeconds()) - cpuBefore;
  const times = hdr.build();
  for (const one of heard) times.add(hdr.decodeFromCompressedBase64(one.times));
  const at = (percentile: number) => times.getValueAtPercentile(percentile) / 100;
  const lost = heard.reduce((sum, one) => sum + one.lost, 0);
  return { rate, p50: at(50), p99: at(99), cpu: (cpu * 1e6) / due, missing: due - countOf(), lost };
}

const openHubbub: Open = async ({ listeners, processes }, use) => {
  const redis = await startRedis();
  const first = await startService({ more: { REDIS_URL: redis.url } });
  const all: Process[] = [first];
  try {
    while (all.length < processes) all.push(await first.another());
    const people = await addPeople(first, listeners + 1);
    const [roomId] = (await addRooms(first, people.slice(0, 1))) as [string];
    await changeSetting(first, "room_capacity", listeners + 1); // With the host, who talks.
    await settleDatabase(first);
    const [talker] = await connectAll(first.url, [{ token: people[0]!.token }]);
    await talker!.emit("room:join", { room_id: roomId });
    const talk = (body: string) => talker!.emit("room:message", { room_id: roomId, body });
    const auths = people.slice(1).map(({ token }) => ({ token }));
    return await use({ processes: all, say: talk }, roomId, auths).finally(() => talker!.cut());
  } finally {
    await Promise.all(all.slice(1).map((process) => process.stop()));
    await first.stop();
    await redis.stop();
  }
};

/** Who joins isn't announced there either: they would hear of each other for longer than all talk takes. */
const openBare: Open = async ({ listeners, processes }, use) => {
  const started = await Promise.all(
    Array.from({ length: processes }, () => startProcess([program, "quiet"], {}, /listening on (\S+)/)),
  );
  const all = started.map(
    ({ child, url }): Process => ({
      url,
      cpuSeconds: async () => Number(await (await fetch(`${url}/cpu`)).text()),
      stop: () => stopProcess(child),
    }),
  );
  try {
    const talkers: RawClient[] = [];
    for (const { url } of all) talkers.push(...(await connectAll(url, [{ name: "talker" }])));
    const talk = (body: string) =>
      Promise.all(talkers.map((talker) => talker.emit("room:message", { room_id: "room", body })));
    const auths = Array.from({ length: listeners }, (_, nth) => ({ name: `load_${nth}` }));
    return await use({ processes: all, say: talk }, "room", auths).finally(() => {
      for (const talker of talkers) talker.cut();
    });
  } finally {
    await Promise.all(all.map((process) => process.stop()));
  }
};
