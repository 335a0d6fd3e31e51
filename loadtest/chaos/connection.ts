import { Client as NativeClient } from "@colyseus/sdk";
import { io } from "socket.io-client";
import { within } from "#shared/kernel/within.ts";
import { checkAcknowledgement, checkPush } from "#shared/testing/check-event.ts";
import type { Payload } from "#shared/testing/clients/clients.ts";
import { type Outcome, outcomeOf } from "./journal.ts";

export type Door = "socket" | "native";

/** A realtime connection. A native one is in one room. */
export interface Connection {
  readonly door: Door;
  readonly isOpen: boolean;
  /** Sends an event. Never rejects. */
  ask(event: string, payload: object): Promise<Outcome>;
  close(): void;
}

interface Listener {
  readonly onEvent: (event: string, payload: Payload) => void;
  /** Gets what contradicts the table of events. */
  readonly onFault: (fault: string) => void;
}

/** A client waits this long for an answer, and for a connection. */
const patienceMs = 6000;

/** Connects to a process over Socket.IO. Rejects if that fails. */
export async function openSocket(url: string, token: string, listener: Listener): Promise<Connection> {
  const socket = io(url, {
    auth: { token },
    transports: ["websocket"],
    reconnection: false,
    forceNew: true,
    timeout: patienceMs,
  });
  socket.onAny((event: string, payload: Payload) => receive(listener, event, payload));
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("connect_error", reject);
      socket.once("disconnect", (reason) => reject(new Error(reason)));
    });
  } catch (error) {
    socket.disconnect();
    throw error;
  }
  return {
    door: "socket",
    get isOpen() {
      return socket.connected;
    },
    ask: (event, payload) => ask(listener, event, () => socket.timeout(patienceMs).emitWithAck(event, payload)),
    close: () => void socket.disconnect(),
  };
}

/** Joins a room as a native client. Rejects if that fails. */
export async function openNative(
  { url, token, roomId }: { url: string; token: string; roomId: string },
  listener: Listener,
): Promise<Connection> {
  const client = new NativeClient(url);
  client.auth.token = token;
  const joining = client.join("voice_room", { room_id: roomId });
  const room = await within(patienceMs, joining, "not joined").catch((error: unknown) => {
    joining.then(
      (late) => late.leave(false),
      () => {},
    );
    throw error;
  });
  room.reconnection.enabled = false;
  let isOpen = true;
  room.onMessage("*", (event, payload) => receive(listener, String(event), payload));
  room.onLeave(() => {
    isOpen = false;
  });
  room.onError(() => {});
  return {
    door: "native",
    get isOpen() {
      return isOpen;
    },
    ask: (event, payload) =>
      ask(listener, event, () =>
        within(patienceMs, room.request(event, payload as never) as Promise<Payload>, "no answer"),
      ),
    close: () => {
      isOpen = false;
      // As when the network fails: a client that leaves on purpose leaves the room, too.
      room.leave(false).catch(() => {}); // The connection is gone already.
    },
  };
}

function receive({ onEvent, onFault }: Listener, event: string, payload: Payload): void {
  try {
    checkPush(event, payload);
  } catch (error) {
    onFault(String(error));
  }
  onEvent(event, payload);
}

async function ask({ onFault }: Listener, event: string, send: () => Promise<Payload>): Promise<Outcome> {
  let answer: Payload;
  try {
    answer = await send();
  } catch {
    return { kind: "unknown", code: "no answer" };
  }
  try {
    checkAcknowledgement(event, answer);
  } catch (error) {
    onFault(String(error));
  }
  return outcomeOf(answer);
}
