import type { ActionSpec } from "./action-spec.ts";
import {
  anyObject,
  flag,
  type Infer,
  id,
  integer,
  limits,
  line,
  listOf,
  object,
  oneOf,
  optional,
  text,
  union,
} from "./fields.ts";
import * as views from "./views.ts";

const roomId = id();
const seatNo = integer(1, 100, 2);
const seats = object({ seats: listOf(views.seat) });
const empty = object({});
const runErrors = ["NOT_A_MEMBER", "FORBIDDEN"] as const;
const sitErrors = ["ALREADY_SEATED", "SEAT_TAKEN", "SEAT_LOCKED", "NO_FREE_SEAT"] as const;

/**
 * What a client may ask of a voice room. One table for three doors (REST, Socket.IO, Colyseus): the payload's `room_id`
 * names the actor, which checks and answers.
 */
export const voiceActions = {
  "room:join": {
    payload: object({ room_id: roomId, password: optional(text(1, 128, "open sesame")) }),
    reply: views.room,
    errors: ["ROOM_PASSWORD_REQUIRED", "ROOM_PASSWORD_INCORRECT", "BANNED_FROM_ROOM", "BLOCKED", "ROOM_FULL"],
    by: "anyone allowed",
    summary: "Join a room. Joining another room leaves the first.",
    origin: "contract",
  },
  "room:leave": {
    payload: object({ room_id: roomId }),
    reply: object({ room_id: id() }),
    errors: ["NOT_A_MEMBER"],
    by: "member",
    summary: "Leave the room on every connection.",
    origin: "contract",
  },
  "room:message": {
    payload: object({
      room_id: roomId,
      body: text(1, limits.messageLength, "Good evening!"),
      client_id: optional(
        line(1, 64, "c-17").description("Repeated in the answer; the same id sent twice is one message."),
      ),
    }),
    reply: views.roomMessage,
    errors: ["NOT_A_MEMBER", "FORBIDDEN"],
    by: "member",
    summary: "Send a chat message. Acknowledged means durable.",
    origin: "contract",
  },
  "seat:request": {
    payload: object({ room_id: roomId, seat_no: optional(seatNo) }),
    reply: views.seatRequest,
    errors: ["NOT_A_MEMBER", "REQUEST_ALREADY_PENDING", "CONFLICT", ...sitErrors],
    by: "member",
    summary: "Ask for a mic seat.",
    origin: "contract",
  },
  "seat:approve": {
    payload: object({ room_id: roomId, request_id: id() }),
    reply: views.seatRequest,
    errors: [...runErrors, "REQUEST_NOT_PENDING", "NO_FREE_SEAT", "ALREADY_SEATED", "BLOCKED"],
    by: "host, moderator",
    summary: "Put the requester on the asked seat, else on the lowest free one.",
    origin: "contract",
  },
  "seat:reject": {
    payload: object({ room_id: roomId, request_id: id() }),
    reply: views.seatRequest,
    errors: [...runErrors, "REQUEST_NOT_PENDING"],
    by: "host, moderator",
    summary: "Turn a seat request down.",
    origin: "contract",
  },
  "seat:leave": {
    payload: object({ room_id: roomId }),
    reply: seats,
    errors: ["NOT_A_MEMBER", "NOT_SEATED"],
    by: "seated member",
    summary: "Leave the seat, stay in the room.",
    origin: "contract",
  },
  "seat:lock": {
    payload: object({ room_id: roomId, seat_no: seatNo, locked: flag() }),
    reply: seats,
    errors: runErrors,
    by: "host, moderator",
    summary: "Lock or unlock a seat. Locking a taken seat frees it.",
    origin: "contract",
  },
  "audio:state": {
    payload: object({ room_id: roomId, muted: flag(), speaking: optional(flag()) }),
    reply: seats,
    errors: ["NOT_A_MEMBER", "NOT_SEATED"],
    by: "seated member",
    summary: "Tell the room whether your microphone is muted and whether you speak.",
    origin: "contract",
  },
  "room:kick": {
    payload: object({
      room_id: roomId,
      user_id: id(),
      ban_minutes: optional(integer(0, 525_600, 10).description("0 or absent: no ban.")),
      reason: optional(text(0, 200, "Shouting")),
    }),
    reply: empty,
    errors: runErrors,
    by: "host, moderator",
    summary: "Put somebody out of the room, for a time if `ban_minutes` is given.",
    origin: "extension",
  },
  "room:role": {
    payload: object({
      room_id: roomId,
      user_id: id(),
      role: oneOf("moderator", "member"),
    }),
    reply: object({ member: views.member }),
    errors: [...runErrors, "CONFLICT"],
    by: "host",
    summary: "Make a member a moderator, or a moderator a member.",
    origin: "extension",
  },
  "room:mute_chat": {
    payload: object({ room_id: roomId, user_id: id(), minutes: integer(0, 10_080, 5) }),
    reply: empty,
    errors: runErrors,
    by: "host, moderator",
    summary: "Refuse somebody's chat for some minutes; 0 lifts it.",
    origin: "extension",
  },
  "seat:invite": {
    payload: object({ room_id: roomId, user_id: id(), seat_no: optional(seatNo) }),
    reply: seats,
    errors: [...runErrors, ...sitErrors, "BLOCKED"],
    by: "host, moderator",
    summary: "Invite a member to a seat.",
    origin: "extension",
  },
  "seat:accept_invite": {
    payload: object({ room_id: roomId }),
    reply: seats,
    errors: ["NOT_A_MEMBER", "REQUEST_NOT_PENDING", ...sitErrors, "BLOCKED"],
    by: "the invited",
    summary: "Take the seat that you were invited to.",
    origin: "extension",
  },
  "seat:cancel": {
    payload: object({ room_id: roomId }),
    reply: views.seatRequest,
    errors: ["NOT_A_MEMBER", "REQUEST_NOT_PENDING"],
    by: "the requester",
    summary: "Take back your pending seat request.",
    origin: "extension",
  },
  "seat:remove": {
    payload: object({ room_id: roomId, seat_no: seatNo }),
    reply: seats,
    errors: [...runErrors, "NOT_SEATED"],
    by: "host, moderator",
    summary: "Put whoever sits there off the seat.",
    origin: "extension",
  },
  "seat:mute": {
    payload: object({ room_id: roomId, seat_no: seatNo, muted: flag() }),
    reply: seats,
    errors: [...runErrors, "NOT_SEATED"],
    by: "host, moderator",
    summary: "Take or give back the voice of whoever sits there.",
    origin: "extension",
  },
  "room:sync": {
    payload: object({ room_id: roomId, since_seq: integer(0, Number.MAX_SAFE_INTEGER, 4294967301) }),
    reply: union(
      object({ events: listOf(object({ event: line(1, 64, "room:closed"), payload: anyObject() })) }),
      object({ room: views.room }),
    ),
    errors: ["NOT_A_MEMBER"],
    by: "member",
    summary: "The events after `since_seq`, or the whole room when too much was missed.",
    origin: "extension",
  },
  "message:delete": {
    payload: object({ room_id: roomId, message_id: id() }),
    reply: empty,
    errors: runErrors,
    by: "its writer, host, moderator",
    summary: "Delete a chat message.",
    origin: "extension",
  },
} as const satisfies Record<string, ActionSpec>;

export type VoiceAction = keyof typeof voiceActions;

/** What each action takes, once checked. `room_id` is left out: the actor is the room. */
export type VoiceInputs = { [A in VoiceAction]: Omit<Infer<(typeof voiceActions)[A]["payload"]>, "room_id"> };

/** What each action replies with. */
export type VoiceReplies = { [A in VoiceAction]: Infer<(typeof voiceActions)[A]["reply"]> };
