import { emptyLive, type Live } from "#shared/domain/rooms/live.ts";
import { stayInRoom } from "#shared/domain/rooms/room-presence.ts";
import { claimRoom } from "#shared/domain/rooms/room-state.ts";
import { findRoom } from "#shared/domain/rooms/rooms.queries.ts";
import { userCards } from "#shared/domain/users/user-cards.queries.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { graceMs } from "./people.actions.ts";
import { RoomData } from "./room-data.ts";
import { resize } from "./seats.rules.ts";

/**
 * Loads a room into a new actor, with everything that the last one wrote. Users on a seat are members with the usual
 * grace to come back, or with none if they are in another room by now.
 * @throws NOT_FOUND, ROOM_CLOSED
 */
export async function loadRoom(roomId: string, nowMs: number): Promise<RoomData> {
  const row = await findRoom(roomId);
  if (!row) throw new DomainError("NOT_FOUND");
  if (row.status === "closed") throw new DomainError("ROOM_CLOSED");
  const claimed = await claimRoom(roomId);
  // State written by an older release may lack fields.
  const stored = { ...emptyLive(row.seat_count), ...claimed.live };
  const seated = stored.seats.flatMap(({ userId }) => userId ?? []);
  const cards = await userCards(seated);
  const live: Live = {
    ...stored,
    // Other requests and invitations are of users who were in the room and no longer are.
    requests: stored.requests.filter(({ userId }) => seated.includes(userId)),
    invites: stored.invites.filter(({ userId }) => seated.includes(userId)),
    seats: resize(stored.seats, row.seat_count).map((seat) => ({ ...seat, speaking: false })),
  };
  const data = new RoomData(row, live, claimed);
  const joinIds = seated.map((userId) => [userId, newId()] as const);
  const staying = await stayInRoom(roomId, joinIds);
  for (const [userId, joinId] of joinIds) {
    data.changedMembers.add(userId);
    data.members.set(userId, {
      card: cards.get(userId)!,
      joinedLog: data.log.mark,
      joinedAt: new Date(nowMs).toISOString(),
      joinId,
      sessionId: null,
      connections: new Map(),
      leaveAtMs: staying.has(userId) ? nowMs + graceMs : nowMs,
    });
  }
  return data;
}
