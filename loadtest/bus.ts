import { setTimeout as pause } from "node:timers/promises";
import { Redis } from "ioredis";
import { startRedis } from "#shared/testing/redis.ts";
import { type ChatClient, enterRoom } from "./chat-clients.ts";
import { judge, median, printTable, say } from "./report.ts";
import { openRoom, type Process, register, type Service, startService } from "./service.ts";
import { untilDue } from "./until-due.ts";

interface Options {
  seconds: number;
  rate: number;
  events: number;
  rounds: number;
}

/** Numbers of processes with which the same messages are sent. */
const sizes = [2, 4, 6, 8] as const;
const people = 25;
const warmUpSeconds = 5;
const bystanderMaxMs = 5;
const flatMax = 1.1;

/**
 * Measures what pushes cost processes that they don't concern: messages to 25 people on two processes beside more and
 * more others, and events for another process at a high rate. Fails if a target is missed.
 */
export async function bus({ seconds, rate, events, rounds }: Options): Promise<void> {
  const redis = await startRedis();
  const service = await startService({ more: { REDIS_URL: redis.url } });
  const processes: Process[] = [service, await service.another()];
  const room = await enter(service, processes);
  const costs = sizes.map(() => [] as number[]);
  // In turn, so that a machine that gets slower or faster affects all alike.
  for (let round = 0; round < rounds; round += 1) {
    while (processes.length > sizes[0]!) await processes.pop()!.stop();
    for (const [index, size] of sizes.entries()) {
      while (processes.length < size) processes.push(await service.another());
      costs[index]!.push(await perMessage(processes, room, { rate, seconds }));
    }
  }
  const rows = sizes.map((size, index) => ({ processes: size, ms: median(costs[index]!) }));
  printTable(rows.map(({ processes, ms }) => ({ processes, "CPU ms per message": ms.toFixed(2) })));
  const medians = rows.map(({ ms }) => ms);
  const most = Math.max(...medians) / Math.min(...medians);
  judge(
    `a message to ${people} people on two of ${sizes.join(", ")} processes: the dearest ${most.toFixed(2)} × the cheapest (target: at most ${flatMax})`,
    most <= flatMax,
  );

  const spread = await enter(service, processes);
  const spreadMs = await perMessage(processes, spread, { rate, seconds });
  say(`  with its people on all ${processes.length}: ${spreadMs.toFixed(2)} ms`);

  await measureBystander(redis.url, processes, { events, seconds });
  for (const client of [...room, ...spread]) client.close();
  for (const process of processes.slice(1)) await process.stop();
  await service.stop();
  await redis.stop();
}

/** Has people enter a room, over the processes in turn. */
async function enter(service: Service, processes: readonly Process[]): Promise<ChatClient[]> {
  const members = await register(service, people);
  const { id } = await openRoom(service, members[0]!);
  const clients: ChatClient[] = [];
  for (const [index, { token }] of members.entries())
    clients.push(await enterRoom.socket(processes[index % processes.length]!.url, { auth: { token }, roomId: id }));
  return clients;
}

/** Returns the CPU time of all processes for a message, milliseconds, without what they use when nothing happens. */
async function perMessage(
  processes: readonly Process[],
  clients: readonly ChatClient[],
  { rate, seconds }: { rate: number; seconds: number },
): Promise<number> {
  await speak(clients, rate, warmUpSeconds);
  await pause(1000);
  const idle = await cpuOf(processes, () => pause(seconds * 1000));
  const busy = await cpuOf(processes, () => speak(clients, rate, seconds));
  return ((busy - idle) * 1000) / (rate * seconds);
}

/** Returns the CPU time that the processes use until some work is done, seconds. */
export async function cpuOf(
  processes: readonly Pick<Process, "cpuSeconds">[],
  work: () => Promise<unknown>,
): Promise<number> {
  const read = async () => {
    let sum = 0;
    for (const process of processes) sum += await process.cpuSeconds();
    return sum;
  };
  const before = await read();
  await work();
  return (await read()) - before;
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
async function measureBystander(
  redisUrl: string,
  processes: readonly Process[],
  { events, seconds }: { events: number; seconds: number },
): Promise<void> {
  const redis = new Redis(redisUrl);
  const inbox = Object.values(await redis.hgetall("{hubbub:bus}:inboxes"))[0]!;
  const entry = ["message", JSON.stringify(["none", { text: "x".repeat(500) }]), "to", "user:none"];
  const send = async () => {
    const startedMs = performance.now();
    for (let sent = 0; sent < events * seconds; await pause(1)) {
      const pipeline = redis.pipeline();
      for (const due = ((performance.now() - startedMs) / 1000) * events; sent < due; sent += 1)
        pipeline.xadd(`{hubbub:bus}:inbox:${inbox}`, "NOMKSTREAM", "MAXLEN", "~", 10_000, "*", ...entry);
      await pipeline.exec();
    }
  };
  const each = (work: () => Promise<unknown>) => Promise.all(processes.map((process) => cpuOf([process], work)));
  let sending: Promise<void> | undefined;
  const idle = await each(() => pause(seconds * 1000));
  const beside = await each(() => (sending ??= send()));
  redis.disconnect();
  const costs = beside.map((used, index) => ((used - idle[index]!) * 1000) / seconds).sort((a, b) => a - b);
  const [bystander, receiver] = [median(costs.slice(0, -1)), costs.at(-1)!];
  judge(
    `${events} events per second for another process cost one ${bystander.toFixed(1)} ms of CPU per second (that one: ${receiver.toFixed(0)}; target: at most ${bystanderMaxMs})`,
    bystander <= bystanderMaxMs,
  );
}
