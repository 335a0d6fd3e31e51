import type { UserCard } from "#shared/contracts/views.ts";
import { userOf } from "../../core/decision.ts";
import { accessMember, accessRunner } from "./access.ts";
import { mayPublish } from "./seats.rules.ts";
import type { VoiceAction, VoiceDecision } from "./voice-action.ts";

const answer = <Reply>(reply: () => Reply): VoiceDecision<Reply> => ({ reply });

const view: VoiceAction<"room:view", UserCard> = {
  prepare: (data) => data.hostCard(),
  decide: (data, ask, host) => answer(() => data.roomView(userOf(ask).userId, host)),
};

const roleOf: VoiceAction<"room:role_of"> = {
  decide: (data, ask) => answer(() => ({ my_role: data.roleOf(userOf(ask).userId) })),
};

const requests: VoiceAction<"room:requests"> = {
  decide: (data, ask) => {
    accessRunner(data, ask);
    return answer(() => data.live.requests.map((request) => data.requestView(request, "pending")));
  },
};

const sync: VoiceAction<"room:sync", UserCard> = {
  prepare: (data) => data.hostCard(),
  decide: (data, ask, host) => {
    const { userId } = accessMember(data, ask);
    return answer(() => {
      const events = data.log.since(ask.input.since_seq, userId);
      return events ? { events } : { room: data.roomView(userId, host) };
    });
  },
};

const present: VoiceAction<"room:present"> = {
  decide: (data, ask) => answer(() => ({ present: ask.input.user_ids.filter((userId) => data.members.has(userId)) })),
};

const voiceRight: VoiceAction<"voice:right"> = {
  decide: (data, { input: { user_id } }) =>
    answer(() => {
      if (!data.members.has(user_id)) return { right: "none" };
      return { right: mayPublish(data.live.seats, user_id) ? "publish" : "listen" };
    }),
};

/** What is asked of a room and changes nothing. */
export const readActions = {
  "room:view": view,
  "room:role_of": roleOf,
  "room:requests": requests,
  "room:sync": sync,
  "room:present": present,
  "voice:right": voiceRight,
};
