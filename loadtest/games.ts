import { setTimeout as pause } from "node:timers/promises";
import * as hdr from "hdr-histogram-js";
import type { Session } from "#shared/contracts/views/game-views.ts";
import { newId } from "#shared/kernel/ids.ts";
import { beginGame, connect, mapConcurrently, type Table } from "./game-tables.ts";
import { type Buckets, bucketsOf, quantileOf } from "./metrics.ts";
import { printTable, say } from "./report.ts";
import { register, type Service, startService } from "./service.ts";

interface Options {
  games: number;
  seconds: number;
  rounds: number;
}

const playersEach = 2;
const warmUpSeconds = 3;
const mailboxWait = "hubbub_actor_mailbox_wait_seconds";

/** Counters of the current round. */
interface Tally {
  readonly histogram: hdr.Histogram;
  actions: number;
}

/**
 * Plays concurrent games of memory as fast as the rules allow: each player flips a random face-down card as soon as the
 * previous flip is acknowledged. Cards that don't match stay face up for two seconds.
 */
export async function games(options: Options): Promise<void> {
  const service = await startService();
  try {
    printTable((await measureRounds(service, options)).map(toRow));
  } finally {
    await service.stop();
  }
}

async function measureRounds(service: Service, { games: count, seconds, rounds }: Options): Promise<Measured[]> {
  const people = await register(service, count * playersEach);
  const seats = await mapConcurrently(people, 20, (person) => connect(service, person));
  const pairs = Array.from({ length: count }, (_, index) =>
    seats.slice(index * playersEach, (index + 1) * playersEach),
  );
  const histogram = hdr.build({ lowestDiscernibleValue: 1, highestTrackableValue: 60_000_000 });
  const tally: Tally = { histogram, actions: 0 };
  let stopped = false;
  const playing: Promise<void>[] = [];
  await mapConcurrently(pairs, 10, async (pair) => {
    const table = await beginGame(service, "memory", pair);
    playing.push(play(table, tally, () => stopped));
  });
  say(`${count} games of memory, ${playersEach} players each, over Socket.IO; ${seconds} s per round`);
  await pause(warmUpSeconds * 1000);
  const measured: Measured[] = [];
  for (let round = 0; round < rounds; round += 1) measured.push(await measure(service, tally, seconds));
  stopped = true;
  for (const { socket } of seats) socket.disconnect();
  await Promise.all(playing);
  return measured;
}

const closedCards = ({ board }: Session): number[] =>
  (board as { cards: { card: number; state: string }[] }).cards
    .filter(({ state }) => state === "closed")
    .map(({ card }) => card);

async function play(table: Table, tally: Tally, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const state = await Promise.race([
      table.until(({ turn, status }) => turn !== null || status !== "active"),
      new Promise<undefined>((resolve) => table.seats[0]!.socket.once("disconnect", () => resolve(undefined))),
    ]);
    if (!state?.turn) return;
    const closed = closedCards(state);
    const card = closed[Math.floor(Math.random() * closed.length)]!;
    const sentMs = performance.now();
    try {
      const answer = await table.act(table.seatOf(state.turn.user_id), { kind: "flip", card }, newId());
      if (!answer.success) throw new Error(`flip failed: ${answer.error?.code}`);
    } catch (error) {
      if (isOver()) return;
      throw error;
    }
    tally.actions += 1;
    tally.histogram.recordValue(Math.max(1, Math.round((performance.now() - sentMs) * 1000)));
  }
}

interface Measured {
  readonly actionsPerSecond: number;
  readonly cpuMsPerAction: number;
  readonly p50: number;
  readonly p99: number;
  readonly wait: Buckets;
}

async function measure(service: Service, tally: Tally, seconds: number): Promise<Measured> {
  const look = async () => ({
    cpu: await service.cpuSeconds(),
    wait: await bucketsOf(service, mailboxWait),
    ms: performance.now(),
  });
  const before = await look();
  tally.histogram.reset();
  tally.actions = 0;
  await pause(seconds * 1000);
  const { actions } = tally;
  const after = await look();
  const at = (percentile: number) => tally.histogram.getValueAtPercentile(percentile) / 1000;
  return {
    actionsPerSecond: (actions * 1000) / (after.ms - before.ms),
    cpuMsPerAction: ((after.cpu - before.cpu) * 1000) / actions,
    p50: at(50),
    p99: at(99),
    wait: new Map([...after.wait].map(([bound, seen]) => [bound, seen - (before.wait.get(bound) ?? 0)])),
  };
}

const toRow = ({ actionsPerSecond, cpuMsPerAction, p50, p99, wait }: Measured) => ({
  "actions/s": actionsPerSecond.toFixed(0),
  "p50 ms": p50.toFixed(1),
  "p99 ms": p99.toFixed(1),
  "CPU ms per action": cpuMsPerAction.toFixed(2),
  "mailbox wait p50 ms": `≤ ${quantileOf(wait, 0.5) * 1000}`,
  "mailbox wait p99 ms": `≤ ${quantileOf(wait, 0.99) * 1000}`,
});
