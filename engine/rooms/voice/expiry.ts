import type { Live } from "#shared/domain/live/rooms/live.ts";
import type { RoomData } from "./room-data.ts";
import { toRunners } from "./seats.actions.ts";
import type { VoiceDecision } from "./voice-action.ts";

/** Returns whether `expiry` has something to end. */
export const hasExpired = ({ requests, invites, chatMutes }: Live, nowMs: number): boolean =>
  requests.some(({ expiresAtMs }) => expiresAtMs <= nowMs) ||
  invites.some(({ expiresAtMs }) => expiresAtMs <= nowMs) ||
  chatMutes.some(({ untilMs }) => untilMs <= nowMs);

/** Ends what has expired: seat requests, invitations, chat mutes. Undefined if nothing has. */
export function expiry(data: RoomData, nowMs: number): VoiceDecision | undefined {
  if (!hasExpired(data.live, nowMs)) return undefined;
  const { requests, invites, chatMutes } = data.live;
  const over = requests.filter(({ expiresAtMs }) => expiresAtMs <= nowMs);
  const events = over.map((request) => toRunners(data, data.requestView(request, "expired")));
  return {
    next: {
      ...data.live,
      requests: requests.filter((request) => !over.includes(request)),
      invites: invites.filter(({ expiresAtMs }) => expiresAtMs > nowMs),
      chatMutes: chatMutes.filter(({ untilMs }) => untilMs > nowMs),
    },
    events: () => events,
    reply: () => undefined,
  };
}
