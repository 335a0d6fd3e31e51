import type { VoiceInputs } from "#shared/contracts/actions.ts";
import type { VoiceServiceInputs } from "#shared/contracts/actors.ts";
import type { UserCard } from "#shared/contracts/views.ts";
import { accessMember, accessRunner, personOf } from "./access.ts";
import type { Action, Decision } from "./decision.ts";
import { mayPublish } from "./seats.rules.ts";

const answer = (reply: () => unknown): Decision => ({ reply });

const view: Action<VoiceServiceInputs["room:view"], UserCard> = {
  prepare: (data) => data.hostCard(),
  decide: (data, ask, host) => answer(() => data.roomView(personOf(ask).userId, host)),
};

const roleOf: Action<VoiceServiceInputs["room:role_of"]> = {
  decide: (data, ask) => answer(() => ({ my_role: data.roleOf(personOf(ask).userId) })),
};

const requests: Action<VoiceServiceInputs["room:requests"]> = {
  decide: (data, ask) => {
    accessRunner(data, ask);
    return answer(() => data.live.requests.map((request) => data.requestView(request, "pending")));
  },
};

const sync: Action<VoiceInputs["room:sync"], UserCard> = {
  prepare: (data) => data.hostCard(),
  decide: (data, ask, host) => {
    const { userId } = accessMember(data, ask);
    return answer(() => {
      const events = data.log.since(ask.input.since_seq, userId);
      return events ? { events } : { room: data.roomView(userId, host) };
    });
  },
};

const present: Action<VoiceServiceInputs["room:present"]> = {
  decide: (data, ask) => answer(() => ({ present: ask.input.user_ids.filter((userId) => data.members.has(userId)) })),
};

const voiceRight: Action<VoiceServiceInputs["voice:right"]> = {
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
