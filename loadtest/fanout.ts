import { setTimeout as pause } from "node:timers/promises";
import * as hdr from "hdr-histogram-js";
import { startRedis } from "#shared/testing/redis.ts";
import { until } from "#shared/testing/until.ts";
import { cpuOf } from "./bus.ts";
import { type ChatClient, type Door, enterRoom, type Ticket } from "./chat-clients.ts";
import { inventedWord } from "./filter.ts";
import { addPeople } from "./many-people.ts";
import { judge, median, printTable, say } from "./report.ts";
import { openRoom, type Process, register, type Service, startProcess, startService, stopProcess } from "./service.ts";
import { untilDue } from "./until-due.ts";

interface Options {
  clients: number;
  rate: number;
  seconds: number;
  rounds: number;
  door: Door;
  /** Whether what the servers use when nothing happens is left out: more processes use more. */
  withoutIdle?: boolean;
}

interface Measured {
  /** CPU time of the server per delivery, microseconds. */
  cpuPerDelivery: number;
  deliveries: number;
  p50: number;
  p99: number;
}

interface Contender {
  readonly name: string;
  cpuSeconds(): Promise<number>;
  readonly clients: readonly ChatClient[];
}

const warmUpSeconds = 5;
/** Above so many messages per second, frames are gathered: they cost less, and take longer. */
const gatheredFrom = 100;

const peers = {
  socket: { name: "bare Socket.IO", program: "loadtest/peers/bare-socketio.ts" },
  colyseus: { name: "bare Colyseus", program: "loadtest/peers/bare-colyseus.ts" },
} as const;

/** Measures chat in a full room. Hubbub stores each message before it is delivered, the bare server stores nothing. */
export async function fanout(options: Options): Promise<void> {
  const { clients, rate, seconds, door } = options;
  const service = await startService();
  const bare = await startBare(door);
  say(`${clients} clients in one room over ${door}, ${rate} messages per second, ${seconds} s per run`);
  const rows = await measureInTurn(
    async () => [
      await enter("hubbub", [service], await ticketsOf(service, clients), door),
      await enter(peers[door].name, [bare], bareTickets(clients), door),
    ],
    options,
  ).finally(() => Promise.all([service.stop(), bare.stop()]));
  report(rows, options);
}

const manyMax = 1.15;

/** Measures chat in a full room whose members are connected to several processes, compared with one. */
export async function fanoutOverMany(options: Options & { processes: number }): Promise<void> {
  const redis = await startRedis();
  const [alone, first] = [await startService(), await startService({ more: { REDIS_URL: redis.url } })];
  const all: Process[] = [first];
  while (all.length < options.processes) all.push(await first.another());
  const { clients, rate, seconds, door } = options;
  say(`${clients} clients in one room over ${door}, ${rate} messages per second, ${seconds} s per run`);
  const name = `${all.length} processes`;
  const rows = await measureInTurn(
    async () => [
      await enter("one process", [alone], await ticketsOf(alone, clients), door),
      await enter(name, all, await ticketsOf(first, clients), door),
    ],
    { ...options, withoutIdle: true },
  ).finally(async () => {
    await Promise.all([alone.stop(), ...all.slice(1).map((process) => process.stop())]);
    await first.stop();
    await redis.stop();
  });
  print(rows);
  // Of all together: each delivers its share.
  const ratio = of(rows, name, "cpuPerDelivery") / of(rows, "one process", "cpuPerDelivery");
  judge(
    `CPU per delivery of ${name}: ${ratio.toFixed(2)} × that of one (target: at most ${manyMax})`,
    ratio <= manyMax,
  );
}

/** As in the benchmark of checks. */
const wordsOfRules = 5000;

/** Measures chat in a full room with rules about what people write, compared with none. */
export async function fanoutWithRules(options: Options): Promise<void> {
  const [without, ruled] = [await startService(), await startService({ more: adminOfRules })];
  const { clients, rate, seconds, door } = options;
  say(`${clients} clients in one room over ${door}, ${rate} messages per second, ${seconds} s per run`);
  await addRule(ruled);
  const names = { without: "no rules", ruled: `${wordsOfRules} words of rules` };
  const rows = await measureInTurn(
    async () => [
      await enter(names.without, [without], await ticketsOf(without, clients), door),
      await enter(names.ruled, [ruled], await ticketsOf(ruled, clients), door),
    ],
    options,
  ).finally(() => Promise.all([without.stop(), ruled.stop()]));
  print(rows);
  const ratio = of(rows, names.ruled, "cpuPerDelivery") / of(rows, names.without, "cpuPerDelivery");
  judge(`CPU per delivery with rules: ${ratio.toFixed(3)} × that without (target: at most 1.03)`, ratio <= 1.03);
}

const login = { email: "bench@example.com", password: "an administrator who measures" };
const adminOfRules = { ADMIN_EMAIL: login.email, ADMIN_PASSWORD: login.password };

/** Adds a rule with words that no one says. Throws if a text with one of them isn't refused. */
async function addRule(service: Service): Promise<void> {
  const { token } = await service.call<{ token: string }>("POST", "/admin/login", { body: login });
  const words = Array.from({ length: wordsOfRules }, (_, n) => inventedWord(n));
  const trigger = { kind: "words", words, allow: [] };
  const action = { kind: "block", text: "No." };
  await service.call("POST", "/admin/rules", {
    token,
    body: { name: "Invented words", scope: { kind: "service" }, trigger, action },
  });
  const [writer] = await register(service, 1);
  const isRefused = () =>
    service.call("POST", "/posts", { token: writer!.token, body: { content: words.at(-1) } }).then(
      () => false,
      (error: Error) => error.message.includes("CONTENT_BLOCKED"),
    );
  await until("the rule holds", isRefused);
}

async function measureInTurn(
  enterAll: () => Promise<Contender[]>,
  options: Options,
): Promise<(Measured & { name: string })[]> {
  const contenders = await enterAll();
  const rows = [];
  for (let round = 0; round < options.rounds; round += 1)
    for (const contender of contenders) {
      await measure(contender, { ...options, seconds: warmUpSeconds, withoutIdle: false });
      rows.push({ name: contender.name, ...(await measure(contender, options)) });
    }
  for (const { clients } of contenders) for (const client of clients) client.close();
  return rows;
}

async function ticketsOf(service: Service, count: number): Promise<Ticket[]> {
  const people = await addPeople(service, count);
  const { id } = await openRoom(service, people[0]!);
  return people.map(({ token }) => ({ auth: { token }, roomId: id }));
}

const bareTickets = (count: number): Ticket[] =>
  Array.from({ length: count }, (_, index) => ({ auth: { name: `load_${index}` }, roomId: "room" }));

async function startBare(door: Door): Promise<Process> {
  const { child, url } = await startProcess([peers[door].program], {}, /listening on (\S+)/);
  return {
    url,
    cpuSeconds: async () => Number(await (await fetch(`${url}/cpu`)).text()),
    stop: () => stopProcess(child),
  };
}

/** The clients connect to the processes in turn. */
async function enter(
  name: string,
  processes: readonly Process[],
  tickets: readonly Ticket[],
  door: Door,
): Promise<Contender> {
  const clients: ChatClient[] = [];
  for (const [index, ticket] of tickets.entries())
    clients.push(await enterRoom[door](processes[index % processes.length]!.url, ticket));
  const cpuSeconds = async () => {
    const each = await Promise.all(processes.map((process) => process.cpuSeconds()));
    return each.reduce((sum, seconds) => sum + seconds, 0);
  };
  return { name, cpuSeconds, clients };
}

/** Sends messages at a constant rate, independent of replies (open loop), from each client in turn. */
async function measure(
  { cpuSeconds, clients }: Contender,
  { rate, seconds, withoutIdle = false }: Options,
): Promise<Measured> {
  const histogram = hdr.build({ lowestDiscernibleValue: 1, highestTrackableValue: 60_000_000 });
  let deliveries = 0;
  const heard = (body: string) => {
    deliveries += 1;
    histogram.recordValue(Math.max(1, Math.round((performance.now() - Number(body.split(" ")[0])) * 1000)));
  };
  const listeners = clients.map((client) => client.listen(heard));
  const idle = withoutIdle ? await cpuOf([{ cpuSeconds }], () => pause(seconds * 1000)) : 0;
  const cpuBefore = await cpuSeconds();
  const startedMs = performance.now();
  const answers: Promise<unknown>[] = [];
  for (let sent = 0; sent < rate * seconds; sent += 1) {
    const dueMs = startedMs + (sent * 1000) / rate;
    await untilDue(dueMs);
    answers.push(clients[sent % clients.length]!.say(`${performance.now()} good evening to everyone in this room`));
  }
  await Promise.all(answers);
  const expected = rate * seconds * clients.length;
  for (let waited = 0; deliveries < expected && waited < 100; waited += 1) await pause(50);
  const cpu = (await cpuSeconds()) - cpuBefore - idle;
  for (const remove of listeners) remove();
  if (deliveries !== expected) throw new Error(`only ${deliveries} of ${expected} messages were delivered`);
  const at = (percentile: number) => histogram.getValueAtPercentile(percentile) / 1000;
  return { cpuPerDelivery: (cpu * 1e6) / deliveries, deliveries, p50: at(50), p99: at(99) };
}

type Rows = readonly (Measured & { name: string })[];

const of = (rows: Rows, name: string, figure: "cpuPerDelivery" | "p99") =>
  median(rows.filter((row) => row.name === name).map((row) => row[figure]));

function print(rows: Rows): void {
  printTable(
    rows.map(({ name, cpuPerDelivery, deliveries, p50, p99 }) => ({
      server: name,
      deliveries,
      "CPU µs per delivery": cpuPerDelivery.toFixed(2),
      "p50 ms": p50.toFixed(1),
      "p99 ms": p99.toFixed(1),
    })),
  );
}

function report(rows: Rows, { rate, door }: Options): void {
  print(rows);
  const bare = peers[door].name;
  const ratio = of(rows, "hubbub", "cpuPerDelivery") / of(rows, bare, "cpuPerDelivery");
  const isGathered = rate > gatheredFrom;
  const most = door === "colyseus" ? 1.1 : isGathered ? 0.6 : 1;
  judge(`CPU per delivery: ${ratio.toFixed(2)} × the bare server (target: at most ${most})`, ratio <= most);
  const p99 = of(rows, "hubbub", "p99");
  const slowest = isGathered ? 30 : of(rows, bare, "p99") + 5;
  judge(`p99 ${p99.toFixed(1)} ms (target: at most ${slowest.toFixed(1)})`, p99 <= slowest);
}
