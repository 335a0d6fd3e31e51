import { type CircuitBreakerPolicy, CircuitState, ConsecutiveBreaker, circuitBreaker, handleWhen } from "cockatiel";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { logger } from "#shared/kernel/logger.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { within } from "#shared/kernel/within.ts";
import type { AfterHook, BeforeHook, Hooked } from "./define.ts";
import { isOn, type LoadedExtension, loadedExtensions } from "./loaded.ts";
import { blockedMaxMs, noteBlocking, switchedOffForBlocking, switchOffWhole } from "./watched.ts";

export type HookTarget = `${"operation" | "action"}:${string}`;

/** How long a hook may take unless it says so, milliseconds. */
export const hookDeadlineMs = 200;
/** After how many failures in a row a hook is switched off, and for how long, milliseconds. */
const [failuresMax, pauseMs] = [5, 30_000];
/** The most runs of a hook after calls that are under way. Further ones are left out. */
const underWayMax = 100;

/** A hook with its breaker. */
export interface GuardedHook {
  /** `red_packets before operation:sendGift` */
  readonly name: string;
  readonly isOn: () => boolean;
  readonly failure: BeforeHook["failure"];
  readonly deadlineMs: number;
  readonly run: (hooked: Hooked & { readonly result?: unknown }) => unknown;
  readonly breaker: CircuitBreakerPolicy;
  readonly seconds: { observe(value: number): void };
  underWay: number;
}

export type HookPlan = Pick<GuardedHook, "name" | "isOn" | "failure" | "run"> & {
  readonly deadlineMs?: number | undefined;
};

/** Returns a hook with a breaker of its own. What it refuses is no failure. */
export const guarded = (plan: HookPlan): GuardedHook => ({
  ...plan,
  deadlineMs: plan.deadlineMs ?? hookDeadlineMs,
  breaker: circuitBreaker(
    handleWhen((error) => !(error instanceof DomainError)),
    { halfOpenAfter: pauseMs, breaker: new ConsecutiveBreaker(failuresMax) },
  ),
  seconds: metrics.hooks.labels({ hook: plan.name }),
  underWay: 0,
});

export interface HooksOfTarget {
  readonly before: readonly GuardedHook[];
  readonly after: readonly GuardedHook[];
}
type Moment = keyof HooksOfTarget;
export type PlacedHook = readonly [moment: Moment, target: HookTarget, hook: GuardedHook];

let targets: ReadonlySet<string> = new Set();

/** Sets what can have hooks. Called at the start. */
export function setHookTargets(known: ReadonlySet<string>): void {
  targets = known;
}

export const isHookTarget = (target: string): boolean => targets.has(target);

let ofExtensions: readonly PlacedHook[] | undefined;
let overHttp: readonly PlacedHook[] = [];
let byTarget: ReadonlyMap<string, HooksOfTarget> | undefined;

function hooksOfExtension({ parts, ...extension }: LoadedExtension): PlacedHook[] {
  const { name } = extension;
  const on = () => isOn({ parts, ...extension });
  const placed = (moment: Moment, target: HookTarget, plan: Pick<HookPlan, "failure" | "run" | "deadlineMs">) =>
    [moment, target, guarded({ ...plan, name: `${name} ${moment} ${target}`, isOn: on })] as const;
  return (["operation", "action"] as const).flatMap((kind) => [
    ...Object.entries(parts.before?.[`${kind}s`] ?? {}).map(([of, hook]) => placed("before", `${kind}:${of}`, hook)),
    ...Object.entries(parts.after?.[`${kind}s`] ?? {}).map(([of, run]: [string, AfterHook]) =>
      placed("after", `${kind}:${of}`, { failure: "open", run: run as HookPlan["run"], deadlineMs: 5000 }),
    ),
  ]);
}

/** Replaces the hooks that are servers of the operator. Called when they are read. */
export function setHttpHooks(hooks: readonly PlacedHook[]): void {
  overHttp = hooks;
  byTarget = undefined;
}

function placedHooks(): readonly PlacedHook[] {
  ofExtensions ??= loadedExtensions.flatMap(hooksOfExtension);
  return [...ofExtensions, ...overHttp];
}

/** Returns the hooks of an operation or an action; undefined if there are none. */
export function hooksOf(target: HookTarget): HooksOfTarget | undefined {
  byTarget ??= new Map(
    [...Map.groupBy(placedHooks(), ([, of]) => of)].map(([of, hooks]) => {
      const at = (moment: Moment) => hooks.filter(([one]) => one === moment).map(([, , hook]) => hook);
      return [of, { before: at("before"), after: at("after") }];
    }),
  );
  return byTarget.get(target);
}

/** Returns the targets of all hooks, and whose they are, to compare them with what exists. */
export const hookedTargets = (): { readonly target: HookTarget; readonly by: string }[] =>
  placedHooks().map(([, target, { name }]) => ({ target, by: name.split(" ")[0]! }));

/** Returns the names of the hooks, and of other parts of extensions, that are switched off in this process. */
export const hooksSwitchedOff = (): string[] => [
  ...placedHooks().flatMap(([, , { name, breaker }]) =>
    breaker.state === CircuitState.Open || breaker.state === CircuitState.Isolated ? [name] : [],
  ),
  ...switchedOffForBlocking(),
];

/**
 * Switches an extension off in this process, which it has blocked after it had waited: which part did isn't known.
 */
export function switchOffExtension(name: string): void {
  if (!switchOffWhole(name)) return;
  logger.error({ extension: name }, "an extension blocked this process, and is switched off in it");
  for (const [, , hook] of placedHooks()) if (hook.name.startsWith(`${name} `)) hook.breaker.isolate();
}

/**
 * Runs the hooks before a call or an action, in order. `apply` takes what a hook changes, and throws if that doesn't
 * fit the schema; it returns the input that the next hook sees.
 * @throws what a hook refuses with, ENGINE_UNAVAILABLE if one with the failure `closed` fails
 */
export async function runBefore(
  hooks: readonly GuardedHook[],
  hooked: Hooked,
  apply: (changes: object) => Hooked["input"],
): Promise<void> {
  let { input } = hooked;
  const take = (changes: unknown) => {
    if (changes === undefined) return;
    if (typeof changes !== "object" || changes === null) throw new TypeError("it returned no object");
    input = applied(apply, changes);
  };
  for (const hook of hooks) {
    if (!hook.isOn()) continue;
    try {
      // Without a promise where a hook returns none: it would cost more than the hook.
      await hook.breaker.execute(() => {
        const changes = timed(hook, { ...hooked, input });
        return changes instanceof Promise ? changes.then(take) : take(changes);
      });
    } catch (error) {
      if (error instanceof DomainError) throw error;
      logger.warn({ err: error, hook: hook.name }, "a hook failed or is switched off");
      metrics.hookFailures.inc({ hook: hook.name });
      if (hook.failure === "closed") throw new DomainError("ENGINE_UNAVAILABLE");
    }
  }
}

/** What doesn't fit the schema is a failure of the hook, not of the caller. */
function applied(apply: (changes: object) => Hooked["input"], changes: object): Hooked["input"] {
  try {
    return apply(changes);
  } catch (error) {
    throw new TypeError(`it changed the input to what isn't valid: ${String(error)}`);
  }
}

/** Runs the hooks after a call or an action has succeeded. Nothing waits for them. */
export function runAfter(hooks: readonly GuardedHook[], hooked: Hooked & { readonly result: unknown }): void {
  for (const hook of hooks) {
    if (!hook.isOn()) continue;
    const fail = (error: unknown) => {
      logger.warn({ err: error, hook: hook.name }, "a hook failed or is switched off");
      metrics.hookFailures.inc({ hook: hook.name });
    };
    if (hook.underWay >= underWayMax) {
      fail(new Error("too many of its runs are under way"));
      continue;
    }
    hook.underWay += 1;
    hook.breaker
      .execute(() => timed(hook, hooked))
      .catch(fail)
      .finally(() => {
        hook.underWay -= 1;
      });
  }
}

/** Runs a hook in its time. One that blocks can't be interrupted, but it doesn't come back. */
function timed(hook: GuardedHook, hooked: Hooked): unknown {
  const begin = performance.now();
  const end = () => hook.seconds.observe((performance.now() - begin) / 1000);
  let returned: unknown;
  try {
    returned = hook.run(hooked);
  } catch (error) {
    end();
    throw error;
  }
  const blockedMs = performance.now() - begin;
  if (blockedMs > blockedMaxMs) {
    hook.breaker.isolate();
    noteBlocking(hook.name);
  }
  const late = () => `it took longer than ${hook.deadlineMs} ms`;
  if (returned instanceof Promise) return within(Math.max(0, hook.deadlineMs - blockedMs), returned, late).finally(end);
  end();
  if (blockedMs > hook.deadlineMs) throw new Error(late());
  return returned;
}
