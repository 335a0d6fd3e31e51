import { jobConnections } from "#shared/db/jobs.ts";
import { poolSizes } from "#shared/db/pools.ts";
import type { Role } from "./environment.ts";

/** The connections that a process opens at most. */
interface ConnectionCounts {
  /** Those that can pass a pooler. */
  readonly pools: number;
  /** Those that keep something: LISTEN, and the locks of the relay. */
  readonly direct: number;
}

/** Returns how many connections a process with these roles opens at most. */
export function connectionCounts(roles: readonly Role[]): ConnectionCounts {
  const { calls, shared, actors, relay, background } = poolSizes;
  const hosts = roles.includes("engine");
  return {
    pools:
      calls +
      shared +
      (hosts ? actors + relay : 0) +
      (roles.includes("jobs") ? jobConnections.work + background : jobConnections.ask),
    direct: hosts ? 2 : 1,
  };
}
