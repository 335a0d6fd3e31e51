import { matchMaker } from "@colyseus/core";
import pLimit from "p-limit";
import type { Server } from "socket.io";
import { usersElsewhere } from "#shared/domain/live/rooms/room-presence.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { logger } from "#shared/kernel/logger.ts";
import { isRefused } from "../core/failures.ts";
import { engine } from "../engine.ts";
import type { VoiceRoom } from "../rooms/voice/voice.room.ts";
import { type ActorBegan, roomChannel } from "./fanout.ts";
import type { RoomSocket } from "./gateway.ts";
import { untilDone } from "./until-done.ts";

/** Members who are taken to a new actor at once. */
const atOnce = 50;
/** Pauses between attempts to take members to an actor that can't be reached. */
const pausesMs = [100, 500, 2000];

/**
 * Takes the members whose sockets this process holds to the new actor of their room: their clients did nothing, and
 * only notice a gap in `seq`. Users who have joined another room since then stay there. Repeats this while the room is
 * unreachable: the actor would remove a member on a seat who doesn't come back, though their client is connected.
 */
export function takeMembersAlong(io: Server): void {
  /** The rooms that this is in progress for. */
  const busy = new Map<string, ActorBegan>();
  engine().fanout.onActorBegan((began) => {
    const { roomId, epoch, userIds } = began;
    if (userIds && busy.has(roomId)) return;
    busy.set(roomId, began);
    endPredecessor(roomId, epoch);
    const onFailure = (error: unknown) => logger.warn({ err: error, roomId }, "members could not be taken along");
    const taken = new Set<RoomSocket>();
    void untilDone(() => rejoin(io, began, taken), { pausesMs, onFailure }).then(() => {
      if (busy.get(roomId) === began) busy.delete(roomId);
    });
  });
}

/** An actor that doesn't know of its successor yet would take the members of this process along, to itself. */
function endPredecessor(roomId: string, epoch: number): void {
  const actor = matchMaker.getLocalRoomById(roomId) as VoiceRoom | undefined;
  if (actor && actor.epoch < epoch) actor.supersede();
}

/** Adds the members who need nothing more to `taken`. @throws ENGINE_UNAVAILABLE when some are left */
async function rejoin(io: Server, { roomId, userIds }: ActorBegan, taken: Set<RoomSocket>): Promise<void> {
  const { sockets, adapter } = io.of("/");
  const asked = userIds && new Set(userIds);
  const members = [...(adapter.rooms.get(roomChannel(roomId)) ?? [])]
    .flatMap((id) => (sockets.get(id) as RoomSocket | undefined) ?? [])
    .filter((socket) => !taken.has(socket) && (asked?.has(socket.data.caller.userId) ?? true));
  if (members.length === 0) return;

  const elsewhere = await usersElsewhere(roomId, [...new Set(members.map(({ data }) => data.caller.userId))]);
  const limit = pLimit(atOnce);
  const outcomes = await Promise.all(
    members
      .filter(({ data }) => !elsewhere.has(data.caller.userId))
      .map((socket) =>
        limit(async () => {
          const outcome = await take(socket, roomId);
          if (outcome !== "unreachable") taken.add(socket);
          return outcome;
        }),
      ),
  );
  if (outcomes.includes("unreachable")) throw new DomainError("ENGINE_UNAVAILABLE");
}

/** Takes one socket along whose event was the first that the new actor received. Returns whether it is a member now. */
export async function rejoinAlone(socket: RoomSocket, roomId: string): Promise<boolean> {
  const elsewhere = await usersElsewhere(roomId, [socket.data.caller.userId]);
  return elsewhere.size === 0 && (await take(socket, roomId)) === "member";
}

async function take(socket: RoomSocket, roomId: string): Promise<"member" | "gone" | "unreachable"> {
  // A user who was removed or left on another device no longer receives the events of the room.
  if (!socket.connected || !socket.rooms.has(roomChannel(roomId))) return "gone";
  const connection = { id: socket.id, processId: matchMaker.processId, transport: "socket" as const };
  const rejoined = await engine().directory.call("voice_room", roomId, {
    principal: socket.data.caller,
    action: "room:rejoin",
    input: {},
    connection,
  });
  if (!isRefused(rejoined)) return rejoined.ok ? "member" : "unreachable";
  socket.data.rooms?.delete(roomId);
  await socket.leave(roomChannel(roomId));
  // Such as a ban that came meanwhile. `room:closed` is the last event of a closed room, and the reply says it again.
  if (!rejoined.ok && rejoined.code !== "ROOM_CLOSED")
    socket.emit("room:left", { room_id: roomId, reason: "disconnected" });
  return "gone";
}
