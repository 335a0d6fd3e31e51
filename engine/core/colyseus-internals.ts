import { type Client, type ClientPrivate, ClientState, type MessageContext, type Room } from "@colyseus/core";
import { assertInternals } from "#shared/kernel/assert-internals.ts";

/** All that we use of Colyseus besides its interface. Each function asserts what it finds. */

/** What Colyseus keeps of the places that it has reserved. */
interface Reservations {
  readonly _reservedSeats: Record<string, unknown>;
  readonly _reservedSeatTimeouts: Record<string, NodeJS.Timeout>;
}

/** Drops the reservations of clients that haven't come: Colyseus would wait 15 s for them before it ends a room. */
export function dropReservations(room: Room): void {
  const { _reservedSeats: seats, _reservedSeatTimeouts: timers } = room as unknown as Partial<Reservations>;
  assertInternals("Colyseus", { _reservedSeats: seats !== undefined, _reservedSeatTimeouts: timers !== undefined });
  for (const [id, timer] of Object.entries(timers!)) {
    clearTimeout(timer);
    delete timers![id];
    delete seats![id];
  }
}

export type MessageHandler = (client: Client, payload: unknown, context: MessageContext) => unknown;

/**
 * Hands every message of a room's clients to `handle`, by its name. Without a handler, Colyseus answers requests in its
 * own way, and disconnects clients that send unknown messages; its `"*"` doesn't get requests.
 */
export function handleAllMessages(room: Room, handle: (event: string, ...args: Parameters<MessageHandler>) => unknown) {
  const { onMessageEvents: handlers } = room as unknown as {
    onMessageEvents?: { events?: Record<string, MessageHandler[]> };
  };
  assertInternals("Colyseus", { "onMessageEvents.events": typeof handlers?.events === "object" });
  handlers!.events = new Proxy(handlers!.events!, {
    get: (_none, event) => [((...args) => handle(String(event), ...args)) satisfies MessageHandler],
  });
}

/** Returns the messages that wait until a client has acknowledged that it joined; none afterwards. */
export function messagesBeforeJoin(client: Client): readonly Uint8Array[] {
  const { _enqueuedMessages: messages } = client as Client & ClientPrivate;
  assertInternals("Colyseus", { _enqueuedMessages: messages !== undefined || client.state !== ClientState.JOINING });
  return messages ?? [];
}

/** Lets a transport see no requests: core puts itself, with a CORS policy of its own, before those of its server. */
export function leaveRequestsAlone(transport: { server?: unknown }): void {
  assertInternals("Colyseus", { "transport.server": "server" in transport });
  transport.server = undefined;
}

/** The Redis hash of the listing of rooms, by their IDs. */
export const roomListing = "roomcaches";

/** The protocol of calls between processes: the topic of a room, that of an answer, and what precedes an answer. */
export const roomTopic = (roomId: string) => `$${roomId}`;
export const answerTopic = (requestId: string) => `ipc:${requestId}`;
/** Success is 0, and an error's message follows 1. */
export type RemoteAnswer<Result> = readonly [code: 0, result: Result] | readonly [code: 1, message: string];

/**
 * Keeps out the agent of PM2, which Colyseus' statistics load: it lists the handles of all connections each second and
 * records garbage collections. It doesn't start where it finds itself under this symbol.
 */
export function keepAgentOut(): void {
  Object.assign(globalThis, { [Symbol.for("@pm2/io")]: { metric: () => {} } });
}
