import { randomInt } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { OperatorError } from "#shared/kernel/operator-error.ts";
import { say } from "../report.ts";
import { scenarios } from "../scenarios/scenarios.ts";
import type { Pace } from "./messages.ts";
import { assertOwnHost } from "./own-host.ts";
import { loadPeople, type Person, registerPeople } from "./people.ts";
import { Progress } from "./progress.ts";
import { machine, operationsOf, type Result } from "./result.ts";
import type { Door, Scenario } from "./scenario.ts";
import { dueSeconds, type Profile } from "./schedule.ts";
import { ServerFigures } from "./server-figures.ts";
import { type Mix, type Stage, stageClient } from "./stage.ts";
import { Sum } from "./tally.ts";
import type { Target } from "./target.ts";
import { judgeAll, type Threshold } from "./thresholds.ts";
import { Timeline } from "./timeline.ts";
import { now } from "./times.ts";
import { Workforce } from "./workforce.ts";

export interface RunOptions {
  readonly url?: string | undefined;
  readonly start?: boolean | undefined;
  readonly yesLoadThisHost?: boolean | undefined;
  readonly metricsUrl?: string | undefined;
  readonly door?: Door | undefined;
  readonly clients?: number | undefined;
  readonly rooms?: number | undefined;
  readonly rate?: number | undefined;
  readonly ramp: number;
  readonly seconds: number;
  readonly workers: number;
  readonly timeout: number;
  readonly seed?: number | undefined;
  readonly tokenFile?: string | undefined;
  readonly threshold: readonly Threshold[];
  readonly mix: Mix;
}

/** A run as it was asked for, complete. */
interface Plan {
  readonly name: string;
  readonly scenario: Scenario;
  readonly door: Door;
  readonly clients: number;
  readonly rooms: number;
  readonly seed: number;
  readonly profile: Profile;
}

function planOf(name: string, options: RunOptions): Plan {
  const scenario = scenarios()[name]!;
  const { door = scenario.doors[0], rate = scenario.rate, workers } = options;
  if (!scenario.doors.includes(door))
    throw new OperatorError(`${name} makes no sense over ${door}. It knows: ${scenario.doors.join(", ")}.`);
  const wanted = Math.max(options.clients ?? scenario.clients, 2 * workers);
  const day = name === "mixed" ? options.mix.day : undefined;
  return {
    name,
    scenario,
    door,
    clients: wanted + (wanted % 2), // Some people come in pairs.
    rooms: Math.min(options.rooms ?? scenario.rooms, wanted),
    seed: options.seed ?? randomInt(1_000_000),
    profile: { rate, ramp: options.ramp, seconds: options.seconds, day },
  };
}

/**
 * Loads a service with a scenario. Ctrl-C ends it early, with its result.
 * @throws OperatorError for options that must be changed
 */
export async function run(name: string, options: RunOptions): Promise<Result> {
  const plan = planOf(name, options);
  if (!options.url === !options.start) throw new OperatorError("Give --url, or --start for a service of its own.");
  if (options.url && !options.yesLoadThisHost) await assertOwnHost(options.url);
  const target: Target = options.start
    ? await startTarget()
    : { url: new URL(options.url!).origin, stop: async () => {} };
  const undo: (() => Promise<unknown>)[] = [];
  try {
    const people = await peopleFor(plan, options, target);
    const stage: Stage = {
      url: target.url,
      rooms: plan.rooms,
      workers: options.workers,
      seed: plan.seed,
      arrivals: arrivalsOf(plan.profile),
      mix: options.mix,
      client: stageClient(target.url),
      ...(target.own && { own: target.own }),
      onEnd: (step) => void undo.push(step),
    };
    return await perform(plan, options, stage, people);
  } finally {
    await Promise.allSettled(undo.map((step) => step()));
    await target.stop();
  }
}

/** Only this loads the code of the service. */
const startTarget = async (): Promise<Target> => (await import("./target.ts")).startTarget();

const arrivalsOf = (profile: Profile): number => [...dueSeconds(profile)].length;

async function peopleFor(plan: Plan, options: RunOptions, target: Target): Promise<readonly Person[]> {
  if (options.tokenFile) return loadPeople(options.tokenFile, target.url, plan.clients);
  say(`${plan.clients} people for ${plan.name} (seed ${plan.seed})`);
  if (target.addPeople) return target.addPeople(plan.clients, plan.profile.ramp + plan.profile.seconds);
  return registerPeople(target.url, plan.clients);
}

/** The time between the start of the workers and the first arrival, so that all begin together. */
const leadMs = 200;

async function perform(plan: Plan, options: RunOptions, stage: Stage, people: readonly Person[]): Promise<Result> {
  const scene = (await plan.scenario.prepare?.(stage, people)) ?? null;
  const timeline = new Timeline(options.workers, new Progress(plan.profile.ramp + plan.profile.seconds));
  const workforce = new Workforce(options.workers, (tick) => timeline.add(tick));
  const server = new ServerFigures(options.metricsUrl ?? `${stage.url}/metrics`);
  const stopped = new AbortController();
  const stop = () => {
    if (stopped.signal.aborted) process.exit(130);
    say("\nStopping. Press Ctrl-C again to end without a result.");
    stopped.abort();
    workforce.stop();
  };
  process.on("SIGINT", stop);
  const watching = new AbortController();
  try {
    const { door, rooms, seed, profile, name } = plan;
    await workforce.prepare((worker) => ({
      scenario: name,
      crew: { url: stage.url, door, rooms, seed, worker, workers: options.workers, timeout: options.timeout * 1000 },
      people,
      scene,
      profile,
    }));
    const startMs = now() + leadMs;
    const watched = watch(server, startMs, watching.signal);
    const { notes, ...pace } = await workforce.load(startMs);
    const seconds = Math.min(profile.seconds, Math.max(0.001, (now() - startMs) / 1000 - profile.ramp));
    watching.abort();
    await watched;
    timeline.end();
    const { evidence, violations, totals } = await workforce.finish(notes);
    const found = { scene: scene as never, notes: notes as never[], evidence: evidence as never[] };
    const differences = (await plan.scenario.check?.(stage, people, found)) ?? [];
    const sum = new Sum();
    for (const total of totals) sum.add(total);
    const measured = { sum, seconds, timeline, server, pace, stopped: stopped.signal.aborted };
    return resultOf(plan, options, { ...measured, violations: [...violations, ...differences] });
  } finally {
    watching.abort();
    timeline.end();
    process.off("SIGINT", stop);
    workforce.close();
  }
}

/** The service has new figures once a second. */
const sampleMs = 1100;

/** Reads the figures of the service. */
async function watch(server: ServerFigures, startMs: number, signal: AbortSignal): Promise<void> {
  const hasMetrics = await server.sample(startMs);
  if (!hasMetrics) say("The service has no metrics at this address: see --metrics-url.");
  while (hasMetrics && !signal.aborted) {
    await pause(sampleMs, undefined, { signal }).catch(() => {});
    if (!signal.aborted) await server.sample(startMs);
  }
}

interface Measured {
  readonly sum: Sum;
  readonly seconds: number;
  readonly timeline: Timeline;
  readonly server: ServerFigures;
  readonly stopped: boolean;
  readonly violations: readonly string[];
  readonly pace: Pace;
}

/** Why a worker didn't even call: all others were busy with the call before. */
const ownCodes = new Set(["NOT_SENT", "NO_TABLE_READY", "STILL_AWAY", "STILL_JOINING"]);
const isOfService = (codes: object): boolean => Object.keys(codes).some((code) => !ownCodes.has(code));

function resultOf(plan: Plan, options: RunOptions, measured: Measured): Result {
  const { sum, seconds, timeline, server, stopped, violations, pace } = measured;
  const operations = operationsOf(sum, seconds);
  const due = [...dueSeconds(plan.profile)].filter((at) => at >= plan.profile.ramp).length;
  const arrivals = { due, done: pace.begun, perSecond: pace.begun / seconds, lateMs: pace.lateMs };
  const thresholds = judgeAll(options.threshold, { operations, arrivals });
  // A run in which nothing succeeded shows nothing.
  const useless = Object.entries(operations).filter(([, { count, codes }]) => count === 0 && isOfService(codes));
  const broken = [...violations, ...useless.map(([name]) => `No ${name} succeeded`)];
  const { clients, rooms, seed, door, profile } = plan;
  return {
    version: 1,
    scenario: plan.name,
    startedAt: new Date().toISOString(),
    options: { door, clients, rooms, seed, ...profile, workers: options.workers, url: options.url ?? "started" },
    machine: machine(),
    seconds,
    stopped,
    arrivals,
    operations,
    timeline: timeline.seconds,
    server: server.samples,
    thresholds,
    violations: broken,
    passed: broken.length === 0 && thresholds.every(({ kept }) => kept),
  };
}
