import type { Fact } from "#shared/contracts/facts.ts";
import { roomOf } from "#shared/domain/rooms/room-presence.ts";
import type { Directory } from "../core/directory.ts";

/** Hands facts to the actors that they concern. Throws when a fact must come again. */
export async function toActors(directory: Directory, fact: Fact): Promise<void> {
  switch (fact.topic) {
    case "gift.sent":
      return tell(directory, fact.payload.transaction.room_id, "gift:sent", fact.payload);
    case "user.suspended": {
      const roomId = await roomOf(fact.payload.user_id);
      if (roomId) await tell(directory, roomId, "user:remove", fact.payload);
    }
  }
}

/** An actor that is not there has nobody to tell. */
async function tell(directory: Directory, roomId: string, action: string, input: object): Promise<void> {
  const result = await directory.callIfAlive(roomId, { caller: null, action, input });
  if (result && !result.ok) throw new Error(`${action} was refused: ${result.code}`);
}
