import type { Actors } from "#shared/contracts/actors.ts";

const outOfReach = { ok: false, code: "ENGINE_UNAVAILABLE", message: "no engine in this test" } as const;

/** The `Actors` port without an engine: no actor can be reached. */
export const noEngine: Actors = {
  voice: async () => outOfReach,
  lobby: async () => outOfReach,
  game: async () => outOfReach,
  settleCounts: async () => {},
};
