import type { Connection } from "#shared/contracts/actors.ts";
import type { Principal } from "#shared/contracts/principal.ts";

/** A request to an actor: plain data, so that it can come from another process. */
export interface Command {
  readonly principal: Principal;
  readonly action: string;
  /** Checked by the caller, by the action's schema. */
  readonly input: unknown;
  readonly connection?: Connection;
}

/**
 * How long a caller's command may take until its turn begins. Later, it is dropped rather than executed: less than what a
 * caller in another process waits for the answer (`directory.ts`), with time for the turn itself.
 */
export const patienceMs = 4000;
