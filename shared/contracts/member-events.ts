import { type EventSpec, roomEvent } from "./event-spec.ts";
import { exampleIds, exampleTime } from "./examples.ts";
import { count, id, nullable, object, oneOf, text, time } from "./fields.ts";
import * as views from "./views.ts";

const leaveReasons = ["left", "disconnected", "kicked", "closed", "moved"] as const;
export type LeaveReason = (typeof leaveReasons)[number];

/** The members of a room. */
export const memberEvents = {
  "room:participant_joined": {
    payload: roomEvent({ member: views.member, member_count: count(1) }),
    to: "everyone in the room",
    summary: "A user joined the room",
    description: "Not sent for members who are only counted: see `room:members_counted`.",
    origin: "contract",
  },
  "room:participant_left": {
    payload: roomEvent({ user_id: id(exampleIds.grace), reason: oneOf(...leaveReasons), member_count: count(1) }),
    to: "everyone in the room",
    summary: "A user left the room",
    description:
      "When a room closes, it is sent for each member before `room:closed`, unless there are more than 100 members. " +
      "Not sent for members who are only counted: see `room:members_counted`.",
    origin: "contract",
  },
  "room:members_counted": {
    payload: roomEvent({
      joined: count(12).description("How many of them joined since the last such event."),
      left: count(3).description("How many of them left since the last such event."),
      member_count: count(4211).description("All members, named or counted."),
    }),
    to: "everyone in the room",
    summary: "Members who are only counted joined or left",
    description:
      "A room names 300 members, and everyone who runs it or has had a seat. Further members are only counted: " +
      "this event, sent at most once a second, says how many of them joined and left, and how many members there are " +
      "in all. `room:member_updated` names the next one when a named member leaves.",
    origin: "extension",
  },
  "room:kicked": {
    payload: object({
      room_id: id(exampleIds.room),
      reason: text(0, 200, "Shouting"),
      banned_until: nullable(time(exampleTime(exampleIds.roomMessage, 660))),
    }),
    to: "the removed user",
    summary: "You were removed from the room",
    origin: "contract",
  },
  "room:left": {
    payload: object({ room_id: id(exampleIds.room), reason: oneOf(...leaveReasons) }),
    to: "all connections of the user who left",
    summary: "You are no longer in the room",
    description:
      "You left, joined another room (maybe on another device), were removed, or were disconnected for too long. " +
      "This connection no longer receives the room's events. A native connection to the room is closed with 4403.",
    origin: "extension",
  },
  "room:role_changed": {
    payload: roomEvent({ member: views.member }),
    to: "everyone in the room",
    summary: "A member's role changed",
    origin: "extension",
  },
  "room:member_updated": {
    payload: roomEvent({ member: views.member }),
    to: "everyone in the room",
    summary: "A member's card changed",
    description:
      "The name, picture, VIP status, or frame of a member changed, or `connected`, or `user.is_online`. It also names " +
      "a member who was only counted before.",
    origin: "extension",
  },
} as const satisfies Record<string, EventSpec>;
