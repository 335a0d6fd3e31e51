import { loadedExtensions, ownWorkload } from "#shared/extension/loaded.ts";
import type { Workload, WorkloadAnswer, WorkloadPerson } from "#shared/extension/workload.ts";
import type { SpawnedService } from "#shared/testing/spawned-service.ts";
import { brokenInvariants } from "../scenarios/workloads.ts";
import type { Entry, Outcome } from "./journal.ts";
import type { Act, Person } from "./person.ts";
import type { World } from "./world.ts";

interface Play {
  readonly name: string;
  readonly workload: Workload;
  /** What the people of each room remember. */
  readonly places: Map<string, unknown>;
}

const plays: readonly Play[] = loadedExtensions.flatMap(({ name, parts }) =>
  Object.entries(parts.workloads ?? {}).map(([key, workload]) => ({
    ...{ name: ownWorkload(name, key), workload, places: new Map() },
  })),
);

/** Funds and configures the extensions at a process that is well. */
export async function preparePlays(service: SpawnedService, token: string, giftId: string): Promise<void> {
  const admin = async (method: string, path: string, body: object) => {
    const answer = await service.call(method, `/admin${path}`, { token, body });
    if (!answer.body.success) throw new Error(`${path} answered ${JSON.stringify(answer.body)}`);
    return answer.body.data;
  };
  for (const { workload } of plays) await workload.prepare?.({ admin, giftId });
}

const answerOf = (outcome: Outcome): WorkloadAnswer<never> =>
  outcome.kind === "done" ? { ok: true, data: outcome.data as never } : { ok: false, code: outcome.code };

type Give = (person: Person, world: World) => Promise<Entry>;

function playerOf(person: Person, world: World, give: Give): WorkloadPerson {
  const open = world.places.filter(({ isJudged }) => !isJudged);
  return {
    ...{ id: person.account.id, roomId: person.roomId, roomIds: open.map(({ id }) => id) },
    isHost: person.lastSeatLocked !== undefined,
    random: (below) => person.dice.between(0, below - 1),
    call: async (method, path, body) => {
      const isWrite = method !== "get";
      const headers = isWrite ? { "idempotency-key": world.newKey() } : undefined;
      return answerOf(await person.call(method, path, isWrite ? (body ?? {}) : undefined, headers));
    },
    // Gifts are in the journal.
    give: async () => {
      const { id, refused = "no answer" } = await give(person, world);
      return id === undefined ? { ok: false, code: refused } : { ok: true, data: { id } };
    },
    violation: (text) => world.fault(text),
  };
}

/** What people do with extensions. */
export const playActs = (give: Give): readonly Act[] =>
  plays.map(({ name, workload, places }) => ({
    ...{ name, weight: 2 },
    run: (person, world) => {
      const place = places.get(person.roomId) ?? workload.place();
      places.set(person.roomId, place);
      return workload.act(playerOf(person, world, give), place);
    },
  }));

/** What the extensions promise holds. */
export async function checkPlays(rows: (sql: string) => Promise<readonly object[]>): Promise<string[]> {
  const broken: string[] = [];
  for (const { workload } of plays) broken.push(...(await brokenInvariants(workload, rows)));
  return broken;
}
