import { Buffer } from "node:buffer";
import * as hdr from "hdr-histogram-js";
import { connectAll, type RawClient } from "./raw-client.ts";

/** A process of the load generator that holds some of the listeners. `crowd.ts` starts it. */

export interface Group {
  readonly url: string;
  readonly auths: readonly object[];
  readonly roomId: string;
}

export type ToListeners =
  | { readonly kind: "join"; readonly groups: readonly Group[] }
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

async function join(groups: readonly Group[]): Promise<void> {
  for (const { url, auths, roomId } of groups) {
    const added = await connectAll(url, auths, atOnce);
    for (let first = 0; first < added.length; first += atOnce)
      await Promise.all(
        added.slice(first, first + atOnce).map(async (client) => {
          const answer = await client.emit("room:join", { room_id: roomId });
          if (!answer.includes('"success":true')) throw new Error(`joining was answered with ${answer.slice(0, 200)}`);
        }),
      );
    for (const client of added.filter((_, nth) => nth % timed === 0))
      client.onEvent((name, frame) => {
        if (name !== message) return;
        const at = frame.indexOf(mark) + mark.length;
        const sentMs = Number(frame.toString("latin1", at, frame.indexOf(" ", at)));
        times.recordValue(Math.max(0, nowMs() - sentMs) * 100);
      });
    clients.push(...added);
  }
}

process.on("message", async (told: ToListeners) => {
  if (told.kind === "join") await join(told.groups);
  if (told.kind === "listen") [times, countBefore] = [hdr.build(), countAll()];
  const heard: Heard = {
    count: countAll() - countBefore,
    times: hdr.encodeIntoCompressedBase64(times),
    lost: clients.filter(({ closed }) => closed).length,
  };
  process.send!(heard);
});
process.on("disconnect", () => process.exit());
