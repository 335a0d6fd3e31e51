import type Joi from "joi";
import { exampleIds } from "./examples.ts";
import { count, extend, type Fields, id, object, optional, rareId } from "./fields.ts";

/** A server event. The bridge sends only the events in `serverEvents`. */
export interface EventSpec {
  readonly payload: Joi.ObjectSchema;
  /** The recipients, as the object of "Sent to …". */
  readonly to: string;
  /** A sentence without a full stop. */
  readonly summary: string;
  readonly description?: string;
  readonly origin: "contract" | "extension";
}

const seq = count(4294967301).description("The event's sequence number in its room.");
/** An event about a message of a room, or of a conversation: those have no number. */
export const messageEvent = <F extends Fields>(fields: F) =>
  object({
    room_id: optional(id(exampleIds.room)),
    seq: optional(seq),
    conversation_id: optional(rareId()),
    message_id: id(exampleIds.roomMessage),
    ...fields,
  });
/** An event with a sequence number, sent to everyone in a room. */
export const roomEvent = <F extends Fields>(fields: F) => extend(object({ room_id: id(exampleIds.room), seq }), fields);
