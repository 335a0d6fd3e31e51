import type { ActorKind, Connection } from "#shared/contracts/actors.ts";
import type { Principal } from "#shared/contracts/principal.ts";
import { hooksOf } from "#shared/extension/hooks.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { traced } from "#shared/kernel/tracing.ts";
import { performHooked } from "./perform-hooked.ts";

/** A request to an actor: plain data, so that it can come from another process. */
export interface Command {
  readonly principal: Principal;
  readonly action: string;
  /** Checked by the caller, by the action's schema. */
  readonly input: unknown;
  readonly connection?: Connection;
  /** The kind of actor that it is for, if it comes from another process. */
  readonly kind?: ActorKind;
  /** The caller's trace, if it comes from another process. */
  readonly traceparent?: string;
}

/**
 * How long a caller's command may take until its turn begins. Later, it is dropped rather than executed: less than what
 * a caller in another process waits for the answer (`directory.ts`), with time for the turn itself.
 */
export const patienceMs = 4000;

/** A client may send the ID of a room in place of a game's ID: it then gets NOT_FOUND. */
export function assertKind(kind: ActorKind, found: string): void {
  if (found !== kind) throw new DomainError("NOT_FOUND");
}

/** Performs a command as a part of its caller's trace, with the hooks of what users do around it. */
export const tracedCommand = <T>(
  { kind, roomId }: { readonly kind: ActorKind; readonly roomId: string },
  command: Command,
  perform: (command: Command) => Promise<T>,
): Promise<T> => {
  const { action, traceparent, principal } = command;
  const hooks = principal.kind === "user" ? hooksOf(`action:${action}`) : undefined;
  return traced(`${kind} ${action}`, { attributes: { "hubbub.actor_id": roomId }, traceparent }, () =>
    hooks ? performHooked(hooks, { ...command, kind, id: roomId }, perform) : perform(command),
  );
};
