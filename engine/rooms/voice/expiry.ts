import type { RoomData } from "./room-data.ts";
import { toRunners } from "./seats.actions.ts";
import type { VoiceDecision } from "./voice-action.ts";

/** Ends what has expired: seat requests, invitations, chat mutes. Undefined if nothing has. */
export function expiry(data: RoomData, nowMs: number): VoiceDecision | undefined {
  const { requests, invites, chatMutes } = data.live;
  const over = requests.filter(({ expiresAtMs }) => expiresAtMs <= nowMs);
  const openInvites = invites.filter(({ expiresAtMs }) => expiresAtMs > nowMs);
  const heldMutes = chatMutes.filter(({ untilMs }) => untilMs > nowMs);
  if (over.length === 0 && openInvites.length === invites.length && heldMutes.length === chatMutes.length)
    return undefined;
  const events = over.map((request) => toRunners(data, data.requestView(request, "expired")));
  return {
    next: {
      ...data.live,
      requests: requests.filter((request) => !over.includes(request)),
      invites: openInvites,
      chatMutes: heldMutes,
    },
    events: () => events,
    reply: () => undefined,
  };
}
