import type { RoomPatch, VoiceActors } from "#shared/contracts/actors.ts";
import type { AdminPrincipal, UserPrincipal } from "#shared/contracts/principal.ts";
import type { RoomCard } from "#shared/contracts/views.ts";
import { unwrap } from "#shared/kernel/domain-error.ts";
import { assertListed } from "./listed.ts";

/**
 * Changes a room through its actor, which decides whether the caller may.
 * @throws VALIDATION_ERROR for a category or language that the settings don't list, or the error of the room's actor
 */
export async function updateRoom(
  actors: VoiceActors,
  caller: UserPrincipal | AdminPrincipal,
  roomId: string,
  patch: RoomPatch,
): Promise<RoomCard> {
  assertListed(patch);
  return unwrap(await actors.voice(roomId, caller, "room:update", patch));
}
