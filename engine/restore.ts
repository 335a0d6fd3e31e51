import pLimit from "p-limit";
import type { ActorKind } from "#shared/contracts/actors.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { logger } from "#shared/kernel/logger.ts";
import type { Directory } from "./core/directory.ts";
import { actorKinds } from "./kinds.ts";

/** Actors that are restored side by side. More would hold up those who ask for one meanwhile. */
const restoredAtOnce = 50;

/**
 * Creates actors again that ended without reporting it. Those that are asked for meanwhile don't wait for the others.
 */
export class Restorer {
  readonly #directory: Directory;
  readonly #limit = pLimit(restoredAtOnce);
  #stopped = false;
  /** What has been added and isn't restored. */
  readonly #working = new Set<Promise<unknown>>();

  constructor(directory: Directory) {
    this.#directory = directory;
  }

  /** Restores what this process or others left when they died, as the database has it. */
  addStored(): void {
    const kinds = Object.entries(actorKinds) as [ActorKind, (typeof actorKinds)[ActorKind]][];
    for (const [kind, { idsToRestore }] of kinds)
      if (idsToRestore)
        this.#also(
          idsToRestore().then(
            (ids) => this.add(kind, ids),
            (error: unknown) => logger.error({ err: error, kind }, "actors were not made again"),
          ),
        );
  }

  /** Restores these actors, whose process has died. Returns those of them for which nothing is left to do. */
  async add(kind: ActorKind, ids: readonly string[]): Promise<string[]> {
    const restoring = Promise.all(ids.map((id) => this.#limit(() => this.#restore(kind, id))));
    this.#also(restoring);
    const done = await restoring;
    return ids.filter((_, index) => done[index]);
  }

  /** Begins no other. Resolves when those in progress are restored. */
  async stop(): Promise<void> {
    this.#stopped = true;
    while (this.#working.size > 0) await Promise.all(this.#working);
  }

  /** Returns whether the actor is there, or can't exist any more. */
  async #restore(kind: ActorKind, id: string): Promise<boolean> {
    if (this.#stopped) return false;
    try {
      await this.#directory.ensure(kind, id);
      return true;
    } catch (error) {
      logger.warn({ err: error, kind, id }, "an actor was not made again");
      return error instanceof DomainError && error.code !== "ENGINE_UNAVAILABLE";
    }
  }

  #also(work: Promise<unknown>): void {
    const working = work.finally(() => this.#working.delete(working));
    this.#working.add(working);
  }
}
