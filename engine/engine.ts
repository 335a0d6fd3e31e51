import type { IncomingMessage } from "node:http";
import type { EventCounter } from "./bridge/event-counter.ts";
import type { Fanout } from "./bridge/fanout.ts";
import type { PresenceTracker } from "./bridge/presence.ts";
import type { UserConnections } from "./bridge/user-connections.ts";
import type { Directory } from "./core/directory.ts";

/**
 * What actors need from outside. Colyseus creates them, so constructors can't receive it: `server.ts` sets it
 * once, before the first actor.
 */
export interface EngineContext {
  readonly directory: Directory;
  readonly fanout: Fanout;
  readonly presence: PresenceTracker;
  readonly events: EventCounter;
  readonly connections: UserConnections;
  readonly rateLimits: boolean;
  /** Returns the IP address that a connection comes from. */
  readonly addressOf: (req: IncomingMessage) => string;
}

let context: EngineContext | undefined;

export function setEngine(created: EngineContext): void {
  context = created;
}

export function engine(): EngineContext {
  if (!context) throw new Error("the engine is not started");
  return context;
}
