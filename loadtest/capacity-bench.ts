import { setTimeout as pause } from "node:timers/promises";
import type { Redis } from "ioredis";
import pg from "pg";
import { until } from "#shared/testing/until.ts";
import type { Figures, Habits } from "./capacity-plan.ts";
import { joinAll, raiseSignupBonus, setScene, untilDelivered } from "./gift-scene.ts";
import { addPeople, addRooms, settleDatabase } from "./many-people.ts";
import type { Probe } from "./probed.ts";
import { connectAll, type RawClient } from "./raw-client.ts";
import { say } from "./report.ts";
import type { Person, Service } from "./service.ts";
import { untilDue } from "./until-due.ts";

export interface CapacityOptions extends Habits {
  /** How many connections are made to measure one. */
  readonly clients: number;
  /** Duration of each measurement. */
  readonly seconds: number;
  /** Messages, and gifts, per second while they are measured. */
  readonly rate: number;
}

const giftPairs = 16;
/** Rooms of two, beside rooms of the usual size: two sizes tell what a room costs, and what each person in it. */
const fewPeople = 2;

/** Seconds of CPU, without what the process and the database use when nothing happens. */
interface Cost {
  readonly cpu: number;
  readonly database: number;
}

/** Measures what people cost a service, one figure after the other. */
export class CapacityBench {
  readonly #service: Service;
  readonly #probe: Probe;
  readonly #redis: Redis;
  readonly #options: CapacityOptions;
  /** People in the larger rooms: about as many as the options say. */
  readonly #crowd: number;
  /** Cores in use while nothing happens, as last measured. */
  #idle: Cost = { cpu: 0, database: 0 };

  constructor(service: Service, probe: Probe, redis: Redis, options: CapacityOptions) {
    this.#service = service;
    this.#probe = probe;
    this.#redis = redis;
    this.#options = options;
    this.#crowd = Math.min(Math.max(10, Math.round(options.roomSize)), Math.ceil(options.clients / 2));
  }

  async run(): Promise<Figures> {
    const { clients: count, seconds } = this.#options;
    const people = await addPeople(this.#service, count);
    const half = Math.ceil(count / 2);
    const hosts = (of: readonly Person[], size: number) => of.filter((_, index) => index % size === 0);
    const rooms = {
      crowded: await addRooms(this.#service, hosts(people.slice(0, half), this.#crowd)),
      quiet: await addRooms(this.#service, hosts(people.slice(half), fewPeople)),
    };
    await settleDatabase(this.#service);
    say(`Measuring with ${count} connections, ${seconds} s for each figure …`);

    // What the process makes once is there afterwards.
    for (const client of await connectAll(this.#service.url, people.slice(0, half).map(asAuth))) client.cut();
    const ofPeople = await this.#people(people, rooms);
    const { connections, ...gift } = await this.#gifts();
    const push = await this.#pushes(people, rooms.crowded[0]!);
    const process = { ...ofPeople.process, connections };
    return { ...ofPeople, process, gift, redis: { ...push, bytesPerConnection: ofPeople.redisBytes } };
  }

  /** Has people connect, join rooms of two sizes, chat, and leave. */
  async #people(people: readonly Person[], { crowded, quiet }: { crowded: string[]; quiet: string[] }) {
    const { seconds } = this.#options;
    const [baseBytes, redisBefore] = [await this.#bytes(), await this.#redisFigure("used_memory")];
    const idle = await this.#rest(seconds);

    let clients: RawClient[] = [];
    const connecting = await this.#costOf(async () => {
      clients = await connectAll(this.#service.url, people.map(asAuth));
    });
    const connectedBytes = await this.#bytes();
    const connected = await this.#rest(seconds);

    const half = Math.ceil(people.length / 2);
    const [crowd, pairs] = [clients.slice(0, half), clients.slice(half)];
    const joiningCrowd = await this.#costOf(() => enter(crowd, crowded, this.#crowd));
    const crowdedBytes = await this.#bytes();
    const joiningPairs = await this.#costOf(() => enter(pairs, quiet, fewPeople));
    const pairedBytes = await this.#bytes();
    const redisBytes = Math.max(0, (await this.#redisFigure("used_memory")) - redisBefore) / people.length;
    await this.#rest(seconds);

    const chat = await this.#chats({ crowd, crowded, pairs, quiet });
    const leaving = await this.#costOf(async () => {
      for (const client of clients) client.cut();
      await until("all have left", async () => (await this.#connections()) === 0, 60_000);
    });

    const { person, room } = solve(
      { people: crowd.length, rooms: crowded.length, sum: crowdedBytes - connectedBytes },
      { people: pairs.length, rooms: quiet.length, sum: pairedBytes - crowdedBytes },
    );
    const cores = Math.max(0, connected.cpu - idle.cpu) / people.length;
    const visits = [connecting, joiningCrowd, joiningPairs, leaving];
    return {
      process: { cores: idle.cpu, bytes: baseBytes },
      connection: { cores, bytes: (connectedBytes - baseBytes) / people.length },
      member: { bytes: person },
      room: { bytes: room },
      visit: { cpu: visits.reduce((sum, { cpu }) => sum + cpu, 0) / people.length },
      ...chat,
      redisBytes,
    };
  }

  /** Two sizes of rooms tell what a message costs, and what each delivery. */
  async #chats({
    crowd,
    crowded,
    pairs,
    quiet,
  }: Record<"crowd" | "pairs", RawClient[]> & Record<"crowded" | "quiet", string[]>) {
    const many = await this.#chat(crowd, crowded, this.#crowd);
    const few = await this.#chat(pairs, quiet, fewPeople);
    const delivery = Math.max(0, (many.cpu - few.cpu) / (this.#crowd - fewPeople));
    const message = {
      cpu: Math.max(0, many.cpu - this.#crowd * delivery),
      database: (many.database + few.database) / 2,
    };
    return { delivery: { cpu: delivery }, message };
  }

  /** Waits until all is delivered and collected. */
  async #bytes(): Promise<number> {
    await pause(2000);
    return this.#probe.bytes();
  }

  async #connections(): Promise<number> {
    const text = await (await fetch(`${this.#service.url}/metrics`)).text();
    return [...text.matchAll(/^hubbub_connections\{[^}]*\} (\d+)/gm)].reduce((sum, [, open]) => sum + Number(open), 0);
  }

  async #cpu(): Promise<Cost> {
    const [cpu, database] = await Promise.all([this.#probe.cpuSeconds(), this.#service.databaseCpuSeconds()]);
    return { cpu, database };
  }

  /** Returns how many cores are in use while nothing happens, which the next costs don't contain. */
  async #rest(seconds: number): Promise<Cost> {
    const before = await this.#cpu();
    await pause(seconds * 1000);
    const after = await this.#cpu();
    this.#idle = { cpu: (after.cpu - before.cpu) / seconds, database: (after.database - before.database) / seconds };
    return this.#idle;
  }

  async #costOf(work: () => Promise<unknown>): Promise<Cost> {
    const [before, startedMs] = [await this.#cpu(), performance.now()];
    await work();
    const [after, seconds] = [await this.#cpu(), (performance.now() - startedMs) / 1000];
    return {
      cpu: Math.max(0, after.cpu - before.cpu - this.#idle.cpu * seconds),
      database: Math.max(0, after.database - before.database - this.#idle.database * seconds),
    };
  }

  /** Does something at a constant rate, whatever the service answers. Returns what each costs. */
  async #perCall(call: (index: number) => Promise<unknown>, after: () => Promise<unknown>): Promise<Cost> {
    const { rate, seconds } = this.#options;
    const total = Math.ceil(rate * seconds);
    const { cpu, database } = await this.#costOf(async () => {
      const startedMs = performance.now();
      const answers: Promise<unknown>[] = [];
      for (let sent = 0; sent < total; sent += 1) {
        await untilDue(startedMs + (sent * 1000) / rate);
        answers.push(call(sent));
      }
      await Promise.all(answers);
      await after();
    });
    return { cpu: cpu / total, database: database / total };
  }

  /** Has people in rooms of one size chat. Returns what a message costs with its deliveries. */
  #chat(clients: readonly RawClient[], rooms: readonly string[], size: number): Promise<Cost> {
    const heard = () => clients.reduce((sum, client) => sum + client.count("room:new_message"), 0);
    const before = heard();
    let expected = 0;
    const say = (sent: number) => {
      // A step that visits all rooms, and all people in them.
      const index = (sent * (size + 1)) % clients.length;
      const room = Math.floor(index / size);
      expected += Math.min(size, clients.length - room * size);
      return clients[index]!.emit("room:message", { room_id: rooms[room]!, body: "good evening to everyone here" });
    };
    return this.#perCall(say, () => until("all have heard it", () => heard() - before >= expected, 30_000));
  }

  /** Returns what a gift costs, and how many connections the process has after many. */
  async #gifts(): Promise<Cost & { connections: number }> {
    const pool = new pg.Pool({ connectionString: this.#service.databaseUrl, max: 2 });
    pool.on("error", () => {}); // The database may end before its idle connections do.
    try {
      await raiseSignupBonus(pool);
      const scene = await setScene(this.#service, giftPairs);
      await joinAll(this.#service, scene);
      await untilDelivered(pool);
      await this.#rest(this.#options.seconds);
      const { roomId, giftId, pairs } = scene;
      const give = (sent: number) => {
        const { sender, recipient } = pairs[sent % pairs.length]!;
        const body = { gift_id: giftId, recipient_id: recipient.id, quantity: 1 };
        return this.#service.call("POST", `/rooms/${roomId}/gifts`, { token: sender.token, body });
      };
      const cost = await this.#perCall(give, () => untilDelivered(pool));
      const { rows } = await pool.query(
        "SELECT count(*)::int AS open FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'hubbub%'",
      );
      return { ...cost, connections: rows[0].open };
    } finally {
      await pool.end();
    }
  }

  /** Returns what a message costs Redis whose room has people at two processes, with the call to the actor's. */
  async #pushes(people: readonly Person[], room: string): Promise<{ cpuPerPush: number; bytesPerPush: number }> {
    const other = await this.#service.another({ PROBE: "", NODE_OPTIONS: "" });
    const some = people.slice(0, Math.min(people.length, 4));
    const clients = (
      await Promise.all(
        [this.#service, other].map(({ url }, at) =>
          connectAll(url, some.filter((_, index) => index % 2 === at).map(asAuth)),
        ),
      )
    ).flat();
    for (const client of clients) await join(client, room);
    const read = async () => ({
      cpu: (await this.#redisFigure("used_cpu_user")) + (await this.#redisFigure("used_cpu_sys")),
      bytes: await this.#redisFigure("total_net_output_bytes"),
    });
    const { rate, seconds } = this.#options;
    const idleBefore = await read();
    await pause(seconds * 1000);
    const before = await read();
    await this.#perCall(
      (sent) => clients[sent % clients.length]!.emit("room:message", { room_id: room, body: "good evening" }),
      async () => {},
    );
    const after = await read();
    for (const client of clients) client.cut();
    await other.stop();
    const each = (key: "cpu" | "bytes") =>
      Math.max(0, after[key] - before[key] - (before[key] - idleBefore[key])) / Math.ceil(rate * seconds);
    return { cpuPerPush: each("cpu"), bytesPerPush: each("bytes") };
  }

  async #redisFigure(name: string): Promise<number> {
    return Number(new RegExp(`^${name}:(\\S+)`, "m").exec(await this.#redis.info("everything"))?.[1]);
  }
}

const asAuth = ({ token }: Person) => ({ token });

async function join(client: RawClient, room_id: string): Promise<void> {
  const answer = await client.emit("room:join", { room_id });
  if (!answer.includes('"success":true')) throw new Error(`room:join was answered with ${answer}`);
}

const enter = async (clients: readonly RawClient[], rooms: readonly string[], size: number): Promise<void> => {
  for (const [index, client] of clients.entries()) await join(client, rooms[Math.floor(index / size)]!);
};

interface Sizes {
  readonly people: number;
  readonly rooms: number;
  readonly sum: number;
}

/** Solves `people × person + rooms × room = sum` for two sizes of rooms. */
function solve(one: Sizes, other: Sizes): { person: number; room: number } {
  const room =
    (other.sum / other.people - one.sum / one.people) / (other.rooms / other.people - one.rooms / one.people);
  const person = (one.sum - one.rooms * room) / one.people;
  return { person: Math.max(0, person), room: Math.max(0, room) };
}
