import { query } from "#shared/db/query.ts";
import { openDatabase } from "#shared/db/sequelize.ts";
import { configureAuditSigning, deriveAuditSecret } from "#shared/domain/operations/admins/signed-heads.ts";
import { printTable, say } from "../report.ts";
import { rowKinds } from "./acts.ts";
import { Cluster, jwtSecret } from "./cluster.ts";
import { DamagedNetwork } from "./damaged-network.ts";
import { Dice } from "./dice.ts";
import { chooseFaults } from "./faults.ts";
import { drainHeld } from "./held.ts";
import type { RowKind } from "./journal.ts";
import { populate } from "./populate.ts";
import { playRound } from "./round.ts";
import { drainUploads, isOver } from "./uploads.ts";
import type { World } from "./world.ts";

export interface ChaosOptions {
  /** How many faults. */
  readonly kills: number;
  readonly seed?: number;
  /** How many processes; by default two to four. */
  readonly processes?: number;
  readonly rooms: number;
  readonly people: number;
  /** The most faults of a round. */
  readonly perRound: number;
  /** How long a round's faults begin, and how long each lasts at most, seconds. */
  readonly seconds: number;
  readonly longest: number;
  /** How long after the last fault of a round every process must serve again, seconds. */
  readonly servesWithin: number;
  /** Only these faults, separated by commas. */
  readonly only?: string;
  /** Whether processes reach PostgreSQL by PgBouncer, which is killed, too. */
  readonly pgbouncer?: boolean;
  /** Whether PostgreSQL and Redis have replicas, which take their places. */
  readonly replicated?: boolean;
}

/**
 * Damages a service of several processes at random while random clients use it, and compares after each round what they
 * were told with what is stored. Stops at the first difference. The seed repeats all choices, but not the timing of the
 * machine.
 */
export async function chaos(options: ChaosOptions): Promise<void> {
  const seed = options.seed ?? Date.now() % 1_000_000;
  const dice = new Dice(seed);
  const only = options.only?.split(",");
  const diskMayBeFull = only?.includes("disk full") ?? true;
  const { processes: count, pgbouncer: behindPgBouncer = false, replicated: isReplicated = false } = options;
  const cluster = await Cluster.start(dice, { count, diskMayBeFull, behindPgBouncer, isReplicated });
  const own = await DamagedNetwork.start(() => cluster.database.port);
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => void cluster.stop().finally(() => process.exit(130)));
  try {
    await openDatabase(Object.assign(new URL(cluster.database.url), { port: `${own.port}` }).href);
    configureAuditSigning({ secrets: [deriveAuditSecret(jwtSecret)], folder: cluster.data.folder });
    const world = await populate(cluster, dice, { rooms: options.rooms, perRoom: options.people });
    say(`Seed ${seed}: ${cluster.nodes.length} processes, ${world.people.length} people in ${options.rooms} rooms.`);

    const played = await playRounds(world, dice, options);
    report(world, played);
    if (!played.isWhole) {
      say(`To repeat its choices: --seed ${seed}. The logs are in ${await cluster.keepLogs()}.`);
      process.exitCode = 1;
    }
    for (const person of world.people) person.disconnect();
  } finally {
    await own.stop();
    await cluster.stop();
  }
}

/** How long after the last round nothing may wait any more. */
const drainWithinMs = 120_000;
/** A run of so many faults has done everything. */
const longRun = 100;

interface Played {
  readonly isWhole: boolean;
  /** How often each fault happened. */
  readonly faults: ReadonlyMap<string, number>;
  /** The longest time until every process served again, milliseconds. */
  readonly slowestMs: number;
}

async function playRounds(world: World, dice: Dice, options: ChaosOptions): Promise<Played> {
  const faults = new Map<string, number>();
  let [done, slowestMs, isWhole] = [0, 0, true];
  for (let round = 1; done < options.kills && isWhole; round += 1) {
    const chosen = chooseFaults(world.cluster, dice, {
      count: Math.min(dice.between(1, options.perRound), options.kills - done),
      withinMs: options.seconds * 1000,
      lastsMs: [200, options.longest * 1000],
      ...(options.only && { names: options.only.split(",") }),
    });
    const startedMs = performance.now();
    const { differences, servedAfterMs } = await playRound(world, chosen, {
      actMs: options.seconds * 1000,
      servesWithinMs: options.servesWithin * 1000,
    });

    done += chosen.length;
    for (const { kind } of chosen) faults.set(kind, (faults.get(kind) ?? 0) + 1);
    slowestMs = Math.max(slowestMs, servedAfterMs);
    isWhole = differences.length === 0;
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
    say(
      `${`${done}`.padStart(5)} of ${options.kills}  round ${round}, ${seconds} s: ${chosen.map(({ name }) => name).join(", ")}. ` +
        `${world.journal.acknowledged} writes acknowledged; all served after ${(servedAfterMs / 1000).toFixed(1)} s.`,
    );
    for (const difference of differences) say(`✗ ${difference}`);
  }
  const idle = done < longRun ? [] : idleKinds(world).map((name) => `No ${name} were acknowledged.`);
  const waiting = isWhole ? [...idle, ...(await drain(world))] : [];
  for (const difference of waiting) say(`✗ ${difference}`);
  return { isWhole: isWhole && waiting.length === 0, faults, slowestMs };
}

const drain = async (world: World): Promise<string[]> => [
  ...(await drainHeld(world, query, drainWithinMs)),
  ...(await drainUploads(world, query, drainWithinMs)),
];

/** The kinds of rows of which none was acknowledged: what all are refused proves nothing. */
const idleKinds = ({ journal, people }: World): string[] => [
  ...Object.values<RowKind>(rowKinds)
    .filter((kind) => !journal.entries.some((entry) => entry.kind === kind && entry.id !== undefined))
    .map(({ name }) => name),
  ...(people.some(({ uploads }) => uploads.some(isOver)) ? [] : ["uploads"]),
];

function report({ journal }: World, { isWhole, faults, slowestMs }: Played): void {
  printTable([...faults].map(([fault, times]) => ({ fault, times })));
  printTable([...journal.codes].sort(([, a], [, b]) => b - a).map(([outcome, times]) => ({ outcome, times })));
  const total = [...faults.values()].reduce((sum, times) => sum + times, 0);
  say(
    isWhole
      ? `${total} faults in a row, and nothing was noticed. ${journal.acknowledged} writes were acknowledged. The slowest recovery took ${(slowestMs / 1000).toFixed(1)} s.`
      : `Failed with the last of ${total} faults.`,
  );
}
