import type { Call } from "./errors.ts";
import type { ClientEvents, ServerEvents } from "./social.generated.ts";

/** What a room's listeners are called with, by short names: the payloads of the server's events. */
export const eventNames = {
  "room:new_message": "message",
  "room:message_deleted": "message_deleted",
  "message:updated": "message_updated",
  "message:reacted": "message_reacted",
  "room:pinned": "pinned",
  "room:hearts": "hearts",
  "room:participant_joined": "joined",
  "room:participant_left": "left",
  "room:members_counted": "counted",
  "room:seats_updated": "seats",
  "room:seat_requested": "seat_request",
  "room:seat_request_updated": "seat_request_updated",
  "gift:animation": "gift",
  "seat:invited": "invited",
  "chat:muted": "muted",
  "room:updated": "updated",
  "room:role_changed": "role",
  "room:member_updated": "member",
  "room:closed": "closed",
  "room:kicked": "kicked",
} as const satisfies Partial<Record<keyof ServerEvents, string>>;

/** Events of a room that a client can send; `room_id` is added. */
export type RoomAction = {
  [E in keyof ClientEvents]: ClientEvents[E]["payload"] extends { room_id: string } ? E : never;
}[keyof ClientEvents];
export type Payload<E extends RoomAction> = Omit<ClientEvents[E]["payload"], "room_id">;
export type Reply<E extends RoomAction> = Call<ClientEvents[E]["reply"], ClientEvents[E]["errors"]>;
