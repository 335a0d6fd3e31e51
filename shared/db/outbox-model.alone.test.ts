import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import fc from "fast-check";
import { newId } from "#shared/kernel/ids.ts";
import { compileCache } from "#shared/testing/compile-cache.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { startRedis, type TestRedis } from "#shared/testing/redis.ts";
import { until } from "#shared/testing/until.ts";
import { databaseUrl } from "./database-address.ts";
import { locks } from "./locks.ts";
import { query, queryOne } from "./query.ts";
import { inTransaction } from "./transaction.ts";

const relayFile = fileURLToPath(new URL("../testing/relay-process.ts", import.meta.url));
const [relaysMax, openMax, targetCount, runs, commandsMax] = [2, 3, 3, 12, 30];

/** An event for two targets. `writtenAt` and `committedAt` are steps of the run. */
interface Fact {
  readonly id: number;
  readonly targets: readonly [number, number];
  readonly writtenAt: number;
  committedAt?: number;
}

/** What must be true of the relays: which facts are committed, and since when. */
interface Model {
  step: number;
  readonly facts: Fact[];
  /** Of each open transaction. */
  readonly open: Fact[][];
  relays: number;
  hasRedis: boolean;
}

/** The relays themselves, in processes of their own, and the transactions that are open beside them. */
class World {
  readonly targets = Array.from({ length: targetCount }, newId);
  readonly #open: { end: (commit: boolean) => void; ended: Promise<void> }[] = [];
  readonly relays: ChildProcess[];
  readonly redis: TestRedis;

  constructor(redis: TestRedis, relays: ChildProcess[]) {
    this.redis = redis;
    this.relays = relays;
  }

  async write(facts: readonly Fact[]): Promise<void> {
    const [written, decided] = [Promise.withResolvers<void>(), Promise.withResolvers<boolean>()];
    const ended = inTransaction(async (tx) => {
      const [of, read_at] = [(target: number) => this.targets[target]!, ""];
      await tx.publishAll(
        "dm.read",
        facts.map(({ id, targets: [reader, peer] }) => ({
          conversation_id: `${id}`,
          reader_id: of(reader),
          peer_id: of(peer),
          read_at,
        })),
      );
      await tx.query("SELECT");
      written.resolve();
      if (!(await decided.promise)) throw new Error("rolled back");
    }).catch((error: Error) => {
      if (error.message !== "rolled back") throw error;
    });
    this.#open.push({ end: decided.resolve, ended });
    await Promise.race([written.promise, ended]);
  }

  async end(at: number, commit: boolean): Promise<void> {
    const [one] = this.#open.splice(at, 1);
    one!.end(commit);
    await one!.ended;
  }

  async startRelay(): Promise<void> {
    this.relays.push(await spawnRelay(this.redis.url));
  }

  async killRelay(): Promise<void> {
    const [child] = this.relays.splice(0, 1);
    child!.kill("SIGKILL");
    await once(child!, "exit");
  }

  /** Ends the connections that hold the locks of slots. */
  loseLocks(): Promise<unknown> {
    return query(
      `SELECT pg_terminate_backend(pid) FROM (
         SELECT DISTINCT pid FROM pg_locks WHERE locktype = 'advisory' AND classid = $1
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS owners`,
      [locks.outboxRelay],
    );
  }
}

async function spawnRelay(redisUrl: string): Promise<ChildProcess> {
  const env = { ...process.env, NODE_COMPILE_CACHE: compileCache };
  const child = fork(relayFile, [databaseUrl(), redisUrl], { env, execArgv: [] });
  await once(child, "message");
  return child;
}

type Command = fc.AsyncCommand<Model, World>;

/** A command by its parts; each has a number in the run, so that facts know their order. */
const command = (
  name: string,
  check: (model: Model) => boolean,
  run: (model: Model, world: World) => Promise<unknown>,
): Command => ({
  check,
  run: async (model, world) => {
    model.step += 1;
    await run(model, world);
  },
  toString: () => name,
});

const write = (pairs: readonly (readonly [number, number])[]): Command =>
  command(
    `write ${JSON.stringify(pairs)}`,
    ({ open }) => open.length < openMax,
    async (model, world) => {
      const facts = pairs.map((targets, n) => ({ id: model.facts.length + n, targets, writtenAt: model.step }));
      model.facts.push(...facts);
      model.open.push(facts);
      await world.write(facts);
    },
  );

const end = (which: number, commit: boolean): Command =>
  command(
    `${commit ? "commit" : "roll back"} ${which}`,
    ({ open }) => open.length > 0,
    async (model, world) => {
      const at = which % model.open.length;
      const [facts] = model.open.splice(at, 1);
      if (commit) for (const fact of facts!) fact.committedAt = model.step;
      await world.end(at, commit);
    },
  );

const redis = (up: boolean): Command =>
  command(
    up ? "Redis up" : "Redis down",
    ({ hasRedis }) => hasRedis !== up,
    async (model, world) => {
      model.hasRedis = up;
      if (up) world.redis.thaw();
      else world.redis.freeze();
    },
  );

const target = fc.nat(targetCount - 1);
const pair = fc.tuple(target, target).filter(([a, b]) => a !== b);
const writing = fc.array(pair, { minLength: 1, maxLength: 40, size: "max" }).map(write);
const committing = fc.nat(openMax - 1).map((which) => end(which, true));
const starting = command(
  "start a relay",
  // A relay subscribes at its start.
  ({ relays, hasRedis }) => relays < relaysMax && hasRedis,
  async (model, world) => {
    model.relays += 1;
    await world.startRelay();
  },
);
const killing = command(
  "kill a relay",
  ({ relays }) => relays > 0,
  async (model, world) => {
    model.relays -= 1;
    await world.killRelay();
  },
);
const losing = command(
  "lose the locks",
  () => true,
  (_model, world) => world.loseLocks(),
);
const waiting = (ms: number): Command =>
  command(
    `wait ${ms} ms`,
    () => true,
    () => pause(ms),
  );
/** What is listed twice comes twice as often. */
const commands: fc.Arbitrary<Command>[] = [
  ...[writing, writing, writing, committing, committing, committing],
  fc.nat(openMax - 1).map((which) => end(which, false)),
  ...[starting, killing, losing].map((one) => fc.constant(one)),
  fc.boolean().map(redis),
  fc.integer({ min: 1, max: 40 }).map(waiting),
];

describe("the relay, as a model", () => {
  useDatabase();
  let server: TestRedis;
  const relays: ChildProcess[] = [];

  before(async () => {
    server = await startRedis();
    await query("CREATE TABLE model_pushes (id bigserial PRIMARY KEY, target text, fact int)");
    await query("CREATE TABLE model_records (fact int)");
  });
  after(async () => {
    for (const child of relays) child.kill("SIGKILL");
    await Promise.all(relays.map((child) => once(child, "exit")));
    await server.stop();
    await query("DROP TABLE model_pushes, model_records");
  });

  /** Ends what is open, and waits until nothing is left to deliver. */
  async function settle(model: Model, world: World): Promise<void> {
    while (model.open.length > 0) {
      model.open.pop();
      await world.end(model.open.length, false);
    }
    if (!model.hasRedis) world.redis.thaw();
    while (relays.length < 1) await world.startRelay();
    await until(
      "nothing waits",
      async () => (await queryOne("SELECT 1 FROM undelivered_events")) === undefined,
      20_000,
    );
  }

  async function assertDelivered({ facts }: Model, { targets }: World): Promise<void> {
    const committed = facts.filter(({ committedAt }) => committedAt !== undefined);
    const recorded = await query<{ fact: number }>("SELECT fact FROM model_records ORDER BY fact");
    expect(recorded.map(({ fact }) => fact)).to.deep.equal(committed.map(({ id }) => id));
    expect(await queryOne("SELECT 1 FROM outbox_dead_letters")).to.equal(undefined);

    for (const [index, name] of targets.entries()) {
      const pushed = await query<{ fact: number }>(
        "SELECT fact FROM model_pushes WHERE target = $1 GROUP BY fact ORDER BY min(id)",
        [name],
      );
      const place = new Map(pushed.map(({ fact }, at) => [fact, at]));
      const due = committed.filter((fact) => fact.targets.includes(index));
      expect([...place.keys()].sort((a, b) => a - b)).to.deep.equal(due.map(({ id }) => id));
      for (const later of due)
        for (const earlier of due)
          if (
            earlier.id < later.id &&
            (earlier.writtenAt === later.writtenAt || earlier.committedAt! < later.writtenAt)
          )
            expect(place.get(earlier.id)).to.be.lessThan(place.get(later.id)!);
    }
  }

  it("delivers each committed fact, in order by target, and no other, whatever befalls it", async function () {
    this.timeout(120_000);
    const plan = fc.commands(commands, { maxCommands: commandsMax, size: "max" });
    const property = fc.asyncProperty(plan, async (cmds) => {
      await query("TRUNCATE model_pushes, model_records");
      const model: Model = { step: 0, facts: [], open: [], relays: relays.length, hasRedis: true };
      const world = new World(server, relays);
      try {
        await fc.asyncModelRun(() => ({ model, real: world }), cmds);
      } finally {
        await settle(model, world);
      }
      await assertDelivered(model, world);
    });
    await fc.assert(property, { numRuns: runs, seed: 25, endOnFailure: true });
  });
});
