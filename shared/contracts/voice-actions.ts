import { extended } from "#shared/kernel/extended.ts";
import type { ActionSpec } from "./action-spec.ts";
import { chatActions } from "./chat-actions.ts";
import { serverEvents } from "./events.ts";
import { exampleIds } from "./examples.ts";
import {
  anyObject,
  describedBy,
  flag,
  id,
  integer,
  line,
  listOf,
  object,
  oneOf,
  optional,
  text,
  union,
  variants,
} from "./fields.ts";
import * as views from "./views.ts";

const roomId = id(exampleIds.room);
const seatNo = integer(1, 100, 2);
const seats = object({ seats: listOf(views.seat) }).meta({ name: "Seats" });
const empty = object({}).meta({ name: "Empty" });
const runErrors = ["NOT_A_MEMBER", "FORBIDDEN"] as const;
const sitErrors = ["ALREADY_SEATED", "SEAT_TAKEN", "SEAT_LOCKED", "NO_FREE_SEAT"] as const;

/** The events that `room:sync` repeats: those of a room, and those about it that went to some of its members only. */
const repeated = Object.entries(serverEvents).filter(
  ([event]) => /^(room|seat|chat|gift|message):/.test(event) && event !== "room:hearts",
);

/** Published by the name of the event. The actor pushed each by its own schema, so they are not checked again. */
const missedEvent = describedBy(
  object({ event: line(1, 64, "room:closed"), payload: anyObject() }),
  variants(
    "event",
    ...repeated.map(([event, { payload }]) =>
      object({ event: oneOf(event), payload }).meta({
        name: `Missed_${event}`.replace(/[_:](\w)/g, (_all, first: string) => first.toUpperCase()),
      }),
    ),
  ).meta({ name: "MissedEvent" }),
);

/**
 * Actions on a voice room, for all three transports (REST, Socket.IO, Colyseus). The payload's `room_id` identifies the
 * actor.
 */
export const voiceActions = extended("actions", {
  "room:join": {
    payload: object({ room_id: roomId, password: optional(text(1, 128, "open sesame")) }),
    reply: views.room,
    blocks: "shared",
    errors: ["ROOM_PASSWORD_REQUIRED", "ROOM_PASSWORD_INCORRECT", "BANNED_FROM_ROOM", "ROOM_FULL"],
    by: "all users who are neither banned from the room nor blocked by its host",
    summary: "Join a room",
    description: "If you are in another room, you leave it.",
    origin: "contract",
  },
  "room:leave": {
    payload: object({ room_id: roomId }),
    reply: object({ room_id: roomId }).meta({ name: "LeftRoom" }),
    blocks: "unaffected",
    errors: ["NOT_A_MEMBER"],
    by: "members of the room",
    summary: "Leave a room",
    description: "You leave on all your connections.",
    origin: "contract",
  },
  "seat:request": {
    payload: object({ room_id: roomId, seat_no: optional(seatNo) }),
    reply: views.seatRequest,
    blocks: "unaffected",
    errors: ["NOT_A_MEMBER", "REQUEST_ALREADY_PENDING", "CONFLICT", ...sitErrors],
    by: "members of the room",
    summary: "Request a seat",
    description: "Omit `seat_no` to request any seat.",
    origin: "contract",
  },
  "seat:approve": {
    payload: object({ room_id: roomId, request_id: id(exampleIds.seatRequest) }),
    reply: views.seatRequest,
    blocks: "shared",
    errors: [...runErrors, "REQUEST_NOT_PENDING", "NO_FREE_SEAT", "ALREADY_SEATED"],
    by: "the host and moderators",
    summary: "Approve a seat request",
    description: "The requester gets the requested seat or, if it isn't free, the free seat with the lowest number.",
    origin: "contract",
  },
  "seat:reject": {
    payload: object({ room_id: roomId, request_id: id(exampleIds.seatRequest) }),
    reply: views.seatRequest,
    blocks: "unaffected",
    errors: [...runErrors, "REQUEST_NOT_PENDING"],
    by: "the host and moderators",
    summary: "Reject a seat request",
    origin: "contract",
  },
  "seat:leave": {
    payload: object({ room_id: roomId }),
    reply: seats,
    blocks: "unaffected",
    errors: ["NOT_A_MEMBER", "NOT_SEATED"],
    by: "members with a seat",
    summary: "Leave your seat",
    description: "You stay in the room.",
    origin: "contract",
  },
  "seat:lock": {
    payload: object({ room_id: roomId, seat_no: seatNo, locked: flag() }),
    reply: seats,
    blocks: "unaffected",
    errors: runErrors,
    by: "the host and moderators",
    summary: "Lock or unlock a seat",
    description: "Locking a taken seat removes its occupant.",
    origin: "contract",
  },
  "audio:state": {
    payload: object({ room_id: roomId, muted: flag(), speaking: optional(flag()) }),
    reply: seats,
    blocks: "unaffected",
    errors: ["NOT_A_MEMBER", "NOT_SEATED"],
    by: "members with a seat",
    summary: "Update your microphone state",
    description: "Sets whether your microphone is muted and whether you are speaking.",
    origin: "contract",
  },
  "room:kick": {
    payload: object({
      room_id: roomId,
      user_id: id(exampleIds.grace),
      ban_minutes: optional(
        integer(0, 525_600, 10).description("Length of the ban in minutes. 0 (the default): no ban."),
      ),
      reason: optional(text(0, 200, "Shouting")),
    }),
    reply: empty,
    blocks: "unaffected",
    errors: runErrors,
    by: "the host and moderators",
    summary: "Remove a user",
    description: "With `ban_minutes`, the user is also banned for that time.",
    origin: "extension",
  },
  "room:role": {
    payload: object({
      room_id: roomId,
      user_id: id(exampleIds.grace),
      role: oneOf("moderator", "member"),
    }),
    reply: object({ member: views.member }).meta({ name: "ChangedMember" }),
    blocks: "unaffected",
    errors: [...runErrors, "CONFLICT", "GUEST_NOT_ALLOWED"],
    by: "the host",
    summary: "Change a member's role",
    origin: "extension",
  },
  "seat:invite": {
    payload: object({ room_id: roomId, user_id: id(exampleIds.grace), seat_no: optional(seatNo) }),
    reply: seats,
    blocks: "shared",
    errors: [...runErrors, ...sitErrors, "GUEST_NOT_ALLOWED"],
    by: "the host and moderators",
    summary: "Invite a member to a seat",
    origin: "extension",
  },
  "seat:accept_invite": {
    payload: object({
      room_id: roomId,
      seat_no: optional(seatNo.description("Required only if the invitation names no seat.")),
    }),
    reply: seats,
    blocks: "shared",
    errors: ["NOT_A_MEMBER", "REQUEST_NOT_PENDING", ...sitErrors],
    by: "the invited user",
    summary: "Accept a seat invitation",
    origin: "extension",
  },
  "seat:cancel": {
    payload: object({ room_id: roomId }),
    reply: views.seatRequest,
    blocks: "unaffected",
    errors: ["NOT_A_MEMBER", "REQUEST_NOT_PENDING"],
    by: "the requester",
    summary: "Cancel your seat request",
    origin: "extension",
  },
  "seat:remove": {
    payload: object({ room_id: roomId, seat_no: seatNo }),
    reply: seats,
    blocks: "unaffected",
    errors: [...runErrors, "NOT_SEATED"],
    by: "the host and moderators",
    summary: "Remove the occupant from a seat",
    origin: "extension",
  },
  "seat:mute": {
    payload: object({ room_id: roomId, seat_no: seatNo, muted: flag() }),
    reply: seats,
    blocks: "unaffected",
    errors: [...runErrors, "NOT_SEATED"],
    by: "the host and moderators",
    summary: "Mute or unmute a seat",
    description: "The seat's occupant can't be heard while the seat is muted.",
    origin: "extension",
  },
  "room:sync": {
    payload: object({ room_id: roomId, since_seq: integer(0, Number.MAX_SAFE_INTEGER, 4294967301) }),
    reply: union(
      object({
        events: listOf(missedEvent),
      }).meta({ name: "MissedEvents" }),
      object({ room: views.room }).meta({ name: "CurrentRoom" }),
    ),
    blocks: "unaffected",
    errors: ["NOT_A_MEMBER"],
    by: "members of the room",
    summary: "Get missed events",
    description: "Returns the events after `since_seq`, or the whole room if too many were missed.",
    origin: "extension",
  },
  ...chatActions,
} as const satisfies Record<string, ActionSpec>);

export type VoiceAction = keyof typeof voiceActions;
