import { Client as ColyseusClient } from "@colyseus/sdk";
import { type Call, HubbubError } from "#shared/client/client.ts";
import { connectAll, type RawClient } from "../raw-client.ts";
import type { Crew, Member } from "../tool/crew.ts";
import type { Scenario } from "../tool/scenario.ts";
import { openRooms } from "../tool/stage.ts";

type Join = (member: Member, room_id: string) => Promise<unknown>;

/** Joins over raw connections: thousands of clients that follow their room would measure themselves. */
async function joinRaw(crew: Crew): Promise<{ join: Join; close: () => void }> {
  const auth = crew.members.map(({ accessToken }) => ({ token: accessToken }));
  const connected = await connectAll(crew.options.url, auth);
  const clients = new Map<Member, RawClient>(crew.members.map((member, index) => [member, connected[index]!]));
  return {
    join: async (member, room_id) => assertJoined(await clients.get(member)!.emit("room:join", { room_id })),
    close: () => {
      for (const client of connected) client.cut();
    },
  };
}

function assertJoined(answer: string): void {
  if (answer.startsWith('{"success":true')) return;
  const { error } = JSON.parse(answer) as { error: { code: never; message: string } };
  throw new HubbubError(error.code, error.message);
}

/** Joins with the SDK alone, without a room's history and feed. */
function joinNative(crew: Crew): { join: Join; close: () => void } {
  const rooms = new Map<Member, { leave(consented: boolean): Promise<unknown> }>();
  return {
    join: async (member, room_id) => {
      const client = new ColyseusClient(crew.options.url);
      client.auth.token = member.accessToken;
      const before = rooms.get(member);
      const room = await client.join("voice_room", { room_id }).catch((error: Error) => {
        const [, code = "NETWORK_ERROR"] = /^([A-Z_]{3,40}): /.exec(error.message) ?? [];
        throw new HubbubError(code as never, error.message);
      });
      room.onMessage("*", () => {});
      room.reconnection.enabled = false;
      rooms.set(member, room);
      void before?.leave(false).catch(() => {});
    },
    close: () => {
      for (const room of rooms.values()) void room.leave(false).catch(() => {});
    },
  };
}

const joinOverRest: Join = ({ client }, id) => client.request("joinRoom", { params: { id }, body: {} });

async function wayOf(crew: Crew): Promise<{ join: Join; close: () => void }> {
  if (crew.options.door === "rest") return { join: joinOverRest, close: () => {} };
  return crew.options.door === "colyseus" ? joinNative(crew) : joinRaw(crew);
}

/** Who was told that they are in which room: null if the answer is unknown. */
type Places = Record<string, string | null>;

export const joinStorm: Scenario = {
  description: "everyone joins, again and again another room: the lists of members agree with the answers",
  doors: ["socket", "colyseus", "rest"],
  clients: 200,
  rate: 200,
  rooms: 4,
  prepare: openRooms,
  open: async (crew, roomIds: readonly string[]) => {
    const { join, close } = await wayOf(crew);
    const places: Places = {};
    const busy = new Set<Member>();
    let next = 0;
    return {
      act: async ({ dueMs }) => {
        const round = Math.floor(next / crew.members.length);
        const member = crew.members[next++ % crew.members.length]!;
        if (busy.has(member)) return crew.tally.failed("join", dueMs, "STILL_JOINING");
        busy.add(member);
        const room = roomIds[(member.number + round) % roomIds.length]!;
        const { error } = await crew.measure("join", dueMs, () => join(member, room) as Call<unknown>);
        places[member.id] = error ? null : room;
        busy.delete(member);
      },
      notes: () => places,
      finish: async () => {},
      close,
    };
  },
  check: async (stage, people, { scene, notes }) => {
    const told: Places = Object.assign({}, ...notes);
    const found = new Map<string, string[]>();
    const client = stage.client(people[0]!);
    for (const id of scene as readonly string[])
      for await (const { user } of client.each("listRoomMembers", { params: { id }, query: { limit: 100 } }))
        found.set(user.id, [...(found.get(user.id) ?? []), id]);
    return Object.entries(told).flatMap(([id, room]) => {
      const listed = found.get(id) ?? [];
      const name = people.find((person) => person.id === id)?.name ?? id;
      if (room === null || (listed.length === 1 && listed[0] === room)) return [];
      return `${name} was told that they are in ${room}, but is listed in ${listed.join(" and ") || "no room"}`;
    });
  },
};
