import { setTimeout as pause } from "node:timers/promises";
import { addPeople, addRooms, settleDatabase } from "./many-people.ts";
import { makeProbe, type Probe } from "./probed.ts";
import { connectAll } from "./raw-client.ts";
import { judge, printTable } from "./report.ts";
import { startProcess, startService, stopProcess } from "./service.ts";

interface Options {
  clients: number;
  seconds: number;
  profile?: boolean;
}

const membersEach = 50;
const memoryMax = 1.15;
const inRoomMemoryMax = 1.3;
const cpuMax = 2;
/** The memory has settled when it has fallen by less than this, bytes, in so many looks. */
const fallMin = 100_000;
const vainLooksMax = 3;
const looksMax = 12;
const lookMs = 7_000;
/** A smaller difference can't be measured, microseconds per second. */
const cpuFloor = 5;

interface Held {
  /** Bytes of live objects and buffers per connection, without those of the operating system. */
  readonly each: number;
  readonly eachInRoom: number;
  /** CPU that each connection adds while nothing happens, microseconds per second. */
  readonly cpuEach: number;
}

/** Measures what connections cost that do nothing, compared with a bare Socket.IO server. Fails if a target is missed. */
export async function idle({ clients, seconds, profile = false }: Options): Promise<void> {
  const [probe, bareProbe] = [makeProbe(), makeProbe()];
  const service = await startService({ more: probe.environment });
  const bare = await startProcess(["loadtest/peers/bare-socketio.ts"], bareProbe.environment, /listening on (\S+)/);
  try {
    const people = await addPeople(service, clients);
    const roomIds = await addRooms(
      service,
      people.filter((_, index) => index % membersEach === 0),
    );
    await settleDatabase(service);
    const options = { seconds, profile };
    const ours = await hold(
      probe,
      service.url,
      people.map(({ token }) => ({ token })),
      roomIds,
      options,
    );
    const peer = await hold(
      bareProbe,
      bare.url,
      people.map(({ id }) => ({ name: id })),
      roomIds,
      { seconds },
    );
    printTable([rowOf("hubbub", ours), rowOf("bare Socket.IO", peer)]);
    const compare = (what: string, ratio: number, max: number) =>
      judge(`${what}: ${ratio.toFixed(2)} × the bare server (target: ${max})`, ratio <= max);
    compare("memory of a connection", ours.each / peer.each, memoryMax);
    compare("memory of a connection in a room", ours.eachInRoom / peer.eachInRoom, inRoomMemoryMax);
    compare("CPU", ours.cpuEach / Math.max(peer.cpuEach, cpuFloor), cpuMax);
  } finally {
    await service.stop();
    await stopProcess(bare.child);
  }
}

const rowOf = (server: string, { each, eachInRoom, cpuEach }: Held) => ({
  server,
  "KB each": (each / 1024).toFixed(1),
  "in a room": (eachInRoom / 1024).toFixed(1),
  "CPU µs/s each": cpuEach.toFixed(1),
});

async function coresOf(probe: Probe, seconds: number): Promise<number> {
  const [before, startedMs] = [await probe.cpuSeconds(), performance.now()];
  await pause(seconds * 1000);
  return ((await probe.cpuSeconds()) - before) / ((performance.now() - startedMs) / 1000);
}

async function hold(
  probe: Probe,
  url: string,
  eachAuth: readonly object[],
  roomIds: readonly string[],
  { seconds, profile }: { seconds: number; profile?: boolean },
): Promise<Held> {
  // What is created once isn't counted: the second half shows what each one adds.
  const half = Math.floor(eachAuth.length / 2);
  const enter = async (from: number, to: number) => {
    for (let index = from; index < to; index += 1)
      await clients[index]!.emit("room:join", { room_id: roomIds[Math.floor(index / membersEach)]! });
  };
  const clients = await connectAll(url, eachAuth.slice(0, half));
  const fewer = await settledBytes(probe);
  const cpuOfFewer = await coresOf(probe, seconds);
  clients.push(...(await connectAll(url, eachAuth.slice(half))));
  const added = clients.length - half;
  const connected = await settledBytes(probe);
  const cpu = (await coresOf(probe, seconds)) - cpuOfFewer;
  if (profile) await probe.printProfile(seconds);
  await enter(0, half);
  const fewerInRooms = await settledBytes(probe);
  if (profile) await probe.printAllocations();
  await enter(half, clients.length);
  const inRooms = await settledBytes(probe);
  if (profile) await probe.printAllocations();
  for (const client of clients) client.cut();
  const each = (connected - fewer) / added;
  return { each, eachInRoom: each + (inRooms - fewerInRooms) / added, cpuEach: (cpu * 1e6) / added };
}

/** The bytes that are used when they no longer fall: what connecting and joining leave behind is gone after a while. */
async function settledBytes(probe: Probe): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  let lookedInVain = 0;
  for (let looks = 0; looks < looksMax && lookedInVain < vainLooksMax; looks += 1) {
    await pause(lookMs);
    const bytes = await probe.bytes();
    lookedInVain = bytes > least - fallMin ? lookedInVain + 1 : 0;
    least = Math.min(least, bytes);
  }
  return least;
}
