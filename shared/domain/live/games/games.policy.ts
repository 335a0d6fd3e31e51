import type { VoiceActors } from "#shared/contracts/actors.ts";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import { areBlocked } from "#shared/domain/identity/blocks/blocks.queries.ts";
import { noSuchLobby } from "./games.errors.ts";
import { findLobby, type LobbyRow } from "./lobby-state.ts";

/**
 * Loads a lobby that the caller may see: its players may, and unless a block stands between them and the host, those in
 * its room or, if it has none, all who have its id.
 * @throws NOT_FOUND
 */
export async function accessLobby(actors: VoiceActors, caller: UserPrincipal, lobbyId: string): Promise<LobbyRow> {
  const row = await findLobby(lobbyId);
  if (!row || !(await maySeeLobby(actors, caller, row))) throw noSuchLobby();
  return row;
}

async function maySeeLobby(actors: VoiceActors, caller: UserPrincipal, row: LobbyRow): Promise<boolean> {
  const { userId } = caller;
  if (row.players.some((player) => player.userId === userId)) return true;
  if (await areBlocked(userId, row.host_id)) return false;
  if (!row.room_id) return true;
  const asked = await actors.voice(row.room_id, caller, "room:present", { user_ids: [userId] });
  return asked.ok && asked.value.present.length > 0;
}
