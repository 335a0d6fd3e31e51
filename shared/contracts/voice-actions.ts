import Joi from "joi";
import { type ActionSpec, action } from "./action-spec.ts";
import { flag, id, input, integer, limits, line, listOf, text, view } from "./fields.ts";
import * as views from "./views.ts";

const roomId = id().required();
const seatNo = integer(1, 100, 2);
const seats = view({ seats: listOf(views.seat) });
const empty = Joi.object({});
const runErrors = ["NOT_A_MEMBER", "FORBIDDEN"] as const;
const sitErrors = ["ALREADY_SEATED", "SEAT_TAKEN", "SEAT_LOCKED", "NO_FREE_SEAT"] as const;

/**
 * What a client may ask of a voice room. One table for three doors (REST, Socket.IO, Colyseus): the payload's `room_id`
 * names the actor, which checks and answers.
 */
export const voiceActions = {
  "room:join": action({
    payload: input({ room_id: roomId, password: text(1, 128, "open sesame") }),
    reply: views.room,
    errors: ["ROOM_PASSWORD_REQUIRED", "ROOM_PASSWORD_INCORRECT", "BANNED_FROM_ROOM", "BLOCKED", "ROOM_FULL"],
    by: "anyone allowed",
    summary: "Join a room. Joining another room leaves the first.",
    origin: "contract",
  }),
  "room:leave": action({
    payload: input({ room_id: roomId }),
    reply: view({ room_id: id() }),
    errors: ["NOT_A_MEMBER"],
    by: "member",
    summary: "Leave the room on every connection.",
    origin: "contract",
  }),
  "room:message": action({
    payload: input({
      room_id: roomId,
      body: text(1, limits.messageLength, "Good evening!").required(),
      client_id: line(1, 64, "c-17").description("Repeated in the answer; the same id sent twice is one message."),
    }),
    reply: views.roomMessage,
    errors: ["NOT_A_MEMBER", "FORBIDDEN"],
    by: "member",
    summary: "Send a chat message. Acknowledged means durable.",
    origin: "contract",
  }),
  "seat:request": action({
    payload: input({ room_id: roomId, seat_no: seatNo }),
    reply: views.seatRequest,
    errors: ["NOT_A_MEMBER", "REQUEST_ALREADY_PENDING", "CONFLICT", ...sitErrors],
    by: "member",
    summary: "Ask for a mic seat.",
    origin: "contract",
  }),
  "seat:approve": action({
    payload: input({ room_id: roomId, request_id: id().required() }),
    reply: views.seatRequest,
    errors: [...runErrors, "REQUEST_NOT_PENDING", "NO_FREE_SEAT", "ALREADY_SEATED", "BLOCKED"],
    by: "host, moderator",
    summary: "Put the requester on the asked seat, else on the lowest free one.",
    origin: "contract",
  }),
  "seat:reject": action({
    payload: input({ room_id: roomId, request_id: id().required() }),
    reply: views.seatRequest,
    errors: [...runErrors, "REQUEST_NOT_PENDING"],
    by: "host, moderator",
    summary: "Turn a seat request down.",
    origin: "contract",
  }),
  "seat:leave": action({
    payload: input({ room_id: roomId }),
    reply: seats,
    errors: ["NOT_A_MEMBER", "NOT_SEATED"],
    by: "seated member",
    summary: "Leave the seat, stay in the room.",
    origin: "contract",
  }),
  "seat:lock": action({
    payload: input({ room_id: roomId, seat_no: seatNo.required(), locked: flag().required() }),
    reply: seats,
    errors: runErrors,
    by: "host, moderator",
    summary: "Lock or unlock a seat. Locking a taken seat frees it.",
    origin: "contract",
  }),
  "audio:state": action({
    payload: input({ room_id: roomId, muted: flag().required(), speaking: flag() }),
    reply: seats,
    errors: ["NOT_A_MEMBER", "NOT_SEATED"],
    by: "seated member",
    summary: "Tell the room whether your microphone is muted and whether you speak.",
    origin: "contract",
  }),
  "room:kick": action({
    payload: input({
      room_id: roomId,
      user_id: id().required(),
      ban_minutes: integer(0, 525_600, 10).description("0 or absent: no ban."),
      reason: text(0, 200, "Shouting"),
    }),
    reply: empty,
    errors: runErrors,
    by: "host, moderator",
    summary: "Put somebody out of the room, for a time if `ban_minutes` is given.",
    origin: "extension",
  }),
  "room:role": action({
    payload: input({
      room_id: roomId,
      user_id: id().required(),
      role: Joi.string().valid("moderator", "member").required(),
    }),
    reply: view({ member: views.member }),
    errors: [...runErrors, "CONFLICT"],
    by: "host",
    summary: "Make a member a moderator, or a moderator a member.",
    origin: "extension",
  }),
  "room:mute_chat": action({
    payload: input({ room_id: roomId, user_id: id().required(), minutes: integer(0, 10_080, 5).required() }),
    reply: empty,
    errors: runErrors,
    by: "host, moderator",
    summary: "Refuse somebody's chat for some minutes; 0 lifts it.",
    origin: "extension",
  }),
  "seat:invite": action({
    payload: input({ room_id: roomId, user_id: id().required(), seat_no: seatNo }),
    reply: seats,
    errors: [...runErrors, ...sitErrors, "BLOCKED"],
    by: "host, moderator",
    summary: "Invite a member to a seat.",
    origin: "extension",
  }),
  "seat:accept_invite": action({
    payload: input({ room_id: roomId }),
    reply: seats,
    errors: ["NOT_A_MEMBER", "REQUEST_NOT_PENDING", ...sitErrors, "BLOCKED"],
    by: "the invited",
    summary: "Take the seat that you were invited to.",
    origin: "extension",
  }),
  "seat:cancel": action({
    payload: input({ room_id: roomId }),
    reply: views.seatRequest,
    errors: ["NOT_A_MEMBER", "REQUEST_NOT_PENDING"],
    by: "the requester",
    summary: "Take back your pending seat request.",
    origin: "extension",
  }),
  "seat:remove": action({
    payload: input({ room_id: roomId, seat_no: seatNo.required() }),
    reply: seats,
    errors: [...runErrors, "NOT_SEATED"],
    by: "host, moderator",
    summary: "Put whoever sits there off the seat.",
    origin: "extension",
  }),
  "seat:mute": action({
    payload: input({ room_id: roomId, seat_no: seatNo.required(), muted: flag().required() }),
    reply: seats,
    errors: [...runErrors, "NOT_SEATED"],
    by: "host, moderator",
    summary: "Take or give back the voice of whoever sits there.",
    origin: "extension",
  }),
  "room:sync": action({
    payload: input({ room_id: roomId, since_seq: integer(0, Number.MAX_SAFE_INTEGER, 4294967301).required() }),
    reply: Joi.alternatives(
      view({ events: listOf(view({ event: line(1, 64, "room:closed"), payload: Joi.object().unknown() })) }),
      view({ room: views.room }),
    ),
    errors: ["NOT_A_MEMBER"],
    by: "member",
    summary: "The events after `since_seq`, or the whole room when too much was missed.",
    origin: "extension",
  }),
  "message:delete": action({
    payload: input({ room_id: roomId, message_id: id().required() }),
    reply: empty,
    errors: runErrors,
    by: "its writer, host, moderator",
    summary: "Delete a chat message.",
    origin: "extension",
  }),
} as const satisfies Record<string, ActionSpec>;

export type VoiceAction = keyof typeof voiceActions;

/** The input of each action, after its schema. `room_id` is left out: the actor is the room. */
export interface VoiceInputs {
  "room:join": { password?: string };
  "room:leave": object;
  "room:message": { body: string; client_id?: string };
  "seat:request": { seat_no?: number };
  "seat:approve": { request_id: string };
  "seat:reject": { request_id: string };
  "seat:leave": object;
  "seat:lock": { seat_no: number; locked: boolean };
  "audio:state": { muted: boolean; speaking?: boolean };
  "room:kick": { user_id: string; ban_minutes?: number; reason?: string };
  "room:role": { user_id: string; role: "moderator" | "member" };
  "room:mute_chat": { user_id: string; minutes: number };
  "seat:invite": { user_id: string; seat_no?: number };
  "seat:accept_invite": object;
  "seat:cancel": object;
  "seat:remove": { seat_no: number };
  "seat:mute": { seat_no: number; muted: boolean };
  "room:sync": { since_seq: number };
  "message:delete": { message_id: string };
}

/** What each action answers. */
export interface VoiceReplies {
  "room:join": views.Room;
  "room:leave": { room_id: string };
  "room:message": views.RoomMessage;
  "seat:request": views.SeatRequest;
  "seat:approve": views.SeatRequest;
  "seat:reject": views.SeatRequest;
  "seat:leave": { seats: views.Seat[] };
  "seat:lock": { seats: views.Seat[] };
  "audio:state": { seats: views.Seat[] };
  "room:kick": object;
  "room:role": { member: views.Member };
  "room:mute_chat": object;
  "seat:invite": { seats: views.Seat[] };
  "seat:accept_invite": { seats: views.Seat[] };
  "seat:cancel": views.SeatRequest;
  "seat:remove": { seats: views.Seat[] };
  "seat:mute": { seats: views.Seat[] };
  "room:sync": { events: { event: string; payload: object }[] } | { room: views.Room };
  "message:delete": object;
}
