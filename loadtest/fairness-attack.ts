import { setTimeout as pause } from "node:timers/promises";
import { isMainThread, parentPort, workerData } from "node:worker_threads";
import { io, type Socket } from "socket.io-client";
import { callService, type Person } from "./service.ts";

/** As many connections as one user may have. */
export const sockets = 32;
/** Events per second on each connection, and calls per second of one user: the most that the limits permit. */
const eventsPerSecond = 20;
const profileEveryMs = 150;

export interface Orders {
  readonly url: string;
  readonly attacker: Person;
  /** The room that the attacker floods. */
  readonly roomId: string;
  readonly giftRoomId: string;
  readonly giftId: string;
  readonly recipient: Person;
  /** They give gifts as fast as they are answered. */
  readonly givers: readonly Person[];
}

export interface Sent {
  events: number;
  rejected: number;
  /** How often the service has closed a connection of the attacker. */
  closed: number;
  gifts: number;
}

export async function connect(url: string, { token }: Person): Promise<Socket> {
  const socket = io(url, { auth: { token }, transports: ["websocket"], forceNew: true, reconnection: false });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("connect_error", reject);
  });
  return socket;
}

export async function enter(url: string, person: Person, room_id: string): Promise<Socket> {
  const socket = await connect(url, person);
  const joined = (await socket.emitWithAck("room:join", { room_id })) as { success: boolean; error?: object };
  if (!joined.success) throw new Error(`not in the room: ${JSON.stringify(joined.error)}`);
  return socket;
}

/**
 * Does what one account, and people who give gifts, are permitted to do at most. Reports that it has begun, and its
 * end.
 */
async function attack({ url, attacker, roomId, giftRoomId, giftId, recipient, givers }: Orders): Promise<void> {
  const sent: Sent = { events: 0, rejected: 0, closed: 0, gifts: 0 };
  let stopped = false;

  /** Floods over one connection after the other. */
  const flood = async () => {
    while (!stopped) {
      const socket = await connect(url, attacker).catch(() => undefined);
      for (let nth = 0; !stopped && socket?.connected; nth += 1) {
        sent.events += 1;
        socket.emit(
          nth % 2 ? "seat:cancel" : "seat:request",
          { room_id: roomId },
          ({ success }: { success: boolean }) => {
            if (!success) sent.rejected += 1;
          },
        );
        await pause(1000 / eventsPerSecond);
      }
      if (socket && !socket.connected) sent.closed += 1;
      socket?.disconnect();
      await pause(500);
    }
  };
  const rename = async () => {
    for (let nth = 0; !stopped; nth += 1) {
      const body = { full_name: `Load Test ${nth % 9}` };
      void callService(url, "PATCH", "/users/me", { token: attacker.token, body }).catch(() => undefined);
      await pause(profileEveryMs);
    }
  };
  const give = async ({ token }: Person) => {
    const body = { gift_id: giftId, recipient_id: recipient.id, quantity: 1 };
    while (!stopped)
      await callService(url, "POST", `/rooms/${giftRoomId}/gifts`, { token, body }).then(
        () => (sent.gifts += 1),
        () => pause(50),
      );
  };

  await callService(url, "POST", `/rooms/${roomId}/join`, { token: attacker.token, body: {} });
  await enter(url, recipient, giftRoomId);
  await Promise.all(givers.map((giver) => enter(url, giver, giftRoomId)));
  const all = [...Array.from({ length: sockets }, flood), rename(), ...givers.map(give)];
  parentPort!.postMessage("begun");
  await new Promise((resolve) => parentPort!.once("message", resolve));
  stopped = true;
  await Promise.all(all);
  parentPort!.postMessage(sent);
}

if (!isMainThread) await attack(workerData as Orders);
