import { setTimeout as pause } from "node:timers/promises";
import * as hdr from "hdr-histogram-js";
import { connectAskers } from "./askers.ts";
import { addPeople, addRooms, changeSetting, settleDatabase } from "./many-people.ts";
import { makeProbe, type Probe } from "./probed.ts";
import { connectAll, lastNumberIn, type RawClient } from "./raw-client.ts";
import { judge, printTable, say } from "./report.ts";
import { type Person, type Service, startProcess, startService, stopProcess } from "./service.ts";
import { untilDue } from "./until-due.ts";

interface Options {
  clients: number;
  rate: number;
  seconds: number;
  profile?: boolean;
}

/** Others, in a room of their own, who send messages meanwhile. */
const others = 10;
const othersRate = 50;
/** Of a large crowd, the delays of some tell those of all. */
const timed = 50;
/** As many clients as these targets are for. */
const targetClients = 1000;
/** More clients join in waves of so many. */
const atOnce = targetClients;
const settledMaxMs = 2000;
const othersP99MaxMs = 300;
const chatP99MaxMs = 500;

/**
 * Lets all clients join simultaneously, more than a thousand in waves, beside a bare Socket.IO server that stores and
 * checks nothing. Each must eventually know of all the others, and those who are rejected must not be in the room. Then
 * some of them chat. Fails if a target is missed.
 */
export async function joinStorm({ clients, rate, seconds, profile = false }: Options): Promise<void> {
  const probe = makeProbe();
  const service = await startService({ more: probe.environment });
  const bareProbe = makeProbe();
  const bare = await startProcess(["loadtest/peers/bare-socketio.ts"], bareProbe.environment, /listening on (\S+)/);
  try {
    const people = await addPeople(service, clients + others);
    const [crowd, company] = [people.slice(0, clients), people.slice(clients)];
    const [roomId, companyRoomId] = (await addRooms(service, [crowd[0]!, company[0]!])) as [string, string];
    await allow(service, clients);
    await settleDatabase(service);

    const peer = await connectAll(
      bare.url,
      crowd.map(({ id }) => ({ name: id })),
    );
    const floor = await storm(peer, "room", bareProbe);
    for (const client of peer) client.cut();

    const guests = await connectAll(service.url, crowd.map(asAuth));
    const room_id = companyRoomId;
    const talkers = await connectAskers({
      url: service.url,
      people: company,
      first: { event: "room:join", payload: { room_id } },
      asks: [{ event: "room:message", payload: { room_id, body: "good evening" } }],
      rate: othersRate,
    });
    await pause(2000);
    const profiled = profile ? probe.printProfile(4) : undefined;
    talkers.start();
    const ours = await storm(guests, roomId, probe);
    const { p99 } = await talkers.stop();
    await profiled;
    printTable([rowOf("hubbub", ours), rowOf("bare Socket.IO", floor)]);

    const members = await membersOf(service, crowd[0]!, roomId);
    const rejected = crowd.filter((_, index) => !ours.joined[index]);
    judge(
      `${rejected.length} of ${clients} rejected, ${members.size} in the room`,
      rejected.length === 0 && members.size === clients,
    );
    judge(
      `${rejected.filter(({ id }) => members.has(id)).length} rejected, but in the room`,
      !rejected.some(({ id }) => members.has(id)),
    );
    judge(`${ours.complete} know of all others`, ours.complete === clients);
    const settledMax = (settledMaxMs * Math.max(clients, targetClients) ** 2) / targetClients ** 2;
    judge(`after ${ours.settledMs.toFixed(0)} ms (target: ${settledMax.toFixed(0)})`, ours.settledMs <= settledMax);
    judge(`others' messages meanwhile: p99 ${p99.toFixed(0)} ms (target: ${othersP99MaxMs})`, p99 <= othersP99MaxMs);

    await chat(guests, roomId, probe, { rate, seconds });
    for (const client of guests) client.cut();
  } finally {
    await service.stop();
    await stopProcess(bare.child);
  }
}

const asAuth = ({ token }: Person) => ({ token });

/** Raises the capacity of rooms, if the crowd needs it. */
async function allow(service: Service, clients: number): Promise<void> {
  if (clients <= 2000) return;
  await changeSetting(service, "room_capacity", clients);
}

interface Stormed {
  readonly joined: readonly boolean[];
  readonly acknowledgedMs: number;
  readonly settledMs: number;
  /** How many clients know of all members. */
  readonly complete: number;
  readonly cpuSeconds: number;
  readonly blockedMs: number;
}

const rowOf = (server: string, { acknowledgedMs, settledMs, cpuSeconds, complete, blockedMs }: Stormed) => ({
  server,
  "acknowledged ms": acknowledgedMs.toFixed(0),
  "settled ms": settledMs.toFixed(0),
  "know all": complete,
  "server CPU s": cpuSeconds.toFixed(2),
  "blocked at most ms": blockedMs.toFixed(0),
});

/** What follows the last occurrence of a field in a packet, as a number. */
const numberIn = (packet: string, field: string): number =>
  Number(/^\d+/.exec(packet.slice(packet.lastIndexOf(`"${field}":`) + field.length + 3))?.[0]);

/**
 * Lets all join one room, in waves. A client knows those that its answer counts, and those of each later event; of the
 * members who are only counted, how many there are.
 */
async function storm(clients: readonly RawClient[], roomId: string, probe: Probe): Promise<Stormed> {
  const cpuBefore = await probe.cpuSeconds(); // It also forgets how long the event loop was blocked before.
  const heard = clients.map(() => [] as number[]);
  const counted = clients.map(() => ({ seq: 0, members: 0 }));
  let lastMs = 0;
  for (const [index, client] of clients.entries())
    client.onEvent((name, packet) => {
      const seq = lastNumberIn(packet);
      if (name === "room:participant_joined") heard[index]!.push(seq);
      else if (name === "room:members_counted")
        counted[index] = { seq, members: numberIn(packet.toString("latin1"), "member_count") };
      else return;
      lastMs = performance.now();
    });
  const startedMs = performance.now();
  const answers: string[] = [];
  for (let from = 0; from < clients.length; from += atOnce) {
    const wave = clients.slice(from, from + atOnce);
    answers.push(...(await Promise.all(wave.map((client) => client.emit("room:join", { room_id: roomId })))));
  }
  const acknowledgedMs = performance.now() - startedMs;
  const known = answers.map((answer) => ({
    joined: answer.startsWith('{"success":true'),
    seq: numberIn(answer, "seq"),
    members: Number(/"member_count":(\d+)/.exec(answer)?.[1]),
  }));
  const joined = known.filter((each) => each.joined).length;
  const knownTo = ({ seq, members }: { seq: number; members: number }, index: number) =>
    counted[index]!.seq > seq ? counted[index]!.members : members + heard[index]!.filter((each) => each > seq).length;
  const complete = () => known.filter((answer, index) => knownTo(answer, index) === joined).length;
  while (complete() < joined && performance.now() - Math.max(lastMs, startedMs) < 10_000) await pause(200);
  const blockedMs = await probe.blockedMs();
  return {
    blockedMs,
    joined: known.map((each) => each.joined),
    acknowledgedMs,
    settledMs: Math.max(acknowledgedMs, lastMs - startedMs),
    complete: complete(),
    cpuSeconds: (await probe.cpuSeconds()) - cpuBefore,
  };
}

/** Reads all pages of a room's members. */
async function membersOf(service: Service, { token }: Person, roomId: string): Promise<Set<string>> {
  const found = new Set<string>();
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const path = `/rooms/${roomId}/members?page=${page}&limit=100`;
    type Listed = { items: { user: { id: string } }[]; total_pages: number };
    const { items, total_pages } = await service.call<Listed>("GET", path, { token });
    for (const { user } of items) found.add(user.id);
    pages = total_pages;
  }
  return found;
}

/** Members send messages at a constant rate, which all receive. */
async function chat(
  clients: readonly RawClient[],
  roomId: string,
  probe: Probe,
  { rate, seconds }: Pick<Options, "rate" | "seconds">,
): Promise<void> {
  const delays = hdr.build();
  for (const client of clients) client.onEvent(() => {});
  for (const client of clients.slice(0, timed))
    client.onEvent((name, packet) => {
      if (name !== "room:new_message") return;
      const sentMs = Number(/"body":"([\d.]+)"/.exec(packet.toString("latin1"))?.[1]);
      delays.recordValue((performance.now() - sentMs) * 100);
    });
  const received = () => clients.reduce((sum, client) => sum + client.count("room:new_message"), 0);
  const [before, cpuBefore] = [received(), await probe.cpuSeconds()];
  const startedMs = performance.now();
  for (let sent = 0; sent < rate * seconds; sent += 1) {
    const dueMs = startedMs + (sent * 1000) / rate;
    await untilDue(dueMs);
    const body = `${performance.now()}`;
    void clients[sent % clients.length]!.emit("room:message", { room_id: roomId, body });
  }
  const expected = rate * seconds * clients.length;
  for (let waited = 0; received() - before < expected && waited < 200; waited += 1) await pause(50);
  const deliveries = received() - before;
  const cpuEach = (((await probe.cpuSeconds()) - cpuBefore) * 1e6) / deliveries;
  const at = (percentile: number) => delays.getValueAtPercentile(percentile) / 100;
  say(
    `  ${rate} messages per second to ${clients.length} members: ${cpuEach.toFixed(1)} µs of server CPU per delivery`,
  );
  judge(`${deliveries} of ${expected} deliveries`, deliveries === expected);
  judge(`p50 ${at(50).toFixed(0)} ms, p99 ${at(99).toFixed(0)} ms (target: ${chatP99MaxMs})`, at(99) <= chatP99MaxMs);
}
