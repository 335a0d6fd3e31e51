import { Buffer } from "node:buffer";
import { setTimeout as pause } from "node:timers/promises";
import * as hdr from "hdr-histogram-js";
import { RawClient } from "./raw-client.ts";

/** A process of the load generator that holds some of the listeners. `crowd.ts` starts it. */

export interface Listener {
  readonly url: string;
  readonly auth: object;
}

export type ToListeners =
  | { readonly kind: "join"; readonly roomId: string; readonly listeners: readonly Listener[] }
  /** Counts from now on. */
  | { readonly kind: "listen" }
  | { readonly kind: "report" };

export interface Heard {
  /** Messages that came to all listeners. */
  readonly count: number;
  /** How long some of them were on their way, hundredths of a millisecond: an encoded histogram. */
  readonly times: string;
  /** How many listeners the server has disconnected. */
  readonly lost: number;
}

const atOnce = 20;
const joinMaxMs = 30_000;
/** The times of one listener of so many tell those of all. */
const timed = 20;
const message = "room:new_message";
/** What comes before the time in a message. */
const mark = Buffer.from('"body":"');

const clients: RawClient[] = [];
let times = hdr.build();
let countBefore = 0;

const nowMs = () => performance.timeOrigin + performance.now();
const countAll = () => clients.reduce((sum, client) => sum + client.count(message), 0);

/**
 * In turn, some at a time: a process that has many more connections than others closes some. It has as many as the
 * others in the end, so those come back once.
 */
async function join(roomId: string, listeners: readonly Listener[]): Promise<void> {
  for (let first = 0; first < listeners.length; first += atOnce) {
    const some = listeners.slice(first, first + atOnce);
    clients.push(...(await Promise.all(some.map((listener) => enter(roomId, listener)))));
  }
  for (const [nth, { closed }] of clients.entries()) if (closed) clients[nth] = await enter(roomId, listeners[nth]!);
  for (const client of clients.filter((_, nth) => nth % timed === 0))
    client.onEvent((name, frame) => {
      if (name !== message) return;
      const at = frame.indexOf(mark) + mark.length;
      const sentMs = Number(frame.toString("latin1", at, frame.indexOf(" ", at)));
      times.recordValue(Math.max(0, nowMs() - sentMs) * 100);
    });
}

async function enter(roomId: string, { url, auth }: Listener): Promise<RawClient> {
  const client = await RawClient.connect(url, auth);
  const answer = await Promise.race([client.emit("room:join", { room_id: roomId }), pause(joinMaxMs, "nothing")]);
  if (!answer.includes('"success":true')) throw new Error(`joining was answered with ${answer.slice(0, 200)}`);
  return client;
}

process.on("message", async (told: ToListeners) => {
  if (told.kind === "join") await join(told.roomId, told.listeners);
  if (told.kind === "listen") [times, countBefore] = [hdr.build(), countAll()];
  const heard: Heard = {
    count: countAll() - countBefore,
    times: hdr.encodeIntoCompressedBase64(times),
    lost: clients.filter(({ closed }) => closed).length,
  };
  process.send!(heard);
});
process.on("disconnect", () => process.exit());
