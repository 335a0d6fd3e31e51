import { onActorPool } from "#shared/db/sequelize.ts";
import type { DomainError } from "#shared/kernel/domain-error.ts";
import { engine } from "../engine.ts";
import { toActionError } from "./failures.ts";

interface RefusingActor {
  readonly roomId: string;
  /** Whether no other actor has claimed what this one owns. */
  isNewest(): Promise<boolean>;
}

/**
 * Returns what the caller of an actor that refuses an action is told; undefined if a newer actor has to decide. An
 * actor that was cut off for a while doesn't know of its successor until it writes, and would refuse what the successor
 * has already done.
 */
export async function refusalOf(
  actor: RefusingActor,
  failure: DomainError,
  action: string,
): Promise<DomainError | undefined> {
  if (failure.code === "ENGINE_UNAVAILABLE" || !engine().directory.isShared) return failure;
  try {
    return (await onActorPool(() => actor.isNewest())) ? failure : undefined;
  } catch (error) {
    return toActionError(error, { action, roomId: actor.roomId });
  }
}
