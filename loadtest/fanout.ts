import { setTimeout as pause } from "node:timers/promises";
import * as hdr from "hdr-histogram-js";
import { io, type Socket } from "socket.io-client";
import { judge, median, printTable, say } from "./report.ts";
import { openRoom, type Process, register, startProcess, startService, stopProcess } from "./service.ts";

interface Options {
  clients: number;
  rate: number;
  seconds: number;
  rounds: number;
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
  readonly process: Process;
  readonly sockets: readonly Socket[];
  readonly roomId: string;
}

const warmUpSeconds = 3;
/** Above so many messages per second, frames are gathered: they cost less, and take longer. */
const gatheredFrom = 100;

/** Measures chat in a full room. Hubbub stores each message before it is delivered, the bare server stores nothing. */
export async function fanout(options: Options): Promise<void> {
  const service = await startService();
  const bare = await startBare();
  say(`${options.clients} clients in one room, ${options.rate} messages per second, ${options.seconds} s per run`);
  const ours = await enter("hubbub", service, await ticketsOf(service, options.clients));
  const peer = await enter("bare Socket.IO", bare, bareTickets(options.clients));
  const rows: (Measured & { name: string })[] = [];
  for (let round = 0; round < options.rounds; round += 1)
    for (const contender of [ours, peer]) {
      await measure(contender, { ...options, seconds: warmUpSeconds });
      rows.push({ name: contender.name, ...(await measure(contender, options)) });
    }
  for (const { sockets } of [ours, peer]) for (const socket of sockets) socket.disconnect();
  await Promise.all([service.stop(), bare.stop()]);
  report(rows, options.rate);
}

interface Ticket {
  readonly auth: Record<string, string>;
  readonly roomId: string;
}

async function ticketsOf(service: Awaited<ReturnType<typeof startService>>, count: number): Promise<Ticket[]> {
  const people = await register(service, count);
  const { id } = await openRoom(service, people[0]!);
  return people.map(({ token }) => ({ auth: { token }, roomId: id }));
}

const bareTickets = (count: number): Ticket[] =>
  Array.from({ length: count }, (_, index) => ({ auth: { name: `load_${index}` }, roomId: "room" }));

async function startBare(): Promise<Process> {
  const { child, url } = await startProcess(["loadtest/peers/bare-socketio.ts"], {}, /listening on (\S+)/);
  return { url, cpuSeconds: async () => Number(await (await fetch(url)).text()), stop: () => stopProcess(child) };
}

async function enter(name: string, process: Process, tickets: readonly Ticket[]): Promise<Contender> {
  const sockets: Socket[] = [];
  for (const { auth, roomId } of tickets) {
    const socket = io(process.url, { auth, transports: ["websocket"], forceNew: true, reconnection: false });
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("connect_error", reject);
    });
    const answer = (await socket.emitWithAck("room:join", { room_id: roomId })) as { success: boolean };
    if (!answer.success) throw new Error(`${name}: ${JSON.stringify(answer)}`);
    sockets.push(socket);
  }
  return { name, process, sockets, roomId: tickets[0]!.roomId };
}

/** Sends messages at a constant rate, independent of replies (open loop), from each client in turn. */
async function measure({ process, sockets, roomId }: Contender, { rate, seconds }: Options): Promise<Measured> {
  const histogram = hdr.build({ lowestDiscernibleValue: 1, highestTrackableValue: 60_000_000 });
  let deliveries = 0;
  const listener = ({ message }: { message: { body: string } }) => {
    deliveries += 1;
    histogram.recordValue(Math.max(1, Math.round((performance.now() - Number(message.body.split(" ")[0])) * 1000)));
  };
  for (const socket of sockets) socket.on("room:new_message", listener);
  const cpuBefore = await process.cpuSeconds();
  const startedMs = performance.now();
  const answers: Promise<unknown>[] = [];
  for (let sent = 0; sent < rate * seconds; sent += 1) {
    const dueMs = startedMs + (sent * 1000) / rate;
    if (dueMs > performance.now()) await pause(dueMs - performance.now());
    const body = `${performance.now()} good evening to everyone in this room`;
    answers.push(
      sockets[sent % sockets.length]!.timeout(10_000).emitWithAck("room:message", { room_id: roomId, body }),
    );
  }
  await Promise.all(answers);
  const expected = rate * seconds * sockets.length;
  for (let waited = 0; deliveries < expected && waited < 100; waited += 1) await pause(50);
  const cpu = (await process.cpuSeconds()) - cpuBefore;
  for (const socket of sockets) socket.off("room:new_message", listener);
  if (deliveries !== expected) throw new Error(`only ${deliveries} of ${expected} messages were delivered`);
  const at = (percentile: number) => histogram.getValueAtPercentile(percentile) / 1000;
  return { cpuPerDelivery: (cpu * 1e6) / deliveries, deliveries, p50: at(50), p99: at(99) };
}

function report(rows: readonly (Measured & { name: string })[], rate: number): void {
  printTable(
    rows.map(({ name, cpuPerDelivery, deliveries, p50, p99 }) => ({
      server: name,
      deliveries,
      "CPU µs per delivery": cpuPerDelivery.toFixed(2),
      "p50 ms": p50.toFixed(1),
      "p99 ms": p99.toFixed(1),
    })),
  );
  const of = (name: string, figure: "cpuPerDelivery" | "p99") =>
    median(rows.filter((row) => row.name === name).map((row) => row[figure]));
  const ratio = of("hubbub", "cpuPerDelivery") / of("bare Socket.IO", "cpuPerDelivery");
  const isGathered = rate > gatheredFrom;
  const most = isGathered ? 0.6 : 1;
  judge(`CPU per delivery: ${ratio.toFixed(2)} × the bare server (target: at most ${most})`, ratio <= most);
  const p99 = of("hubbub", "p99");
  const slowest = isGathered ? 30 : of("bare Socket.IO", "p99") + 5;
  judge(`p99 ${p99.toFixed(1)} ms (target: at most ${slowest.toFixed(1)})`, p99 <= slowest);
}
