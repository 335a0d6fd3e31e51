import type { ErrorCode } from "#shared/kernel/error-codes.ts";
import { type ActionSpec, connectionActions, userActions, voiceActions } from "./actions.ts";
import { featureOf } from "./age-rights.ts";
import { blockCodesOf } from "./block-rules.ts";
import { guestRights } from "./guest-rights.ts";

/** All client events. */
export const clientEvents = { ...connectionActions, ...voiceActions, ...userActions } as const;
export type ClientEvent = keyof typeof clientEvents;

export const isClientEvent = (event: string): event is ClientEvent => Object.hasOwn(clientEvents, event);

/** Error codes common to all client events. */
const commonErrors = [
  "VALIDATION_ERROR",
  "UNAUTHENTICATED",
  "TOKEN_EXPIRED",
  "ACCOUNT_SUSPENDED",
  "RATE_LIMITED",
  "INTERNAL_ERROR",
  "ENGINE_UNAVAILABLE",
] as const satisfies readonly ErrorCode[];

/** Returns all error codes of an event: its own, those of its table, and the common ones. */
export function errorCodesOfEvent(event: ClientEvent): ErrorCode[] {
  const { errors, blocks }: ActionSpec = clientEvents[event];
  const ofTable: ErrorCode[] = Object.hasOwn(voiceActions, event) ? ["NOT_FOUND", "ROOM_CLOSED"] : [];
  const whenOpen: ErrorCode[] = Object.hasOwn(connectionActions, event) ? [] : ["MAINTENANCE"];
  const ofGuests: ErrorCode[] =
    Object.hasOwn(connectionActions, event) || guestRights.get(event) === "always" ? [] : ["GUEST_NOT_ALLOWED"];
  const ofSanctions: ErrorCode[] = Object.hasOwn(connectionActions, event) ? [] : ["SANCTIONED", "TERMS_NOT_ACCEPTED"];
  const ofAge: ErrorCode[] = featureOf.has(event) ? ["AGE_RESTRICTED"] : [];
  return [
    ...new Set([
      ...ofAge,
      ...ofSanctions,
      ...errors,
      ...blockCodesOf(blocks),
      ...ofTable,
      ...ofGuests,
      ...whenOpen,
      ...commonErrors,
    ]),
  ];
}

/** Rate limit of events per user, over all connections, transports, and processes: 20 per second, with bursts. */
export const eventRate = { points: 60, seconds: 3 } as const;

/**
 * A user who sends so many events in one period of `eventRate`, five times the limit, floods: each connection on which
 * they send another is closed, and until the end of the period they can't open one.
 */
export const floodPoints = 5 * eventRate.points;

/** Maximum number of concurrent connections of a user, over both transports and all processes. */
export const connectionsMax = 32;

/**
 * How many frames a connection may send in a second. Events have a limit of their own; this one is for what isn't an
 * event, such as pongs, acknowledgements, and the control frames of WebSocket. Colyseus limits the messages of native
 * clients.
 */
export const framesMax = 500;

/** Maximum number of Socket.IO connections from one address to one process that aren't signed in yet. */
export const anonymousMax = 200;
