import pLimit from "p-limit";
import type { ActorKind } from "#shared/contracts/actors.ts";
import { logger } from "#shared/kernel/logger.ts";
import type { Directory } from "./core/directory.ts";
import { actorKinds } from "./kinds.ts";

/** Actors that are restored side by side. More would hold up those who ask for one meanwhile. */
const restoredAtOnce = 50;

/** Creates actors again that ended without reporting it. Those that are asked for meanwhile don't wait for the others. */
export class Restorer {
  readonly #directory: Directory;
  readonly #limit = pLimit(restoredAtOnce);
  #stopped = false;
  /** Resolves when all that have been added so far are restored. */
  #done: Promise<unknown> = Promise.resolve();

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

  /** Restores these actors, whose process has died. */
  add(kind: ActorKind, ids: readonly string[]): void {
    for (const id of ids) this.#also(this.#limit(() => this.#restore(kind, id)));
  }

  /** Begins no other. Resolves when those in progress are restored. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#done;
  }

  async #restore(kind: ActorKind, id: string): Promise<void> {
    try {
      if (!this.#stopped) await this.#directory.ensure(kind, id);
    } catch (error) {
      logger.warn({ err: error, kind, id }, "an actor was not made again");
    }
  }

  #also(work: Promise<unknown>): void {
    this.#done = Promise.all([this.#done, work]);
  }
}
