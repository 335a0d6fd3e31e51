import type { ActorKind, Connection } from "#shared/contracts/actors.ts";
import type { Principal } from "#shared/contracts/principal.ts";
import { traced } from "#shared/kernel/tracing.ts";

/** A request to an actor: plain data, so that it can come from another process. */
export interface Command {
  readonly principal: Principal;
  readonly action: string;
  /** Checked by the caller, by the action's schema. */
  readonly input: unknown;
  readonly connection?: Connection;
  /** The caller's trace, if it comes from another process. */
  readonly traceparent?: string;
}

/**
 * How long a caller's command may take until its turn begins. Later, it is dropped rather than executed: less than what a
 * caller in another process waits for the answer (`directory.ts`), with time for the turn itself.
 */
export const patienceMs = 4000;

/** Performs a command as a part of its caller's trace. */
export const tracedCommand = <T>(
  { kind, roomId }: { readonly kind: ActorKind; readonly roomId: string },
  { action, traceparent }: Command,
  perform: () => Promise<T>,
): Promise<T> => traced(`${kind} ${action}`, { attributes: { "hubbub.actor_id": roomId }, traceparent }, perform);
