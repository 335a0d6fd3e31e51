import { setTimeout as pause } from "node:timers/promises";
import { Redis } from "ioredis";
import { startRedis } from "#shared/testing/redis.ts";
import { type ChatClient, enterRoom } from "./chat-clients.ts";
import { judge, median, printTable } from "./report.ts";
import { openRoom, type Process, register, type Service, startService } from "./service.ts";
import { untilDue } from "./until-due.ts";

interface Options {
  seconds: number;
  rate: number;
  events: number;
  rounds: number;
}

/** Numbers of processes of the services to which the same messages are sent. */
const sizes = [2, 4, 6, 8] as const;
const people = 25;
/** A process uses more until its code is compiled. */
const warmUpSeconds = 60;
const bystanderSeconds = 10;
const bystanderMaxMs = 5;
const flatMax = 1.1;

/** A service and those who speak, who are connected to two of its processes. */
interface Contender {
  readonly service: Service;
  readonly processes: readonly Process[];
  readonly redis: Awaited<ReturnType<typeof startRedis>>;
  readonly clients: readonly ChatClient[];
  /** CPU time of all processes, seconds, in each turn of another service. */
  readonly idle: number[];
  /** The same in each turn of this one. */
  readonly busy: number[];
}

/**
 * Measures what pushes cost processes that they don't concern: messages to 25 people on two processes beside more and
 * more others, and events for another process at a high rate. Fails if a target is missed.
 */
export async function bus({ seconds, rate, events, rounds }: Options): Promise<void> {
  const contenders = await Promise.all(sizes.map(startContender));
  await Promise.all(contenders.map(({ clients }) => speak(clients, rate, warmUpSeconds)));
  // In short turns, so that a machine that gets slower or faster affects all alike. Who doesn't speak is idle.
  for (let turn = 0; turn < rounds * contenders.length; turn += 1) {
    const speaking = contenders[turn % contenders.length]!;
    const read = () => Promise.all(contenders.map(({ processes }) => cpuSecondsOf(processes)));
    const before = await read();
    await speak(speaking.clients, rate, seconds);
    const after = await read();
    for (const [index, one] of contenders.entries())
      one[one === speaking ? "busy" : "idle"].push(after[index]! - before[index]!);
  }
  const costs = contenders.map(({ busy, idle }) => ((mean(busy) - mean(idle)) * 1000) / (rate * seconds));
  printTable(sizes.map((processes, index) => ({ processes, "CPU ms per message": costs[index]!.toFixed(2) })));
  const most = Math.max(...costs) / Math.min(...costs);
  judge(
    `a message to ${people} people on two of ${sizes.join(", ")} processes: the dearest ${most.toFixed(2)} × the cheapest (target: at most ${flatMax})`,
    most <= flatMax,
  );
  const largest = contenders.at(-1)!;
  await measureBystander(largest.redis.url, largest.processes, events);
  await Promise.all(contenders.map(stopContender));
}

async function startContender(size: number): Promise<Contender> {
  const redis = await startRedis();
  const service = await startService({ more: { REDIS_URL: redis.url } });
  const processes: Process[] = [service, await service.another()];
  // Before others start, so that the room's actor is in one of these two, too.
  const clients = await enter(service, processes);
  while (processes.length < size) processes.push(await service.another());
  return { service, processes, redis, clients, idle: [], busy: [] };
}

async function stopContender({ service, processes, redis, clients }: Contender): Promise<void> {
  for (const client of clients) client.close();
  for (const process of processes.slice(1)) await process.stop();
  await service.stop();
  await redis.stop();
}

const mean = (all: readonly number[]): number => all.reduce((sum, one) => sum + one, 0) / all.length;

/** Has people enter a room, over the processes in turn. */
async function enter(service: Service, processes: readonly Process[]): Promise<ChatClient[]> {
  const members = await register(service, people);
  const { id } = await openRoom(service, members[0]!);
  const clients: ChatClient[] = [];
  for (const [index, { token }] of members.entries())
    clients.push(await enterRoom.socket(processes[index % processes.length]!.url, { auth: { token }, roomId: id }));
  return clients;
}

/** Returns the CPU time that all of the processes have used, seconds. */
async function cpuSecondsOf(processes: readonly Pick<Process, "cpuSeconds">[]): Promise<number> {
  let sum = 0;
  for (const process of processes) sum += await process.cpuSeconds();
  return sum;
}

/** Returns the CPU time that the processes use until some work is done, seconds. */
export async function cpuOf(
  processes: readonly Pick<Process, "cpuSeconds">[],
  work: () => Promise<unknown>,
): Promise<number> {
  const before = await cpuSecondsOf(processes);
  await work();
  return (await cpuSecondsOf(processes)) - before;
}

async function speak(clients: readonly ChatClient[], rate: number, seconds: number): Promise<void> {
  const startedMs = performance.now();
  const answers: Promise<unknown>[] = [];
  for (let sent = 0; sent < rate * seconds; sent += 1) {
    const dueMs = startedMs + (sent * 1000) / rate;
    await untilDue(dueMs);
    answers.push(clients[sent % clients.length]!.say("good evening to everyone in this room"));
  }
  await Promise.all(answers);
}

/** The CPU time of all processes but one, to which many events come. */
async function measureBystander(redisUrl: string, processes: readonly Process[], events: number): Promise<void> {
  const redis = new Redis(redisUrl);
  const inbox = Object.values(await redis.hgetall("{hubbub:bus}:inboxes"))[0]!;
  const entry = ["message", JSON.stringify(["none", { text: "x".repeat(500) }]), "to", "user:none"];
  const send = async () => {
    const startedMs = performance.now();
    for (let sent = 0; sent < events * bystanderSeconds; await pause(1)) {
      const pipeline = redis.pipeline();
      for (const due = ((performance.now() - startedMs) / 1000) * events; sent < due; sent += 1)
        pipeline.xadd(`{hubbub:bus}:inbox:${inbox}`, "NOMKSTREAM", "MAXLEN", "~", 10_000, "*", ...entry);
      await pipeline.exec();
    }
  };
  const each = (work: () => Promise<unknown>) => Promise.all(processes.map((process) => cpuOf([process], work)));
  let sending: Promise<void> | undefined;
  const idle = await each(() => pause(bystanderSeconds * 1000));
  const beside = await each(() => (sending ??= send()));
  redis.disconnect();
  const costs = beside.map((used, index) => ((used - idle[index]!) * 1000) / bystanderSeconds).sort((a, b) => a - b);
  const [bystander, receiver] = [median(costs.slice(0, -1)), costs.at(-1)!];
  judge(
    `${events} events per second for another process cost one ${bystander.toFixed(1)} ms of CPU per second (that one: ${receiver.toFixed(0)}; target: at most ${bystanderMaxMs})`,
    bystander <= bystanderMaxMs,
  );
}
