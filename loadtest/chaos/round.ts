import { setTimeout as pause } from "node:timers/promises";
import { query } from "#shared/db/query.ts";
import { guestActs, hostActs, say } from "./acts.ts";
import { checkBooks, checkOrder, checkRows, checkValues, checkViews } from "./checks.ts";
import type { ChosenFault } from "./faults.ts";
import { checkGhosts } from "./ghosts.ts";
import { checkHeld, decide, decisionsMax, judgedActs } from "./held.ts";
import type { ServiceNode } from "./node.ts";
import type { Act, Person } from "./person.ts";
import { checkPlays } from "./plays.ts";
import { checkSales } from "./shop.ts";
import { checkStores } from "./stores.ts";
import { beginGames, checkGames } from "./table.ts";
import { renewTokens } from "./tokens.ts";
import type { World } from "./world.ts";

/**
 * In so many times what the processes have to serve again, clients have reconnected and everything that is late has
 * come.
 */
const settleShare = 2;

export interface RoundResult {
  /** What must not be, as sentences. */
  readonly differences: readonly string[];
  /** How long after the last fault the last process served again, milliseconds. */
  readonly servedAfterMs: number;
}

interface RoundOptions {
  /** How long people act, at least. */
  readonly actMs: number;
  /** How long after the last fault every process must serve again. */
  readonly servesWithinMs: number;
}

/** Lets people act amid faults, then waits until all is quiet, and compares. */
export async function playRound(
  world: World,
  chosen: readonly ChosenFault[],
  { actMs, servesWithinMs }: RoundOptions,
): Promise<RoundResult> {
  await renewTokens(world);
  await beginGames(world);
  // What waits of one person is bounded.
  await decide(world, decisionsMax);
  const over = new AbortController();
  const acting = Promise.all([
    ...world.people.map((person) => person.live(actsOf(person, world), over.signal)),
    world.desk.deliver(world, over.signal),
  ]);
  acting.catch(() => {}); // It is awaited later.
  await Promise.all([pause(actMs), ...chosen.map((fault) => fault.run(world.cluster))]);

  const healedMs = performance.now();
  const late = await untilServing(world, healedMs + servesWithinMs);
  const servedAfterMs = performance.now() - healedMs;
  over.abort();
  await acting;

  // What doesn't serve answers nothing.
  const differences = late.length > 0 ? late : await settle(world, servesWithinMs * settleShare);
  const faults = world.cluster.nodes.flatMap((node) => node.faults.splice(0));
  return { differences: [...differences, ...faults, ...world.faults.splice(0)], servedAfterMs };
}

function actsOf(person: Person, world: World): readonly Act[] {
  if (world.placeOf(person).isJudged) return judgedActs;
  return person.lastSeatLocked ? hostActs : guestActs;
}

/** Waits until each process answers for each room and is ready. Returns what doesn't. */
async function untilServing(world: World, deadlineMs: number): Promise<string[]> {
  const late = await Promise.all(
    world.cluster.nodes.map(async (node) => {
      let missing = await unserved(world, node);
      while (missing && performance.now() < deadlineMs) {
        await pause(200);
        missing = await unserved(world, node);
      }
      if (performance.now() > deadlineMs) missing ??= "it was late";
      return missing && [`${node.name} doesn't serve: ${missing}.`];
    }),
  );
  return late.flatMap((one) => one ?? []);
}

async function unserved(world: World, node: ServiceNode): Promise<string | undefined> {
  if (!node.service) return `it isn't running. ${node.startError.slice(-300)}`;
  const ready = await fetch(`${node.url}/readyz`, { signal: AbortSignal.timeout(3000) }).catch(() => undefined);
  if (ready?.status !== 200) return `it isn't ready (${ready ? await ready.text() : "no answer"})`;
  for (const { id, people } of world.places) {
    const outcome = await world.call(node, "get", `/rooms/${id}`, { token: people[0]!.account.token });
    if (outcome.kind !== "done") return `room ${id} answers ${outcome.code}`;
  }
  return undefined;
}

/** Brings everyone back, resolves what is open, and compares until nothing differs or the time is over. */
async function settle(world: World, withinMs: number): Promise<string[]> {
  const deadlineMs = performance.now() + withinMs;
  const open = await world.journal.settle(withinMs);
  if (open.length > 0)
    return [`${open.length} calls get no answer, such as ${open[0]!.kind.name} ${open[0]!.key}: ${open[0]!.unclear}.`];
  const unheard = await world.desk.deliverAll(world, deadlineMs);
  if (unheard.length > 0) return unheard;
  await arriveAll(world, deadlineMs);
  const probes = await Promise.all(world.places.map(({ people }) => say(people[0]!, world)));
  for (const probe of probes) if (!probe.id) return [`${probe.by} can't write: ${probe.refused ?? probe.unclear}.`];

  let differences = await compare(world);
  while (differences.length > 0 && performance.now() < deadlineMs) {
    await pause(200);
    await arriveAll(world, deadlineMs);
    differences = await compare(world);
  }
  if (differences.length > 0) return differences;
  const books = await checkBooks();
  await accept(world);
  return books;
}

async function arriveAll(world: World, deadlineMs: number): Promise<void> {
  await Promise.all(
    world.people.map(async (person) => {
      while (!(await person.arrive()) && performance.now() < deadlineMs) await pause(300);
    }),
  );
}

async function compare(world: World): Promise<string[]> {
  return [
    ...(await checkRows(world, query)),
    ...(await checkOrder(world, query)),
    ...(await checkValues(world, query)),
    ...(await checkSales(query)),
    ...(await checkHeld(query)),
    ...(await checkStores(world, query)),
    ...(await checkGames(world, query)),
    ...(await checkPlays(query)),
    ...(await checkViews(world, query)),
    ...(await world.cluster.store.asking((redis) => checkGhosts(world, query, redis))),
  ];
}

/** Takes what was compared as the beginning of the next round. */
async function accept(world: World): Promise<void> {
  for (const { register, sql, values } of world.stored) {
    const [row] = await query<{ value: boolean }>(`SELECT ${sql} AS value`, values);
    register.settle(row!.value);
  }
  for (const { id, people } of world.places) {
    const [last] = await query<{ id: string }>(
      "SELECT coalesce(max(id::text), '') AS id FROM room_messages WHERE room_id = $1",
      [id],
    );
    for (const { view } of people) view.verified(last!.id);
  }
  world.seen.forget();
}
