import { service } from "#shared/contracts/principal.ts";
import { unwrap } from "#shared/kernel/domain-error.ts";
import { engine } from "../../engine.ts";

/** Returns which of these users are in a voice room; none when it is closed. @throws ENGINE_UNAVAILABLE */
export async function presentIn(roomId: string, user_ids: readonly string[]): Promise<readonly string[]> {
  const ask = { principal: service, action: "room:present", input: { user_ids } } as const;
  const answer = await engine().directory.call("voice_room", roomId, ask);
  if (!answer.ok && answer.code === "ROOM_CLOSED") return [];
  return unwrap(answer).present;
}
