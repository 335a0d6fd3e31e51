import { daysMs } from "#shared/kernel/clock.ts";
import { firstIdAt, timeOfId } from "#shared/kernel/ids.ts";

/** Where messages are: the table, and its columns of the room or conversation, and of the author. */
export const messageTables = {
  room: { table: "room_messages", place: "room_id", author: "user_id" },
  conversation: { table: "direct_messages", place: "conversation_id", author: "sender_id" },
} as const;
export type MessagePlace = keyof typeof messageTables;

/**
 * Returns an ID before all messages of a place. The clocks of what made the place and of its first message may differ.
 */
export const oldestIn = (placeId: string): string => firstIdAt(timeOfId(placeId) - daysMs(1));
