import type { FactConsumer } from "#shared/db/outbox.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { newsIn } from "./happenings.ts";
import { askForPush } from "./push-notifications.ts";
import { tell } from "./tell.ts";
import { askToTellFollowers } from "./tell-followers.ts";
import { takeBackTurns, tellTurn } from "./tell-turn.ts";

/**
 * Notifies people of what others did, each once however often the fact comes. Messages have a list of their own, the
 * inbox: they are pushed to phones only.
 */
export const recordNotifications: FactConsumer = async (fact) => {
  switch (fact.topic) {
    case "room.opened":
      return inTransaction((tx) => askToTellFollowers(tx, fact.payload.room_id));
    case "message.sent": {
      const { message, recipient_id } = fact.payload;
      return askForPush(recipient_id, { message_id: message.id }, message.id);
    }
    case "game.turn_waits":
      return tellTurn(fact.payload);
    case "game.finished":
      return takeBackTurns(fact.payload);
    default: {
      const told = newsIn(fact);
      if (told) await inTransaction((tx) => tell(tx, told, [told.receiverId]));
    }
  }
};
