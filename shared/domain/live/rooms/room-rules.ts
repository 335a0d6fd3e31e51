import type { VoiceActors } from "#shared/contracts/actors.ts";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { RoomRules } from "#shared/contracts/views.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { wrongTrigger } from "#shared/domain/base/filter/managed-rules.ts";
import { invalidFields, unwrap } from "#shared/kernel/domain-error.ts";
import { accessRoom } from "./rooms.policy.ts";

/** A room whose host and moderators have said nothing. */
export const noRules: RoomRules = { words: [], allow: [], action: "block", minutes: 5, text: "" };

/** Returns what may not be said in a room, for its host and moderators. @throws as the room's actor; NOT_FOUND */
export async function getRoomRules(actors: VoiceActors, caller: UserPrincipal, roomId: string): Promise<RoomRules> {
  await accessRoom(caller.userId, roomId);
  return unwrap(await actors.voice(roomId, caller, "room:rules", {}));
}

/**
 * Replaces what may not be said in a room. Its actor follows at once.
 * @throws VALIDATION_ERROR for a word without letters, CONTENT_BLOCKED for the text, or the error of the room's actor
 */
export async function setRoomRules(
  actors: VoiceActors,
  caller: UserPrincipal,
  roomId: string,
  rules: RoomRules,
): Promise<RoomRules> {
  const wrong = wrongTrigger({ kind: "words", words: rules.words, allow: rules.allow });
  if (wrong) throw invalidFields([{ ...wrong, field: "words" }]);
  return unwrap(await actors.voice(roomId, caller, "room:set_rules", rules));
}

/** Step: stores what may not be said in a room. */
export async function storeRoomRules(tx: Tx, roomId: string, rules: RoomRules, by: string): Promise<void> {
  await tx.query(
    `INSERT INTO room_rules (room_id, rules, changed_by) VALUES ($1, $2, $3)
     ON CONFLICT (room_id) DO UPDATE SET rules = EXCLUDED.rules, changed_by = EXCLUDED.changed_by, changed_at = now()`,
    [roomId, JSON.stringify(rules), by],
  );
}
