import type { UserCard } from "#shared/contracts/views.ts";
import { userOf } from "../../core/decision.ts";
import { accessMember, accessRunner } from "./access.ts";
import { mayPublish } from "./seats.rules.ts";
import type { VoiceActions } from "./voice-action.ts";

/** What is asked of a room and changes nothing. */
export const readActions = {
  "room:view": {
    prepare: (data) => data.hostCard(),
    decide: (data, ask, host) => ({ reply: () => data.roomView(userOf(ask).userId, host) }),
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
    prepare: (data) => data.hostCard(),
    decide: (data, ask, host) => {
      const { userId } = accessMember(data, ask);
      const events = data.log.since(ask.input.since_seq, userId);
      return { reply: () => (events ? { events } : { room: data.roomView(userId, host) }) };
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
} satisfies VoiceActions<{ "room:view": UserCard; "room:sync": UserCard }>;
