import type { RoomPatch, VoiceActors } from "#shared/contracts/actors.ts";
import type { AdminPrincipal, UserPrincipal } from "#shared/contracts/principal.ts";
import type { RoomCard } from "#shared/contracts/views.ts";
import { unwrap } from "#shared/kernel/domain-error.ts";
import { assertListed } from "./listed.ts";
import { takeCover } from "./take-cover.ts";

/**
 * Changes a room through its actor, which decides whether the caller may.
 * @throws VALIDATION_ERROR for a category or language that the settings don't list, or the error of the room's actor
 */
export async function updateRoom(
  actors: VoiceActors,
  caller: UserPrincipal | AdminPrincipal,
  roomId: string,
  { cover_media_id, ...patch }: Omit<RoomPatch, "cover_url"> & { readonly cover_media_id?: string | null },
): Promise<RoomCard> {
  assertListed(patch);
  // Administrators have no uploads for rooms: they can only remove a cover.
  const cover_url = await takeCover(caller.kind === "user" ? caller.userId : caller.adminId, cover_media_id);
  const input = { ...patch, ...(cover_url !== undefined && { cover_url }) };
  return unwrap(await actors.voice(roomId, caller, "room:update", input));
}
