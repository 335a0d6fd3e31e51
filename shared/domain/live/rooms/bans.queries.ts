import type { VoiceActors } from "#shared/contracts/actors.ts";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { RoomBan } from "#shared/contracts/views.ts";
import { queryPage } from "#shared/db/query-page.ts";
import { seenCards } from "#shared/domain/identity/users/user-cards.queries.ts";
import type { Page, PageQuery } from "#shared/kernel/page.ts";
import { accessBans } from "./rooms.policy.ts";

const activeBans = {
  with: "active AS (SELECT * FROM room_bans WHERE room_id = $1 AND banned_until > now())",
  count: "SELECT count(*) FROM active",
  rows: `SELECT user_id, banned_until, reason, created_at FROM active
    ORDER BY created_at DESC, user_id LIMIT $2 OFFSET $3`,
};

type BanRow = Omit<RoomBan, "user"> & { user_id: string };

/**
 * Returns the active bans of a room, newest first.
 * @throws NOT_FOUND, ROOM_CLOSED, NOT_A_MEMBER, FORBIDDEN for members
 */
export async function listBans(
  actors: VoiceActors,
  caller: UserPrincipal,
  roomId: string,
  page: PageQuery,
): Promise<Page<RoomBan>> {
  await accessBans(actors, caller, roomId);
  const found = await queryPage<BanRow>(activeBans, [roomId], page);
  const cards = await seenCards(
    caller.userId,
    found.items.map(({ user_id }) => user_id),
  );
  return { ...found, items: found.items.map(({ user_id, ...ban }) => ({ ...ban, user: cards.get(user_id)! })) };
}
