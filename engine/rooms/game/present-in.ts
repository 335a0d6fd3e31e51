import { unwrap } from "#shared/kernel/domain-error.ts";
import { voiceRoomKind } from "../../core/kinds.ts";
import { engine } from "../../engine.ts";

/** Who of these is in a voice room; nobody when it is closed. @throws ENGINE_UNAVAILABLE */
export async function presentIn(roomId: string, user_ids: readonly string[]): Promise<readonly string[]> {
  const command = { caller: null, action: "room:present", input: { user_ids } };
  const answer = await engine().directory.call(voiceRoomKind, roomId, command);
  if (!answer.ok && answer.code === "ROOM_CLOSED") return [];
  return (unwrap(answer) as { present: string[] }).present;
}
