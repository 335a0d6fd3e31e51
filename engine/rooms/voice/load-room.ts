import type { UserCard } from "#shared/contracts/views.ts";
import { GroupCommit } from "#shared/db/group-commit.ts";
import { onActorPool } from "#shared/db/sequelize.ts";
import { userCards } from "#shared/domain/identity/users/user-cards.queries.ts";
import { emptyLive, type Live } from "#shared/domain/live/rooms/live.ts";
import { stayInRooms } from "#shared/domain/live/rooms/room-presence.ts";
import { type ClaimedRoom, claimRooms } from "#shared/domain/live/rooms/room-state.ts";
import { noSuchRoom } from "#shared/domain/live/rooms/rooms.errors.ts";
import { findRooms, type RoomRow } from "#shared/domain/live/rooms/rooms.queries.ts";
import { clock } from "#shared/kernel/clock.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { graceMs } from "./people.actions.ts";
import { RoomData } from "./room-data.ts";
import { resize } from "./seats.rules.ts";

/**
 * After a crash, thousands of rooms are loaded one after the other: those that are loaded together share statements.
 */
const loads = new GroupCommit<string, RoomData | DomainError>((roomIds) => onActorPool(() => loadRooms(roomIds)), {
  atOnce: 2,
});

/**
 * Loads a room into a new actor, with everything that the last one wrote. Users on a seat are members with the usual
 * grace to come back, or with none if they are in another room by now.
 * @throws NOT_FOUND, ROOM_CLOSED
 */
export async function loadRoom(roomId: string): Promise<RoomData> {
  const loaded = await loads.add(roomId);
  if (loaded instanceof DomainError) throw loaded;
  return loaded;
}

async function loadRooms(roomIds: readonly string[]): Promise<(RoomData | DomainError)[]> {
  const rows = await findRooms(roomIds);
  const open = [...rows.values()].filter(({ status }) => status !== "closed");
  const claims = await claimRooms(open.map(({ id }) => id));
  const rooms = new Map(open.map((row) => [row.id, toLoading(row, claims.get(row.id)!)]));
  const seated = [...rooms.values()].flatMap(({ seats }) => seats);
  const [cards, { joinIds, others }] = await Promise.all([
    userCards(seated.map(({ userId }) => userId)),
    stayInRooms([...rooms.keys()], seated),
  ]);
  return roomIds.map((roomId) => {
    const room = rooms.get(roomId);
    if (room) return toRoomData(room, { cards, joinIds, listeners: others.get(roomId) ?? [] });
    return rows.has(roomId) ? new DomainError("ROOM_CLOSED") : noSuchRoom();
  });
}

interface Loading {
  readonly row: RoomRow;
  readonly claimed: ClaimedRoom;
  readonly live: Live;
  /** The memberships of users on a seat. */
  readonly seats: { readonly userId: string; readonly roomId: string; readonly joinId: string }[];
}

function toLoading(row: RoomRow, claimed: ClaimedRoom): Loading {
  // State written by an older release may lack fields.
  const stored = { ...emptyLive(row.seat_count), ...claimed.live };
  const seated = stored.seats.flatMap(({ userId }) => userId ?? []);
  const live: Live = {
    ...stored,
    // Other requests and invitations are of users who were in the room and no longer are.
    requests: stored.requests.filter(({ userId }) => seated.includes(userId)),
    invites: stored.invites.filter(({ userId }) => seated.includes(userId)),
    seats: resize(stored.seats, row.seat_count).map((seat) => ({ ...seat, speaking: false })),
  };
  return { row, claimed, live, seats: seated.map((userId) => ({ userId, roomId: row.id, joinId: newId() })) };
}

interface RoomOccupants {
  readonly cards: ReadonlyMap<string, UserCard>;
  /** Of those on a seat who are in no other room. */
  readonly joinIds: ReadonlySet<string>;
  /** Members of the last actor who have no seat. */
  readonly listeners: readonly { readonly user_id: string }[];
}

function toRoomData({ row, claimed, live, seats }: Loading, { cards, joinIds, listeners }: RoomOccupants): RoomData {
  const data = new RoomData(row, live, claimed);
  for (const { user_id } of listeners) data.listenersBefore.add(user_id);
  const nowMs = clock.now();
  for (const { userId, joinId } of seats)
    data.members.set(userId, {
      card: cards.get(userId)!,
      joinedLog: data.log.mark,
      joinedAt: new Date(nowMs).toISOString(),
      joinId,
      sessionId: null,
      connections: new Map(),
      leaveAtMs: joinIds.has(joinId) ? nowMs + graceMs : nowMs,
    });
  return data;
}
