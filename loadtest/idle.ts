import { setTimeout as pause } from "node:timers/promises";
import { addPeople, addRooms, settleDatabase } from "./many-people.ts";
import { makeProbe, type Probe } from "./probed.ts";
import { connectAll, type RawClient } from "./raw-client.ts";
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
const lookMs = 5_000;
/** A member without a connection stays in a room for 30 s. */
const graceMs = 35_000;
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
  const half = Math.floor(eachAuth.length / 2);
  const roomOf = (index: number) => roomIds[Math.floor(index / membersEach)]!;
  const enter = async (clients: readonly RawClient[], from: number) => {
    for (const [index, client] of clients.entries()) await client.emit("room:join", { room_id: roomOf(from + index) });
  };
  /** Returns what more connections add: the mean of what their coming takes and their going gives back, so that the process's own changes cancel out. */
  const addedBy = async (look: (more: readonly RawClient[]) => Promise<void>) => {
    const before = await settledBytes(probe);
    const more = await connectAll(url, eachAuth.slice(half));
    await look(more);
    const meanwhile = await settledBytes(probe);
    for (const client of more) client.cut();
    await pause(graceMs);
    return (meanwhile - (before + (await settledBytes(probe))) / 2) / more.length;
  };

  // What is created once, by the first connections, isn't counted.
  const first = await connectAll(url, eachAuth.slice(0, half));
  const cpuOfFirst = await coresOf(probe, seconds);
  let cpuOfMore = 0;
  const each = await addedBy(async (more) => {
    await pause(lookMs);
    cpuOfMore = ((await coresOf(probe, seconds)) - cpuOfFirst) / more.length;
    if (profile) await probe.printProfile(seconds);
  });
  await enter(first, 0);
  const eachInRoom = await addedBy(async (more) => {
    if (profile) await probe.printAllocations();
    await enter(more, half);
    if (profile) await probe.printAllocations();
  });
  for (const client of first) client.cut();
  return { each, eachInRoom, cpuEach: cpuOfMore * 1e6 };
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
