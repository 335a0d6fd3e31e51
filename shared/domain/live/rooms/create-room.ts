import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Room, RoomCard, Seat } from "#shared/contracts/views.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { authorOf } from "#shared/domain/base/filter/author.ts";
import { checkContents } from "#shared/domain/base/filter/check-content.ts";
import { hashPassword } from "#shared/domain/identity/accounts/password.ts";
import { assertNotSanctioned } from "#shared/domain/identity/sanctions/active-sanctions.ts";
import { User } from "#shared/domain/identity/users/user.model.ts";
import { findUserCard } from "#shared/domain/identity/users/user-cards.queries.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { assertListed } from "./listed.ts";
import { Rooms } from "./room.model.ts";
import { toRoomCard } from "./rooms.queries.ts";
import { takeCover } from "./take-cover.ts";

export interface RoomInput
  extends Pick<RoomCard, "name" | "category" | "language" | "description" | "is_private" | "seat_count"> {
  readonly password?: string;
  /** An upload of theirs. */
  readonly cover_media_id?: string;
}

/** The live view of a room that has no actor. */
const aside = { members: [], joined: false, version: 0, seq: 0 };

const emptySeats = (count: number): Seat[] =>
  Array.from({ length: count }, (_, index) => ({
    seat_no: index + 1,
    user: null,
    locked: false,
    muted: false,
    muted_by_host: false,
    speaking: false,
    gifts_received: 0,
  }));

/** What is checked of what hosts write. */
export const roomTexts = {
  name: "room",
  description: "room_text",
  announcement: "room_text",
  welcome: "room_text",
} as const;

/** Rooms that one user may have open. */
const openRoomsMax = 10;

/**
 * Creates a room with the caller as its host and returns it. It is empty, and gets an actor when it is first used:
 * `seq` and `version` are 0 until then. Publishes `room.opened`.
 * @throws VALIDATION_ERROR, SANCTIONED for a description by someone who may not chat, CONTENT_BLOCKED, CONFLICT with
 *   too many open rooms, NOT_FOUND for a cover that isn't theirs
 */
export async function createRoom(caller: UserPrincipal, input: RoomInput): Promise<Room> {
  assertListed(input);
  // A room needs a name; its description is what the host tells people.
  if (input.description) assertNotSanctioned(caller, "room:message");
  const { password, cover_media_id, ...given } = input;
  const settings = checkContents(given, roomTexts, {
    category: given.category,
    language: given.language,
    ...(await authorOf(caller.userId)),
  });
  const cover_url = await takeCover(caller.userId, cover_media_id);
  const id = newId();
  const passwordHash = password === undefined ? null : await hashPassword(password);
  return inTransaction(async (tx) => {
    // The user's row is the lock: two requests at once count each other.
    await User.lock(tx, { id: caller.userId }, ["id"]);
    const [open] = await tx.query<{ count: number }>(
      "SELECT count(*) FROM rooms WHERE host_id = $1 AND status = 'open'",
      [caller.userId],
    );
    if ((open?.count ?? 0) >= openRoomsMax)
      throw new DomainError("CONFLICT", "You already have {{count}} open rooms. Close one first.", {
        values: { count: openRoomsMax },
      });
    const row = await Rooms.insert(tx, {
      id,
      host_id: caller.userId,
      ...settings,
      ...(cover_url !== undefined && { cover_url }),
      password_hash: passwordHash,
    });
    await tx.publish("room.opened", { room_id: id, host_id: caller.userId });
    const seats = emptySeats(row.seat_count);
    return { ...toRoomCard(row, await findUserCard(caller.userId)), ...aside, seats, my_role: "host" as const };
  });
}
