import { newKey } from "#shared/client/timing.ts";
import { loadedExtensions, ownWorkload } from "#shared/extension/loaded.ts";
import type { Workload, WorkloadAnswer, WorkloadPerson } from "#shared/extension/workload.ts";
import { mapConcurrently } from "../game-tables.ts";
import type { Crew, Member } from "../tool/crew.ts";
import type { Play, Scenario } from "../tool/scenario.ts";
import { openRooms } from "../tool/stage.ts";
import { now } from "../tool/times.ts";
import { buyCoins, cheapestGift } from "./coins.ts";

interface Scene {
  readonly roomIds: readonly string[];
  readonly giftId: string;
}

/** What a person may spend in a run. */
const coinsEach = 1000;

/** Returns the workloads of this process's extensions as scenarios, by names such as `red_packets:sharing`. */
export const workloadScenarios = (): Record<string, Scenario> =>
  Object.fromEntries(
    loadedExtensions.flatMap(({ name, parts }) =>
      Object.entries(parts.workloads ?? {}).map(([key, workload]) => [ownWorkload(name, key), scenarioOf(workload)]),
    ),
  );

const scenarioOf = (workload: Workload): Scenario => ({
  description: workload.summary,
  doors: ["socket", "colyseus"],
  clients: 20,
  rate: 20,
  rooms: 2,
  prepare: async (stage, people) => {
    const roomIds = await openRooms(stage, people);
    const clients = people.map((person) => stage.client(person));
    const { id: giftId } = await cheapestGift(clients[0]!);
    await mapConcurrently(clients, 4, (client) => buyCoins(stage, client, coinsEach));
    if (stage.own) await workload.prepare?.({ admin: stage.own.admin, giftId });
    return { roomIds, giftId } satisfies Scene;
  },
  open: async (crew, scene: Scene) => {
    await crew.connect();
    await mapConcurrently(crew.members, 20, ({ client, number }) => client.rooms.join(roomOf(scene, number)));
    return playOf(crew, scene, workload);
  },
  check: async ({ own }) => (own ? brokenInvariants(workload, own.query) : []),
});

/** The first people host the rooms, and are in theirs. */
const roomOf = ({ roomIds }: Scene, number: number): string => roomIds[number % roomIds.length]!;

function playOf(crew: Crew, scene: Scene, workload: Workload): Play {
  const places = new Map(scene.roomIds.map((roomId) => [roomId, workload.place()]));
  return {
    act: async ({ dueMs }) => {
      const member = crew.dice.pick(crew.members);
      // Only the first call of a turn was due then.
      const due = { ms: dueMs };
      await workload.act(personOf(crew, scene, { member, workload, due }), places.get(roomOf(scene, member.number)));
    },
    close: () => crew.disconnect(),
  };
}

interface Turn {
  readonly member: Member;
  readonly workload: Workload;
  readonly due: { ms: number };
}

function personOf(crew: Crew, scene: Scene, { member, workload, due }: Turn): WorkloadPerson {
  const roomId = roomOf(scene, member.number);
  const peers = crew.members.filter(({ number, id }) => roomOf(scene, number) === roomId && id !== member.id);
  const call = async <Data>(method: string, path: string, body?: object): Promise<WorkloadAnswer<Data>> => {
    const from = due.ms;
    const answer = await send<Data>(crew, member, { method, path, body });
    const operation = `${method} ${path.replace(/\?.*/, "").replaceAll(/\/[0-9a-f-]{36}/g, "/:id")}`;
    if (answer.ok || workload.expected?.includes(answer.code)) crew.tally.succeeded(operation, from, now() - from);
    else crew.tally.failed(operation, from, answer.code);
    due.ms = now();
    return answer;
  };
  return {
    ...{ id: member.id, roomId, roomIds: scene.roomIds, isHost: member.number < scene.roomIds.length, call },
    random: (below) => crew.dice.between(0, below - 1),
    give: async () => {
      if (peers.length === 0) return { ok: false, code: "ALONE" };
      const gift = { gift_id: scene.giftId, recipient_id: crew.dice.pick(peers).id, quantity: 1 };
      return call("post", `/rooms/${roomId}/gifts`, gift);
    },
    violation: (text) => crew.violation(text),
  };
}

/** Calls what the typed client doesn't know. */
async function send<Data>(
  { options: { url, timeout } }: Crew,
  { accessToken }: Member,
  { method, path, body }: { method: string; path: string; body: object | undefined },
): Promise<WorkloadAnswer<Data>> {
  const isWrite = method !== "get";
  const headers = {
    authorization: `Bearer ${accessToken}`,
    ...(isWrite && { "content-type": "application/json", "idempotency-key": newKey() }),
  };
  try {
    const response = await fetch(`${url}/api/v1${path}`, {
      ...{ method: method.toUpperCase(), headers, signal: AbortSignal.timeout(timeout) },
      ...(isWrite && { body: JSON.stringify(body ?? {}) }),
    });
    const answer = (await response.json()) as { success: boolean; data: Data; error?: { code: string } };
    return answer.success ? { ok: true, data: answer.data } : { ok: false, code: answer.error?.code ?? "NO_CODE" };
  } catch (error) {
    return { ok: false, code: (error as Error).name === "TimeoutError" ? "TIMEOUT" : "NETWORK_ERROR" };
  }
}

/** Returns the sentences of the invariants that don't hold. */
export async function brokenInvariants(
  { invariants = {} }: Workload,
  query: (sql: string) => Promise<readonly object[]>,
): Promise<string[]> {
  const broken: string[] = [];
  for (const [sentence, sql] of Object.entries(invariants)) {
    const rows = await query(sql);
    if (rows.length > 0) broken.push(`${sentence} That doesn't hold for ${JSON.stringify(rows.slice(0, 3))}.`);
  }
  return broken;
}
