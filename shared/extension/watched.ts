import { DomainError } from "#shared/kernel/domain-error.ts";
import { logger } from "#shared/kernel/logger.ts";
import type { Parts } from "./define.ts";

/** What blocks the process for so long is switched off until the process starts again, milliseconds. */
export const blockedMaxMs = 1000;

/** The parts of extensions, and whole extensions, that have blocked this process, and are switched off in it. */
const blocking = new Set<string>();
/** When a part of an extension has blocked this process last, by the extension's name. */
const blockedAt = new Map<string, number>();

/** Returns what has blocked this process, and is switched off in it. */
export const switchedOffForBlocking = (): string[] => [...blocking];

const extensionOf = (part: string): string => part.split(" ", 1)[0]!;

/** Notes that a part of an extension, such as `red_packets route sendRedPacket`, has blocked the process. */
export function noteBlocking(part: string): void {
  blockedAt.set(extensionOf(part), performance.now());
}

/** For how long it is taken for a part's fault that the process was blocked, milliseconds. */
const knownMs = 10_000;

/**
 * Switches off an extension that has blocked this process, unless a part of it has just been switched off for that.
 * Returns whether it did.
 */
export function switchOffWhole(extension: string): boolean {
  const isKnown = performance.now() - (blockedAt.get(extension) ?? Number.NEGATIVE_INFINITY) < knownMs;
  if (!isKnown) blocking.add(extension);
  return !isKnown;
}

/**
 * Returns a function of an extension that is switched off once it has blocked the process. While it does, nothing can
 * stop it. What it does after it has waited isn't measured here: a thread watches that.
 */
export function watched<Work extends (...given: never[]) => unknown>(name: string, work: Work): Work {
  const extension = extensionOf(name);
  const watching = (...given: Parameters<Work>) => {
    if (blocking.has(name) || blocking.has(extension)) throw new DomainError("ENGINE_UNAVAILABLE");
    const begin = performance.now();
    try {
      return work(...given);
    } finally {
      if (performance.now() - begin > blockedMaxMs) {
        blocking.add(name);
        noteBlocking(name);
        logger.error({ part: name }, "a part of an extension blocked this process, and is switched off in it");
      }
    }
  };
  return watching as Work;
}

const each = <One>(rows: Readonly<Record<string, One>> | undefined, change: (row: One, name: string) => One) =>
  rows && Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, change(row, name)]));

/** Returns the parts of an extension, watched except for hooks, which have breakers. */
export function watchedParts(name: string, parts: Parts): Parts {
  const of = (what: string) => `${name} ${what}`;
  const { routes, actions, jobs, after } = parts;
  return {
    ...parts,
    ...(routes && { routes: routes.map((one) => ({ ...one, handler: watched(of(`route ${one.id}`), one.handler) })) }),
    ...(actions && {
      actions: each(actions, ({ prepare, decide, ...action }, key) => ({
        ...action,
        ...(prepare && { prepare: watched(of(`action ${key}`), prepare) }),
        decide: watched(of(`action ${key}`), decide),
      }))!,
    }),
    ...(jobs && { jobs: each(jobs, (job, key) => ({ ...job, run: watched(of(`job ${key}`), job.run) }))! }),
    ...(after?.events && {
      after: { ...after, events: each(after.events, (handle, key) => watched(of(`handler of ${key}`), handle))! },
    }),
  };
}
