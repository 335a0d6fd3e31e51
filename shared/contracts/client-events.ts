import type { ErrorCode } from "#shared/kernel/error-codes.ts";
import { type ActionSpec, connectionActions, userActions, voiceActions } from "./actions.ts";

/** Every event that a client may send, whatever carries it out. */
export const clientEvents = { ...connectionActions, ...voiceActions, ...userActions } as const;
export type ClientEvent = keyof typeof clientEvents;

export const isClientEvent = (event: string): event is ClientEvent => Object.hasOwn(clientEvents, event);

/** What the doors, and the machinery behind them, refuse any event with. */
const commonErrors = [
  "VALIDATION_ERROR",
  "UNAUTHENTICATED",
  "TOKEN_EXPIRED",
  "ACCOUNT_SUSPENDED",
  "RATE_LIMITED",
  "INTERNAL_ERROR",
  "ENGINE_UNAVAILABLE",
] as const satisfies readonly ErrorCode[];

/** Every code that an event can be refused with: its own, those of its table, and those of any event. */
export function errorCodesOfEvent(event: ClientEvent): ErrorCode[] {
  const { errors }: ActionSpec = clientEvents[event];
  const ofTable: ErrorCode[] = Object.hasOwn(voiceActions, event) ? ["NOT_FOUND", "ROOM_CLOSED"] : [];
  const whenOpen: ErrorCode[] = Object.hasOwn(connectionActions, event) ? [] : ["MAINTENANCE"];
  return [...new Set([...errors, ...ofTable, ...whenOpen, ...commonErrors])];
}

/** How many events one connection may send in so many seconds: 20 a second, with room for a burst. */
export const eventRate = { points: 60, seconds: 3 } as const;

/** Connections that one person may have to one process at once, over both doors: every device and tab of his. */
export const connectionsMax = 32;
