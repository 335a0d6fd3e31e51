import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import * as hdr from "hdr-histogram-js";
import { askFor, connectAskers } from "./askers.ts";
import { addPeople, addRooms, settleDatabase } from "./many-people.ts";
import { makeProbe, type Probe } from "./probed.ts";
import { connectAll, type RawClient } from "./raw-client.ts";
import { judge, say } from "./report.ts";
import { type Person, type Service, startService } from "./service.ts";

interface Options {
  rooms: number;
  seconds: number;
  rate: number;
  profile?: boolean;
}

const membersEach = 2;
/** Clients that move from room to room while the others stay. */
const movers = 200;
/** Files that a process opens beside the members' connections. */
const otherFiles = 800;
/** Rooms that users ask for while all are being restored. */
const askedFor = 50;

const idleMax = 0.1;
const roomBytesMax = 25 * 1024;
const joinP99MaxMs = 100;
const backMaxSeconds = 10;

/**
 * Measures what many live rooms of two members each cost while nothing happens, beside the same connections without
 * rooms; joins into random rooms; and how soon all are back after a kill. Fails if a target is missed.
 */
export async function rooms({ rooms: wanted, seconds, rate, profile = false }: Options): Promise<void> {
  const count = Math.min(wanted, await roomsWithin());
  if (count < wanted) say(`${wanted} rooms need more open files than this machine allows (ulimit -n)`);
  const probe = makeProbe();
  const service = await startService({ more: probe.environment });
  try {
    const people = await addPeople(service, count * membersEach + movers);
    const roomIds = await addRooms(
      service,
      people.filter((_, index) => index < count * membersEach && index % membersEach === 0),
    );
    const clients = await connectAll(service.url, people.slice(0, -movers).map(asAuth));
    say(`${count} rooms with ${membersEach} members each; ${clients.length} connections`);
    const before = await measureIdle(service, probe, seconds);
    say(`  connections alone: ${before.text}`);

    if (profile) await probe.printAllocations();
    const startedMs = performance.now();
    await joinAll(clients, (index) => roomIds[Math.floor(index / membersEach)]!);
    say(`  joined at ${((clients.length / (performance.now() - startedMs)) * 1000).toFixed(0)} per second`);
    const after = await measureIdle(service, probe, seconds);
    say(`  in rooms: ${after.text}`);
    if (profile) await probe.printAllocations();
    if (profile) await probe.printProfile(seconds);

    // A larger number of rooms may cost more.
    const added = after.cpu - before.cpu;
    const allowed = (idleMax * Math.max(count, 1000)) / 10_000;
    judge(`${count} rooms add ${added.toFixed(3)} cores (target: ${allowed.toFixed(2)})`, added <= allowed);
    const each = (after.bytes - before.bytes) / count;
    judge(`${(each / 1024).toFixed(1)} KB per room (target: ${roomBytesMax / 1024})`, each <= roomBytesMax);

    const asks = roomIds.map((room_id) => ({ event: "room:join", payload: { room_id } }));
    const joins = await connectAskers({ url: service.url, people: people.slice(-movers), asks, rate });
    joins.start();
    await pause(seconds * 1000);
    const { p50, p99 } = await joins.stop();
    judge(
      `${rate} joins per second into random rooms: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms (target: ${joinP99MaxMs})`,
      p99 <= joinP99MaxMs,
    );
    await measureReturn(service, probe, { count, people, roomIds, profile });
    for (const client of clients) client.cut();
  } finally {
    await service.stop();
  }
}

/** Returns how many rooms the limit of open files allows, for which each member's connection counts on either side. */
async function roomsWithin(): Promise<number> {
  const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
  const files = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  return Math.floor((files - otherFiles) / membersEach);
}

const asAuth = ({ token }: Person) => ({ token });

interface Idle {
  readonly cpu: number;
  readonly bytes: number;
  readonly text: string;
}

/** Measures a service that only holds connections. */
async function measureIdle(service: Service, probe: Probe, seconds: number): Promise<Idle> {
  await settleDatabase(service);
  await pause(3000);
  const bytes = await probe.bytes();
  const read = () => Promise.all([probe.cpuSeconds(), service.databaseCpuSeconds()]);
  const startedMs = performance.now();
  const before = await read();
  await pause(seconds * 1000);
  const after = await read();
  const elapsed = (performance.now() - startedMs) / 1000;
  const [cpu, databaseCpu] = [(after[0] - before[0]) / elapsed, (after[1] - before[1]) / elapsed];
  const text = `${cpu.toFixed(3)} cores and ${databaseCpu.toFixed(3)} of the database, ${(bytes / 2 ** 20).toFixed(0)} MB`;
  return { cpu: cpu + databaseCpu, bytes, text };
}

const join = (client: RawClient, room_id: string) => askFor(client, { event: "room:join", payload: { room_id } });

/** Joins as fast as the service answers, 64 at a time. */
async function joinAll(clients: readonly RawClient[], roomOf: (index: number) => string): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < clients.length; index = next++) await join(clients[index]!, roomOf(index));
  };
  await Promise.all(Array.from({ length: 64 }, worker));
}

interface Crowd {
  readonly count: number;
  readonly people: readonly Person[];
  readonly roomIds: readonly string[];
  readonly profile: boolean;
}

/** Kills the service. Measures when all rooms are back, and how long those wait who ask for one meanwhile. */
async function measureReturn(
  service: Service,
  probe: Probe,
  { count, people, roomIds, profile }: Crowd,
): Promise<void> {
  const killedMs = performance.now();
  await service.crash();
  const readySeconds = (performance.now() - killedMs) / 1000;
  const profiled = profile ? probe.printProfile(5) : undefined;
  const asked = people.slice(-askedFor);
  const times = hdr.build();
  const asking = (async () => {
    for (const [index, client] of (await connectAll(service.url, asked.map(asAuth), 8)).entries()) {
      const startedMs = performance.now();
      // The last rooms would be restored last.
      await join(client, roomIds.at(-1 - index)!);
      times.recordValue((performance.now() - startedMs) * 100);
      client.cut();
    }
  })();
  let live = 0;
  while (live < count && performance.now() - killedMs < 120_000) {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    live = Number(/^hubbub_actors\{kind="voice_room"\} (\d+)/m.exec(text)?.[1] ?? 0);
    await pause(50);
  }
  const backSeconds = (performance.now() - killedMs) / 1000;
  await asking;
  await profiled;
  say(`  after a kill: ready after ${readySeconds.toFixed(1)} s`);
  judge(
    `${live} rooms back after ${backSeconds.toFixed(1)} s (target: ${count} after ${backMaxSeconds})`,
    live >= count && backSeconds <= backMaxSeconds,
  );
  const at = (percentile: number) => times.getValueAtPercentile(percentile) / 100;
  judge(
    `joins meanwhile: p50 ${at(50).toFixed(1)} ms, p99 ${at(99).toFixed(1)} ms (target: ${joinP99MaxMs})`,
    at(99) <= joinP99MaxMs,
  );
}
