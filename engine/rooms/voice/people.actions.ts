import type { Connection } from "#shared/contracts/actors.ts";
import type { LeaveReason } from "#shared/contracts/member-events.ts";
import type { Room, UserCard } from "#shared/contracts/views.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { checkContent } from "#shared/domain/base/filter/check-content.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { assertNoGuest } from "#shared/domain/identity/sign-in/guest-may.ts";
import { banFromRoom, setModerator } from "#shared/domain/live/rooms/room-steps.ts";
import { queueVoiceSync, voiceConfigured } from "#shared/domain/live/voice/voice-sync.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type Outgoing, userOf } from "../../core/decision.ts";
import { accessHost, accessMember, accessRunner, accessTarget, assertMayTell, assertOutranks } from "./access.ts";
import { isCounted } from "./crowd.ts";
import { assertNotBlocked, readCard } from "./grouped-reads.ts";
import { tryPassword } from "./password-tries.ts";
import { type Membership, type RoomData, whereIn } from "./room-data.ts";
import { withdrawRequests, withoutUser } from "./seats.actions.ts";
import { hostSeatNo, sit, stand } from "./seats.rules.ts";
import type { VoiceActions, VoiceAsk, VoiceDecision } from "./voice-action.ts";
import { arrive, depart } from "./whereabouts.ts";

/** A member whose last connection closed keeps their place for this long. */
export const graceMs = 30_000;
/** A member who joined by REST has this long to connect. */
export const restGraceMs = 120_000;

interface Arrival {
  card: UserCard;
  host: UserCard;
  /** Undefined when the room has no password, or none was given. */
  passwordMatches: boolean | undefined;
}

async function prepareArrival(data: RoomData, ask: VoiceAsk<"room:join" | "room:rejoin">): Promise<Arrival> {
  const { userId } = userOf(ask);
  await assertNotBlocked(userId, data.row.host_id);
  const { password_hash } = data.row;
  const { password } = ask.input;
  const needsPassword = password_hash !== null && data.roleOf(userId) === null && password !== undefined;
  const passwordMatches = needsPassword ? await tryPassword(userId, password_hash, password) : undefined;
  const card = await readCard(userId, { isConnected: ask.connection !== undefined });
  const host = ask.connection && userId === data.row.host_id ? card : await data.hostCard();
  return { card, host, passwordMatches };
}

/** @throws BANNED_FROM_ROOM, ROOM_PASSWORD_REQUIRED, ROOM_PASSWORD_INCORRECT, ROOM_FULL */
function assertMayEnter(
  data: RoomData,
  userId: string,
  { passwordMatches }: Pick<Arrival, "passwordMatches">,
  nowMs: number,
): void {
  if ((data.bans.get(userId) ?? 0) > nowMs) throw new DomainError("BANNED_FROM_ROOM");
  if (data.roleOf(userId) !== null) return;
  if (data.row.password_hash !== null && passwordMatches === undefined) throw new DomainError("ROOM_PASSWORD_REQUIRED");
  if (passwordMatches === false) throw new DomainError("ROOM_PASSWORD_INCORRECT");
  if (data.members.size >= setting("room_capacity")) throw new DomainError("ROOM_FULL");
}

/** Gives the host seat 1 when they join, if it is free. */
function seatsWithHost(data: RoomData, userId: string, since: string) {
  const first = data.live.seats[hostSeatNo - 1];
  if (userId !== data.row.host_id || data.live.seats.some((seat) => seat.userId === userId) || first?.userId)
    return data.live.seats;
  return sit(data.live.seats, { id: userId, isHost: true }, hostSeatNo, since);
}

/** Shows the room a member's card as it is now, unless they are only counted. */
export const memberUpdated = (data: RoomData, userId: string): Outgoing[] =>
  data.crowd.has(userId)
    ? []
    : [{ event: "room:member_updated", payload: { room_id: data.roomId, member: data.memberView(userId) } }];

const participantLeft = (data: RoomData, userId: string, reason: LeaveReason): Outgoing => ({
  event: "room:participant_left",
  payload: { room_id: data.roomId, user_id: userId, reason, member_count: data.members.size },
});

/** Removes a user from the room, for any reason. */
export function departure(
  data: RoomData,
  userId: string,
  reason: LeaveReason,
  asking?: Connection,
): VoiceDecision<{ room_id: string }> {
  const { requests, events } = withdrawRequests(data, userId);
  const { joinId } = data.memberOf(userId);
  const counted = data.crowd.has(userId);
  return {
    next: {
      ...data.live,
      seats: stand(data.live.seats, userId),
      requests,
      invites: withoutUser(data.live.invites, userId),
    },
    durable: voiceConfigured() ? (tx) => queueVoiceSync(tx, data.roomId, [userId]) : undefined,
    apply: () => {
      data.removeMember(userId);
      data.changedMembers.add(userId);
      data.giftsReceived.delete(userId);
    },
    events: () => [
      ...events,
      // Also sent to their other devices, some of which may show the room.
      { event: "room:left", payload: { room_id: data.roomId, reason }, users: [userId], passing: true },
      ...(counted ? [] : [participantLeft(data, userId, reason)]),
    ],
    effects: (effects) => {
      effects.expel(userId, asking);
      depart(userId, joinId);
    },
    reply: () => ({ room_id: data.roomId }),
  };
}

/** Removes a user, who need not be in the room, notifies them, and removes them from the moderators. */
export function removal(
  data: RoomData,
  userId: string,
  notice: { reason: string; banned_until: string | null },
  durable?: (tx: Tx) => Promise<void>,
): VoiceDecision<object> {
  const gone: VoiceDecision<object> = data.members.has(userId)
    ? departure(data, userId, "kicked")
    : { reply: () => ({}) };
  return {
    ...gone,
    durable: async (tx) => {
      await gone.durable?.(tx);
      await durable?.(tx);
      await setModerator(tx, data.roomId, userId, false);
    },
    apply: () => {
      gone.apply?.();
      data.moderators.delete(userId);
    },
    events: () => {
      const events = gone.events?.() ?? [];
      if (events.length === 0) return [];
      return [{ event: "room:kicked", payload: { room_id: data.roomId, ...notice }, users: [userId] }, ...events];
    },
    reply: () => ({}),
  };
}

/** Lets a user in, or adds a connection of a member. */
function admission(data: RoomData, ask: VoiceAsk<"room:join" | "room:rejoin">, arrival: Arrival) {
  const { userId, sessionId } = userOf(ask);
  assertMayEnter(data, userId, arrival, ask.nowMs);
  const known = data.members.get(userId);
  const joinedAt = new Date(ask.nowMs).toISOString();
  const joinId = newId();
  const counted = !known && isCounted(data, userId);
  const membership: Membership = known ?? {
    card: arrival.card,
    joinedAt,
    joinedLog: data.log.mark,
    joinId: "",
    sessionId,
    connections: new Map(),
    leaveAtMs: ask.nowMs + restGraceMs,
  };
  const seats = known ? data.live.seats : seatsWithHost(data, userId, joinedAt);
  const cardChanged =
    ask.connection !== undefined && (known?.connections.size === 0 || known?.card.is_online !== arrival.card.is_online);
  return {
    next: seats === data.live.seats ? data.live : { ...data.live, seats },
    apply: () => {
      membership.joinId = joinId;
      membership.sessionId = sessionId;
      if (ask.connection) {
        membership.card = arrival.card;
        data.connect(userId, membership, ask.connection);
        membership.leaveAtMs = null;
      } else if (membership.leaveAtMs !== null) membership.leaveAtMs = ask.nowMs + restGraceMs;
      data.members.set(userId, membership);
      if (counted) data.crowd.join(userId);
      data.changedMembers.add(userId);
    },
    effects: (effects) => {
      if (ask.connection) effects.admit(ask.connection);
      else effects.admitSession(userOf(ask), joinId);
    },
    events: () => {
      if (known) return cardChanged ? memberUpdated(data, userId) : [];
      if (counted) return [];
      const member = data.memberView(userId);
      const payload = { room_id: data.roomId, member, member_count: data.members.size };
      return [{ event: "room:participant_joined", payload }];
    },
    reply: async () => {
      const room = data.roomView(userId, arrival.host);
      // Started within the turn, so that it is written before the end of this membership, which may come next.
      await arrive(data.roomId, userId, joinId);
      return room;
    },
  } satisfies VoiceDecision<Promise<Room>>;
}

export const peopleActions = {
  "room:join": { prepare: prepareArrival, decide: admission },

  "room:rejoin": {
    prepare: prepareArrival,
    decide: (data, ask, arrival) => {
      const { userId } = userOf(ask);
      if (!data.members.has(userId) && !data.mayRejoin(userId)) throw new DomainError("NOT_A_MEMBER");
      const admitted = admission(data, ask, { ...arrival, passwordMatches: true });
      return { ...admitted, reply: () => admitted.reply().then(() => ({})) };
    },
  },

  "room:may_join": {
    prepare: (data, ask) => assertNotBlocked(userOf(ask).userId, data.row.host_id),
    decide: (data, ask) => {
      const passwordMatches = ask.input.password === undefined ? undefined : true;
      assertMayEnter(data, userOf(ask).userId, { passwordMatches }, ask.nowMs);
      return { reply: () => ({}) };
    },
  },

  "room:leave": {
    decide: (data, ask) => departure(data, accessMember(data, ask).userId, "left", ask.connection),
  },

  "room:kick": {
    decide: (data, ask) => {
      const runner = accessRunner(data, ask);
      const { user_id: userId, ban_minutes = 0 } = ask.input;
      assertOutranks(data, runner, userId);
      // A moderator can be removed while away.
      if (!data.moderators.has(userId)) accessTarget(data, userId);
      assertMayTell(ask, [ask.input.reason]);
      const reason = checkContent("reason", ask.input.reason ?? "", { ...whereIn(data), userId: runner.userId });
      const untilMs = ask.nowMs + ban_minutes * 60_000;
      const until = ban_minutes > 0 ? new Date(untilMs).toISOString() : null;
      const out = removal(data, userId, { reason, banned_until: until }, async (tx) => {
        if (until) await banFromRoom(tx, { roomId: data.roomId, userId, by: runner.userId, until, reason });
      });
      return {
        ...out,
        apply: () => {
          out.apply?.();
          if (until) data.bans.set(userId, untilMs);
        },
      };
    },
  },

  "room:role": {
    prepare: async (data, { input: { user_id, role } }) => {
      if (role === "moderator" && data.members.has(user_id)) await assertNoGuest(user_id);
    },
    decide: (data, ask) => {
      const host = accessHost(data, ask);
      const { user_id: userId, role: next } = ask.input;
      assertOutranks(data, { ...host, isHost: true }, userId);
      accessTarget(data, userId);
      const moderator = next === "moderator";
      if (moderator && data.moderators.size >= 50)
        throw new DomainError("CONFLICT", "A room can have at most 50 moderators.");
      return {
        durable: (tx) => setModerator(tx, data.roomId, userId, moderator),
        apply: () => {
          if (moderator) data.moderators.add(userId);
          else data.moderators.delete(userId);
          data.crowd.name(userId);
          data.changedMembers.add(userId);
        },
        events: () => [
          { event: "room:role_changed", payload: { room_id: data.roomId, member: data.memberView(userId) } },
        ],
        reply: () => ({ member: data.memberView(userId) }),
      };
    },
  },
} satisfies VoiceActions<{ "room:join": Arrival; "room:rejoin": Arrival }>;
