import pLimit from "p-limit";
import type { ActorKind } from "#shared/contracts/actors.ts";
import { logger } from "#shared/kernel/logger.ts";
import type { Directory } from "./core/directory.ts";
import { actorKinds } from "./kinds.ts";

/** Creates the actor of a room again whose process has died, so that its members can go on. */
export async function ensureRoom(directory: Directory, id: string): Promise<void> {
  await directory
    .ensure("voice_room", id)
    .catch((error: unknown) => logger.warn({ err: error, id }, "an actor was not made again"));
}

/** Actors that are restored side by side. More would hold up those who ask for one meanwhile. */
const restoredAtOnce = 50;

export interface Restoring {
  /** Resolves when those in progress are restored. */
  stop(): Promise<void>;
}

/** Creates the actors again that ended without reporting it. Those that are asked for meanwhile don't wait for the others. */
export function restore(directory: Directory): Restoring {
  const limit = pLimit(restoredAtOnce);
  let stopped = false;
  const restoreOne = async (kind: ActorKind, id: string) => {
    try {
      if (!stopped) await directory.ensure(kind, id);
    } catch (error) {
      logger.warn({ err: error, kind, id }, "an actor was not made again");
    }
  };
  const restoreKind = async ([kind, { idsToRestore }]: [ActorKind, (typeof actorKinds)[ActorKind]]) => {
    const ids = (await idsToRestore?.()) ?? [];
    await Promise.all(ids.map((id) => limit(restoreOne, kind, id)));
  };
  const kinds = Object.entries(actorKinds) as [ActorKind, (typeof actorKinds)[ActorKind]][];
  const done = Promise.all(kinds.map(restoreKind)).catch((error: unknown) =>
    logger.error({ err: error }, "actors were not made again"),
  );
  return {
    stop: async () => {
      stopped = true;
      await done;
    },
  };
}
