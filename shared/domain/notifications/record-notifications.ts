import type { FactConsumer } from "#shared/db/outbox.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { idNamed } from "#shared/kernel/ids.ts";
import { newsIn } from "./happenings.ts";
import { askForPush } from "./push-notifications.ts";
import { tell } from "./tell.ts";
import { askToTellFollowers } from "./tell-followers.ts";

/**
 * Notifies people of what others did, each once however often the fact comes. Messages and turns of games have lists of
 * their own: they are pushed to phones only.
 */
export const recordNotifications: FactConsumer = async (fact) => {
  switch (fact.topic) {
    case "room.opened":
      return inTransaction((tx) => askToTellFollowers(tx, fact.payload.room_id));
    case "message.sent": {
      const { message, recipient_id } = fact.payload;
      return askForPush(recipient_id, { message_id: message.id }, message.id);
    }
    case "game.turn_waits": {
      const { session_id, type: game, user_id, version } = fact.payload;
      return askForPush(user_id, { session_id, game, user_id }, idNamed(`turn ${session_id} ${version}`));
    }
    default: {
      const told = newsIn(fact);
      if (told) await inTransaction((tx) => tell(tx, told, [told.receiverId]));
    }
  }
};
