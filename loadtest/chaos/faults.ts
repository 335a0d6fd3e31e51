import { setTimeout as pause } from "node:timers/promises";
import type { Cluster } from "./cluster.ts";
import type { Dice } from "./dice.ts";
import type { JudgeMood } from "./judge.ts";
import type { ServiceNode } from "./node.ts";

/** Something that is damaged for a while. Resolves when it is whole again; processes may still be starting. */
interface Fault {
  readonly name: string;
  /** How often it is chosen, beside the others. */
  readonly weight: number;
  /** What it damages: nothing else may damage that at the same time. */
  readonly target: "process" | "redis" | "postgres" | "pgbouncer" | "disk" | "judge";
  /** Whether it can happen on this machine; it can by default. */
  isPossible?(cluster: Cluster): boolean;
  run(scene: FaultScene): Promise<void>;
}

interface FaultScene {
  readonly cluster: Cluster;
  /** The process that it is about, if it is about one. */
  readonly node: ServiceNode;
  readonly dice: Dice;
  /** How long a fault lasts that isn't over at once. */
  readonly ms: number;
}

/** Both proxies of a process, or one of them. */
const networkOf = ({ node, dice }: FaultScene) =>
  dice.pick([[node.redis], [node.postgres], [node.redis, node.postgres]]);

/** Damages the network of a process for a while. */
const network =
  (damage: (proxy: ServiceNode["redis"], dice: Dice) => void): Fault["run"] =>
  async (scene) => {
    const proxies = networkOf(scene);
    for (const proxy of proxies) damage(proxy, scene.dice);
    await pause(scene.ms);
    for (const proxy of proxies) proxy.heal();
  };

/** Has the judge fail for a while. */
const judge =
  (mood: JudgeMood): Fault["run"] =>
  async ({ cluster, ms }) => {
    cluster.judge.mood = mood;
    await pause(ms);
    cluster.judge.mood = "well";
  };

/** How far a clock is off, at most, in minutes. */
const clockOffMax = 5;

export const faults: readonly Fault[] = [
  {
    name: "kill -9",
    weight: 8,
    target: "process",
    run: async ({ node }) => node.signal("SIGKILL"),
  },
  { name: "SIGTERM", weight: 4, target: "process", run: ({ node }) => node.end() },
  {
    name: "SIGSTOP",
    weight: 4,
    target: "process",
    run: async ({ node, ms }) => {
      node.signal("SIGSTOP");
      await pause(ms);
      node.signal("SIGCONT");
    },
  },
  {
    name: "stalled beside a flood",
    weight: 3,
    target: "process",
    run: async ({ cluster, node, ms }) => {
      cluster.isFlooded = true;
      node.signal("SIGSTOP");
      await pause(ms);
      node.signal("SIGCONT");
      cluster.isFlooded = false;
    },
  },
  {
    name: "clock off",
    weight: 2,
    target: "process",
    run: async ({ node, dice }) => {
      node.clockOffsetMs = node.clockOffsetMs === 0 ? dice.between(-clockOffMax * 60, clockOffMax * 60) * 1000 : 0;
      node.signal("SIGKILL");
    },
  },
  {
    name: "redis killed",
    weight: 4,
    target: "redis",
    isPossible: ({ store }) => !store.hasSuccessor,
    run: async ({ cluster: { store }, ms }) => {
      await store.kill();
      await pause(ms / 4);
      await store.restart();
    },
  },
  {
    name: "redis hangs",
    weight: 2,
    target: "redis",
    isPossible: ({ store }) => !store.hasSuccessor,
    run: async ({ cluster: { store }, ms }) => {
      store.freeze();
      await pause(ms);
      store.thaw();
    },
  },
  {
    name: "redis emptied",
    weight: 3,
    target: "redis",
    run: ({ cluster: { store } }) => store.empty(),
  },
  {
    name: "redis fails over",
    weight: 6,
    target: "redis",
    isPossible: ({ store }) => store.hasSuccessor,
    run: ({ cluster: { store }, dice }) => store.failOver(dice.chance(0.5)),
  },
  {
    name: "postgres fails over",
    weight: 6,
    target: "postgres",
    isPossible: ({ database }) => database.hasReplica,
    run: ({ cluster: { database } }) => database.failOver(),
  },
  {
    name: "replica lost",
    weight: 3,
    target: "postgres",
    isPossible: ({ database }) => database.hasReplica,
    run: ({ cluster: { database }, ms }) => database.loseReplica(ms / 4),
  },
  {
    name: "postgres killed",
    weight: 3,
    target: "postgres",
    run: async ({ cluster: { database }, dice, ms }) => {
      await database.kill(dice.pick(["SIGQUIT", "SIGKILL"]));
      await pause(ms / 4);
      await database.restart();
    },
  },
  {
    name: "postgres restarted",
    weight: 2,
    target: "postgres",
    run: async ({ cluster: { database } }) => {
      await database.end();
      await database.restart();
    },
  },
  {
    name: "postgres hangs",
    weight: 2,
    target: "postgres",
    run: async ({ cluster: { database }, ms }) => {
      await database.freeze();
      await pause(ms);
      await database.thaw();
    },
  },
  {
    name: "postgres connections cut",
    weight: 4,
    target: "postgres",
    run: ({ cluster: { database } }) => database.disconnectAll(),
  },
  {
    name: "long snapshot",
    weight: 2,
    target: "postgres",
    run: ({ cluster: { database }, ms }) => database.holdSnapshot(ms),
  },
  {
    name: "relay's locks lost",
    weight: 3,
    target: "postgres",
    run: ({ cluster: { database } }) => database.disconnectRelays(),
  },
  {
    name: "pgbouncer killed",
    weight: 4,
    target: "pgbouncer",
    isPossible: ({ bouncer }) => bouncer !== undefined,
    run: async ({ cluster: { bouncer }, ms }) => {
      await bouncer!.kill();
      await pause(ms / 4);
      await bouncer!.restart();
    },
  },
  {
    name: "disk full",
    weight: 2,
    target: "disk",
    isPossible: ({ data }) => data.canBeFull,
    run: async ({ cluster: { data }, ms }) => {
      await data.fill();
      await pause(ms);
      await data.free();
    },
  },
  { name: "judge hangs", weight: 3, target: "judge", run: judge("hangs") },
  { name: "judge late", weight: 2, target: "judge", run: judge("late") },
  { name: "judge dead", weight: 2, target: "judge", run: judge("dead") },
  {
    name: "network delayed",
    weight: 3,
    target: "process",
    run: network((proxy, dice) => proxy.delay(dice.between(20, 400))),
  },
  { name: "network cut", weight: 3, target: "process", run: network((proxy) => proxy.cut()) },
  { name: "network half-open", weight: 2, target: "process", run: network((proxy) => proxy.silence()) },
];

/** A fault that has been chosen. */
export interface ChosenFault {
  readonly kind: string;
  /** With the process that it is about. */
  readonly name: string;
  /** When it begins, after the start of the round. */
  readonly afterMs: number;
  run(cluster: Cluster): Promise<void>;
}

interface RoundOptions {
  /** How many faults. */
  readonly count: number;
  /** How long the round's faults may begin, and how long each may last: most are short. */
  readonly withinMs: number;
  readonly lastsMs: readonly [min: number, max: number];
  readonly names?: readonly string[];
}

/** Chooses the faults of a round, so that no two damage the same thing. */
export function chooseFaults(cluster: Cluster, dice: Dice, options: RoundOptions): ChosenFault[] {
  const { count, withinMs, lastsMs, names } = options;
  const available = faults.filter(
    ({ name, isPossible }) => (!names || names.includes(name)) && (isPossible?.(cluster) ?? true),
  );
  const taken = new Set<string>();
  const chosen: ChosenFault[] = [];
  for (let tries = 0; chosen.length < count && tries < count * 10; tries += 1) {
    const fault = dice.weighted(available);
    const [node, ms, afterMs, own] = [
      dice.pick(cluster.nodes),
      dice.spread(...lastsMs),
      dice.between(0, withinMs),
      dice.fork(),
    ];
    const target = fault.target === "process" ? node.name : fault.target;
    if (taken.has(target)) continue;
    taken.add(target);
    chosen.push({
      kind: fault.name,
      name: fault.target === "process" ? `${fault.name} (${node.name})` : fault.name,
      afterMs,
      run: async (all) => {
        await pause(afterMs);
        await fault.run({ cluster: all, node, dice: own, ms });
      },
    });
  }
  return chosen.sort((a, b) => a.afterMs - b.afterMs);
}
