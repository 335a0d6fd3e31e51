import type { Hub, HubTx } from "#shared/extension/hub.ts";
import { assert } from "#shared/kernel/assert.ts";

/** What hubs offer, for an extension by its name. It uses our tables, so it loads after the extensions. */
export type Ports = { readonly [Port in keyof Hub]: (name: string, ...given: Parameters<Hub[Port]>) => unknown } & {
  readonly txOf: (name: string, tx: never) => HubTx;
};

let ports: Ports | undefined;

/** Called at the start, once our tables have loaded. */
export function bindPorts(bound: Ports): void {
  ports = bound;
}

/** Returns the ports. @throws Error while extensions load */
export function boundPorts(): Ports {
  assert(ports, "the service offers nothing until it runs");
  return ports;
}

const names = [
  ...([
    "query",
    "transaction",
    "setting",
    "users",
    "room",
    "lobby",
    "isInRoom",
    "gifts",
    "giftTotals",
    "areBlocked",
  ] as const),
  ...(["now", "newId", "error", "log"] as const),
];

/** Returns the hub of an extension. */
export const makeHub = (name: string): Hub =>
  Object.fromEntries(
    names.map((port) => [
      port,
      (...given: unknown[]) => (boundPorts()[port] as (name: string, ...given: unknown[]) => unknown)(name, ...given),
    ]),
  ) as unknown as Hub;
