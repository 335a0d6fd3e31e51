import { matchMaker } from "@colyseus/core";
import type { UserCard } from "#shared/contracts/views.ts";
import { type Deleted, findDeleted, redactEvents } from "#shared/domain/live/rooms/redact-events.ts";
import { assert } from "#shared/kernel/assert.ts";
import { userOf } from "../../core/decision.ts";
import type { MissedEvent } from "../../core/event-log.ts";
import { accessMember, accessRunner } from "./access.ts";
import type { RoomData } from "./room-data.ts";
import { mayPublish } from "./seats.rules.ts";
import type { VoiceActions, VoiceAsk } from "./voice-action.ts";

/** Returns what a member has missed; undefined if that is no longer known. */
function missedBy(data: RoomData, ask: VoiceAsk<"room:sync">): MissedEvent[] | undefined {
  const { userId, membership } = accessMember(data, ask);
  return data.log.since(ask.input.since_seq, userId, membership.joinedLog);
}

/** Actions that read a room and change nothing. */
export const readActions = {
  "room:view": {
    prepare: (data) => data.hostCard(),
    decide: (data, ask, host) => ({ reply: () => data.roomView(userOf(ask).userId, host) }),
  },

  "room:members": {
    decide: (data, ask) => ({ reply: () => data.membersPage(userOf(ask).userId, ask.input) }),
  },

  "room:inspect": {
    decide: (data, { principal }) => {
      assert(principal.kind === "admin", "an administrator asks for this");
      return {
        reply: () => ({
          process_id: matchMaker.processId,
          seats: data.seatViews(),
          members: [...data.members.keys()].map((userId) => data.memberView(userId)),
        }),
      };
    },
  },

  "room:role_of": {
    decide: (data, ask) => ({ reply: () => ({ my_role: data.roleOf(userOf(ask).userId) }) }),
  },

  "room:requests": {
    decide: (data, ask) => {
      accessRunner(data, ask);
      return { reply: () => data.live.requests.map((request) => data.requestView(request, "pending")) };
    },
  },

  "room:sync": {
    prepare: async (data, ask) => {
      const missed = missedBy(data, ask);
      return { host: await data.hostCard(), deleted: missed && (await findDeleted(missed)) };
    },
    decide: (data, ask, { host, deleted }) => {
      const { userId } = accessMember(data, ask);
      const missed = deleted && missedBy(data, ask);
      return {
        reply: () => (missed ? { events: redactEvents(missed, deleted) } : { room: data.roomView(userId, host) }),
      };
    },
  },

  "room:present": {
    decide: (data, ask) => ({
      reply: () => ({ present: ask.input.user_ids.filter((userId) => data.members.has(userId)) }),
    }),
  },

  "voice:right": {
    decide: (data, { input: { user_id } }) => {
      const right = mayPublish(data.live.seats, user_id) ? "publish" : "listen";
      return { reply: () => ({ right: data.members.has(user_id) ? right : "none" }) };
    },
  },
} satisfies VoiceActions<{
  "room:view": UserCard;
  "room:sync": { host: UserCard; deleted: Deleted | undefined };
}>;
