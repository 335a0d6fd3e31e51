import type { Seat, SeatRequest, UserCard } from "#shared/contracts/views.ts";
import { assertNotBlocked } from "#shared/domain/identity/blocks/blocks.queries.ts";
import { assertNoGuest } from "#shared/domain/identity/sign-in/guest-may.ts";
import { findUserCard } from "#shared/domain/identity/users/user-cards.queries.ts";
import type { Live, LiveRequest } from "#shared/domain/live/rooms/live.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import type { Outgoing } from "../../core/decision.ts";
import { accessMember, accessRunner, accessTarget, assertOutranks } from "./access.ts";
import type { RoomData } from "./room-data.ts";
import {
  chooseSeat,
  lockSeat,
  muteByHost,
  occupantOf,
  requireSeat,
  type Seats,
  seatNoOf,
  setAudio,
  sit,
  stand,
} from "./seats.rules.ts";
import type { VoiceActions, VoiceDecision } from "./voice-action.ts";

const requestTtlMs = 5 * 60_000;
const inviteTtlMs = 60_000;
const requestsMax = 200;

const isHost = (data: RoomData, userId: string) => data.row.host_id === userId;
const iso = (ms: number) => new Date(ms).toISOString();

/** A decision that replies with the resulting seats. */
const withSeats = (data: RoomData, seats: Seats, more: Partial<Live> = {}): VoiceDecision<{ seats: Seat[] }> => ({
  next: { ...data.live, ...more, seats },
  reply: () => ({ seats: data.seatViews() }),
});

export const toRunners = (data: RoomData, request: SeatRequest): Outgoing => ({
  event: request.status === "pending" ? "room:seat_requested" : "room:seat_request_updated",
  payload: { room_id: data.roomId, request },
  users: [...new Set([...data.runners(), request.user.id])],
});

/** Ends a pending request; `more`: what else changes, such as seats. */
function endRequest(
  data: RoomData,
  request: LiveRequest,
  status: SeatRequest["status"],
  more: Partial<Live> = {},
): VoiceDecision<SeatRequest> {
  const view = data.requestView(request, status);
  return {
    next: { ...data.live, ...more, requests: data.live.requests.filter(({ id }) => id !== request.id) },
    events: () => [toRunners(data, view)],
    reply: () => view,
  };
}

/** Returns the same list if it contains nothing of this user. */
export const withoutUser = <Of extends { readonly userId: string }>(list: readonly Of[], userId: string) =>
  list.some((one) => one.userId === userId) ? list.filter((one) => one.userId !== userId) : list;

/** Cancels the pending requests of a user who left, or got a seat in another way. */
export function withdrawRequests(
  data: RoomData,
  userId: string,
): { requests: readonly LiveRequest[]; events: Outgoing[] } {
  const withdrawn = data.live.requests.filter((request) => request.userId === userId);
  return {
    requests: withoutUser(data.live.requests, userId),
    events: withdrawn.map((request) => toRunners(data, data.requestView(request, "cancelled"))),
  };
}

function pendingRequest(data: RoomData, requestId: string): LiveRequest {
  const request = data.live.requests.find(({ id }) => id === requestId);
  if (!request) throw new DomainError("REQUEST_NOT_PENDING");
  return request;
}

/** Returns the requested seat or, if it is no longer free, the lowest free one. */
function seatRequester(data: RoomData, request: LiveRequest, since: string): Seats {
  const requester = { id: request.userId, isHost: false };
  const asked = data.live.seats[(request.seatNo ?? 0) - 1];
  const free = asked && !asked.userId && !asked.locked;
  return sit(data.live.seats, requester, free ? request.seatNo : null, since);
}

export const seatActions = {
  "seat:request": {
    decide: (data, ask) => {
      const { userId } = accessMember(data, ask);
      const createdAt = iso(ask.nowMs);
      const expiresAtMs = ask.nowMs + requestTtlMs;
      const request: LiveRequest = { id: newId(), userId, seatNo: ask.input.seat_no ?? null, createdAt, expiresAtMs };
      if (isHost(data, userId)) {
        // The host needs no approval.
        const seats = sit(data.live.seats, { id: userId, isHost: true }, request.seatNo, createdAt);
        return { next: { ...data.live, seats }, reply: () => data.requestView(request, "approved") };
      }
      if (data.live.requests.some((pending) => pending.userId === userId))
        throw new DomainError("REQUEST_ALREADY_PENDING");
      // A request for a specific seat requires that seat to be free now. A request for any seat may wait for one.
      if (request.seatNo !== null) chooseSeat(data.live.seats, { id: userId, isHost: false }, request.seatNo);
      else if (seatNoOf(data.live.seats, userId) !== null) throw new DomainError("ALREADY_SEATED");
      if (data.live.requests.length >= requestsMax)
        throw new DomainError("CONFLICT", "This room has too many pending seat requests.");
      const view = data.requestView(request, "pending");
      return {
        next: { ...data.live, requests: [...data.live.requests, request] },
        events: () => [toRunners(data, view)],
        reply: () => view,
      };
    },
  },

  "seat:approve": {
    prepare: async (data, ask) => {
      const { userId } = accessRunner(data, ask);
      const request = data.live.requests.find(({ id }) => id === ask.input.request_id);
      if (request) await assertNotBlocked("shared", userId, request.userId);
    },
    decide: (data, ask) => {
      accessRunner(data, ask);
      const request = pendingRequest(data, ask.input.request_id);
      const seats = seatRequester(data, request, iso(ask.nowMs));
      const invites = withoutUser(data.live.invites, request.userId);
      return endRequest(data, request, "approved", { seats, invites });
    },
  },

  "seat:reject": {
    decide: (data, ask) => {
      accessRunner(data, ask);
      return endRequest(data, pendingRequest(data, ask.input.request_id), "rejected");
    },
  },

  "seat:cancel": {
    decide: (data, ask) => {
      const { userId } = accessMember(data, ask);
      const request = data.live.requests.find((pending) => pending.userId === userId);
      if (!request) throw new DomainError("REQUEST_NOT_PENDING");
      return endRequest(data, request, "cancelled");
    },
  },

  "seat:leave": {
    decide: (data, ask) => {
      const { userId } = accessMember(data, ask);
      requireSeat(data.live.seats, userId);
      return withSeats(data, stand(data.live.seats, userId));
    },
  },

  "seat:lock": {
    decide: (data, ask) => {
      const runner = accessRunner(data, ask);
      const { seat_no, locked } = ask.input;
      const occupant = data.live.seats[seat_no - 1]?.userId;
      if (locked && occupant && occupant !== runner.userId) assertOutranks(data, runner, occupant);
      return withSeats(data, lockSeat(data.live.seats, seat_no, locked));
    },
  },

  "seat:remove": {
    decide: (data, ask) => {
      const runner = accessRunner(data, ask);
      const occupant = occupantOf(data.live.seats, ask.input.seat_no);
      if (occupant !== runner.userId) assertOutranks(data, runner, occupant);
      return withSeats(data, stand(data.live.seats, occupant));
    },
  },

  "seat:mute": {
    decide: (data, ask) => {
      const runner = accessRunner(data, ask);
      const { seat_no, muted } = ask.input;
      assertOutranks(data, runner, occupantOf(data.live.seats, seat_no));
      return withSeats(data, muteByHost(data.live.seats, seat_no, muted));
    },
  },

  "seat:invite": {
    prepare: async (data, ask) => {
      const { userId } = accessRunner(data, ask);
      if (data.members.has(ask.input.user_id)) {
        await assertNotBlocked("shared", userId, ask.input.user_id);
        await assertNoGuest(ask.input.user_id);
      }
      // The host and moderators need not be in the room.
      return data.members.get(userId)?.card ?? findUserCard(userId);
    },
    decide: (data, ask, by) => {
      const runner = accessRunner(data, ask);
      const { user_id, seat_no } = ask.input;
      accessTarget(data, user_id);
      chooseSeat(data.live.seats, { id: user_id, isHost: isHost(data, user_id) }, seat_no);
      const seatNo = seat_no ?? null;
      const invite = { userId: user_id, by: runner.userId, seatNo, expiresAtMs: ask.nowMs + inviteTtlMs };
      return {
        ...withSeats(data, data.live.seats, { invites: [...withoutUser(data.live.invites, user_id), invite] }),
        events: () => [
          { event: "seat:invited", payload: { room_id: data.roomId, seat_no: seatNo, by }, users: [user_id] },
        ],
      };
    },
  },

  "seat:accept_invite": {
    prepare: async (data, ask) => {
      const { userId } = accessMember(data, ask);
      const invite = data.live.invites.find((open) => open.userId === userId);
      if (invite) await assertNotBlocked("shared", userId, invite.by);
    },
    decide: (data, ask) => {
      const { userId } = accessMember(data, ask);
      const invite = data.live.invites.find((open) => open.userId === userId);
      if (!invite) throw new DomainError("REQUEST_NOT_PENDING", "You have no seat invitation, or it has expired.");
      const seatNo = ask.input.seat_no ?? invite.seatNo;
      if (invite.seatNo !== null && seatNo !== invite.seatNo)
        throw new DomainError("REQUEST_NOT_PENDING", "You were invited to seat {{seat}}.", {
          values: { seat: invite.seatNo },
        });
      const seats = sit(data.live.seats, { id: userId, isHost: isHost(data, userId) }, seatNo, iso(ask.nowMs));
      const { requests, events } = withdrawRequests(data, userId);
      const invites = data.live.invites.filter((open) => open !== invite);
      return { ...withSeats(data, seats, { invites, requests }), events: () => events };
    },
  },

  "audio:state": {
    decide: (data, ask) => {
      const { userId } = accessMember(data, ask);
      return withSeats(data, setAudio(data.live.seats, userId, ask.input));
    },
  },
} satisfies VoiceActions<{ "seat:invite": UserCard }>;
