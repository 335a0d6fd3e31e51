import { rm } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { newObjects } from "./heap-objects.ts";
import { addPeople, addRooms, settleDatabase } from "./many-people.ts";
import { makeProbe, type Probe } from "./probed.ts";
import { connectAll, type RawClient } from "./raw-client.ts";
import { judge, printTable, say } from "./report.ts";
import { startProcess, startService, stopProcess } from "./service.ts";

interface Options {
  clients: number;
  profile?: boolean;
}

const membersEach = 50;
const memoryMax = 1.15;
const inRoomMemoryMax = 1.3;
const cpuMax = 2;
/** Each connection is pinged once in this time. */
const pingIntervalMs = 25_000;
/** Clients that come and go first, so that what the process makes once is there. */
const firstClients = 500;
/** The memory has settled when so many looks in a row find the same, bytes. */
const sameLooks = 4;
const sameBytes = 100_000;
const looksMax = 15;
const lookMs = 1_000;

/** A server, its clients so far, and what each connection has been found to take. */
interface Measured {
  readonly name: string;
  readonly probe: Probe;
  readonly url: string;
  readonly eachAuth: readonly object[];
  readonly clients: RawClient[];
  /** Bytes of live objects and buffers per connection, without those of the operating system. */
  each: number;
  eachInRoom: number;
  /** CPU that each connection adds while nothing happens, microseconds per second. */
  cpuEach: number;
  cpuEachInRoom: number;
}

/**
 * Measures what connections cost that do nothing, compared with a bare Socket.IO server. Fails if a target is missed.
 */
export async function idle({ clients, profile = false }: Options): Promise<void> {
  const [probe, bareProbe] = [makeProbe(), makeProbe()];
  const service = await startService({ more: probe.environment });
  const bare = await startProcess(["loadtest/peers/bare-socketio.ts"], bareProbe.environment, /listening on (\S+)/);
  try {
    const people = await addPeople(service, clients);
    const hosts = people.filter((_, index) => index % membersEach === 0);
    const roomIds = await addRooms(service, hosts);
    await settleDatabase(service);

    const nothing = { clients: [], each: 0, eachInRoom: 0, cpuEach: 0, cpuEachInRoom: 0 };
    const tokens = people.map(({ token }) => ({ token }));
    const names = people.map(({ id }) => ({ name: id }));
    const ours: Measured = { ...nothing, clients: [], name: "hubbub", probe, url: service.url, eachAuth: tokens };
    const peer: Measured = { ...nothing, name: "bare Socket.IO", probe: bareProbe, url: bare.url, eachAuth: names };
    await measure([ours, peer], roomIds, profile);
    report(ours, peer);
  } finally {
    await service.stop();
    await stopProcess(bare.child);
  }
}

function report(ours: Measured, peer: Measured): void {
  const rowOf = ({ name, each, eachInRoom, cpuEach, cpuEachInRoom }: Measured) => ({
    server: name,
    "KB each": (each / 1024).toFixed(1),
    "in a room": (eachInRoom / 1024).toFixed(1),
    "CPU µs/s each": cpuEach.toFixed(1),
    "in a room ": cpuEachInRoom.toFixed(1),
  });
  printTable([rowOf(ours), rowOf(peer)]);
  const compare = (what: string, ratio: number, max: number) =>
    judge(`${what}: ${ratio.toFixed(2)} × the bare server (target: ${max})`, ratio <= max);
  compare("memory of a connection", ours.each / peer.each, memoryMax);
  compare("memory of a connection in a room", ours.eachInRoom / peer.eachInRoom, inRoomMemoryMax);
  compare("CPU", ours.cpuEach / peer.cpuEach, cpuMax);
}

/**
 * Measures servers side by side, so that what else the machine does affects all alike: what the second half of the
 * connections adds.
 */
async function measure(servers: readonly Measured[], roomIds: readonly string[], profile: boolean): Promise<void> {
  const count = servers[0]!.eachAuth.length;
  const half = Math.floor(count / 2);
  const connect = (from: number, to?: number) =>
    Promise.all(
      servers.map(async ({ url, eachAuth, clients }) => {
        clients.push(...(await connectAll(url, eachAuth.slice(from, to))));
      }),
    );
  const enter = (from: number, to?: number) =>
    Promise.all(
      servers.map(async ({ clients }) => {
        for (const [index, client] of clients.slice(from, to).entries())
          await client.emit("room:join", { room_id: roomIds[Math.floor((from + index) / membersEach)]! });
      }),
    );
  const bytes = () => Promise.all(servers.map(({ probe }) => settledBytes(probe)));
  const snapshots = () => (profile ? Promise.all(servers.map(({ probe }) => probe.snapshot())) : undefined);
  const added = (before: readonly number[], after: readonly number[], at: number) => (after[at]! - before[at]!) / half;

  for (const { url, eachAuth } of servers)
    for (const client of await connectAll(url, eachAuth.slice(0, firstClients))) client.cut();
  await bytes();
  const cpuAlone = await cpuOf(servers);
  await connect(0, half);
  const [before, snapshotBefore] = [await bytes(), await snapshots()];
  await connect(half);
  const [after, snapshotAfter] = [await bytes(), await snapshots()];
  const cpu = await cpuOf(servers);
  if (profile) await Promise.all(servers.map(({ probe }) => probe.printProfile(pingIntervalMs / 1000)));

  await enter(0, half);
  const [beforeInRoom, snapshotBeforeInRoom] = [await bytes(), await snapshots()];
  await enter(half);
  const [afterInRoom, snapshotAfterInRoom] = [await bytes(), await snapshots()];
  const cpuInRoom = await cpuOf(servers);

  for (const [at, server] of servers.entries()) {
    server.each = added(before, after, at);
    server.eachInRoom = server.each + added(beforeInRoom, afterInRoom, at);
    server.cpuEach = ((cpu[at]! - cpuAlone[at]!) / count) * 1e6;
    server.cpuEachInRoom = ((cpuInRoom[at]! - cpuAlone[at]!) / count) * 1e6;
    if (snapshotBefore && snapshotAfter)
      await printHeld(`A connection to ${server.name}`, snapshotBefore[at]!, snapshotAfter[at]!, half);
    if (snapshotBeforeInRoom && snapshotAfterInRoom)
      await printHeld("Its room adds", snapshotBeforeInRoom[at]!, snapshotAfterInRoom[at]!, half);
    for (const client of server.clients) client.cut();
  }
}

/** Returns how many cores each server uses, over a time in which each connection is pinged once. */
async function cpuOf(servers: readonly Measured[]): Promise<number[]> {
  const read = () => Promise.all(servers.map(({ probe }) => probe.cpuSeconds()));
  const before = await read();
  await pause(pingIntervalMs);
  const after = await read();
  return after.map((seconds, at) => (seconds - before[at]!) / (pingIntervalMs / 1000));
}

/**
 * Returns the bytes in use when they no longer change: what connecting and joining leave behind is gone after a while.
 */
async function settledBytes(probe: Probe): Promise<number> {
  let last = Number.POSITIVE_INFINITY;
  for (let look = 0, same = 1; look < looksMax && same < sameLooks; look += 1) {
    await pause(lookMs);
    const bytes = await probe.bytes();
    same = Math.abs(bytes - last) < sameBytes ? same + 1 : 1;
    last = bytes;
  }
  return last;
}

const shownBytes = 24;

async function printHeld(what: string, beforeFile: string, afterFile: string, connections: number): Promise<void> {
  say(`${what}, objects and bytes:`);
  const kinds = [...(await newObjects(beforeFile, afterFile))]
    .map(([kind, { count, bytes }]) => ({ kind, count: count / connections, bytes: bytes / connections }))
    .filter(({ bytes }) => bytes >= shownBytes)
    .toSorted((a, b) => b.bytes - a.bytes);
  for (const { kind, count, bytes } of kinds)
    say(`  ${count.toFixed(1).padStart(5)}  ${bytes.toFixed(0).padStart(5)}  ${kind}`);
  await Promise.all([rm(beforeFile), rm(afterFile)]);
}
