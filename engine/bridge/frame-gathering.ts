import type { Server, Socket } from "socket.io";
import type { Adapter, BroadcastOptions } from "socket.io-adapter";
import type { ServerEvent } from "#shared/contracts/events.ts";
import { sendFrame } from "../core/ws-internals.ts";
import {
  connectionOf,
  type EngineConnection,
  encode,
  type Packet,
  takeBroadcasts,
  writeEncoded,
} from "./socketio-internals.ts";

/** Events that a crowd gets often, and of which none waits for its answer. All others leave at once. */
const patient: ReadonlySet<string> = new Set<ServerEvent>([
  "room:new_message",
  "room:participant_joined",
  "room:participant_left",
  "room:member_updated",
  "room:members_counted",
  "gift:animation",
]);

/** Whether an event may wait for others, in a crowd. */
export const isPatient = (event: string): boolean => patient.has(event);

/** To fewer sockets, or members on their way to other processes, gathering events saves less than it delays them. */
export const crowdMin = 100;
/** After a delivery, the next one to the same room waits this long for each socket, but no longer than `gapMaxMs`. */
const gapPerSocketMs = 0.04;
const gapMaxMs = 25;
/**
 * If the last delivery took long, the next one waits four times as long, but no longer than 100 ms, so that most time
 * is left for other work. One that took over 40 ms shows that the machine is busy: then 2.5 times as long, and 250 ms
 * at most.
 */
const restFactor = 4;
const busyRestMs = 100;
const busyRestFactor = 2.5;
const restMaxMs = 250;
/** More bytes than this don't wait for the end of the gap. */
const gatheredBytesMax = 32 * 1024;

interface Delivery {
  readonly sockets: number;
  readonly tookMs: number;
  /** Whether it was of events that had waited. */
  readonly isGathered: boolean;
}

/**
 * Returns how long the next delivery to a crowd waits, milliseconds. After an event that came alone, only a really long
 * delivery counts: in a room of hundreds, events are gathered when they are dense, not because one was a little slow.
 */
export function gapAfter({ sockets, tookMs, isGathered }: Delivery): number {
  const gapMs = Math.min(gapMaxMs, sockets * gapPerSocketMs);
  if (!isGathered && tookMs <= gapMaxMs) return gapMs;
  const busyMs = Math.max(busyRestMs, tookMs * busyRestFactor);
  return Math.max(gapMs, Math.min(restMaxMs, busyMs, tookMs * restFactor));
}

interface Encoded {
  /** For transports other than WebSocket. */
  readonly text: string;
  /** For WebSockets, with its header. */
  readonly frame: Buffer;
}

/** What waits for the end of a room's gap; at least one event. */
interface Gap {
  readonly events: Encoded[];
  /** How many of the events a socket doesn't get, or has had already, because it came later or something overtook. */
  readonly ahead: Map<string, number>;
  bytes: number;
  /** None if it ends with what is delivered together. */
  readonly timer: NodeJS.Timeout | undefined;
}

/**
 * Delivers what is pushed to the sockets of this process. Half of the cost of a delivery is the write to the network,
 * so events that follow each other closely in a crowded room are written together: after a delivery, those that come
 * within a gap of 4 to 25 ms, or up to 250 ms if writing takes long, wait for its end. The order that each socket sees
 * doesn't change: whatever else goes to a socket takes along what waits for it.
 */
export class FrameGathering {
  readonly #adapter: Adapter;
  readonly #sockets: ReadonlyMap<string, Socket>;
  readonly #gaps = new Map<string, Gap>();
  /**
   * When the last gap of each crowded room ends, by `performance.now()`. A gap in which nothing comes needs no timer.
   */
  readonly #gapEndsMs = new Map<string, number>();
  /** The rooms whose events are just being delivered together. */
  #together: string[] | undefined;

  constructor(io: Server) {
    const { adapter, sockets } = io.of("/");
    this.#adapter = adapter;
    this.#sockets = sockets;
    takeBroadcasts(adapter, (packet, options) => this.#takes(packet, options));
    adapter.on("join-room", (channel: string, id: string) => {
      const gap = this.#gaps.get(channel);
      gap?.ahead.set(id, gap.events.length);
    });
    adapter.on("leave-room", (channel: string, id: string) => {
      const gap = this.#gaps.get(channel);
      if (gap) this.#send(id, gap);
    });
    adapter.on("delete-room", (channel: string) => this.#gapEndsMs.delete(channel));
  }

  /** Whether a broadcast is delivered here, at once or later. If not, what it would overtake has left. */
  #takes(packet: Packet, { rooms, except, flags }: BroadcastOptions): boolean {
    const [channel] = rooms;
    const mayWait = rooms.size === 1 && !except?.size && !flags?.volatile && isPatient(String(packet.data?.[0]));
    if (mayWait) {
      const gap = this.#gaps.get(channel!) ?? this.#begin(channel!);
      return gap ? this.#add(channel!, gap, packet) : this.#deliverFirst(channel!, packet);
    }
    if (this.#gaps.size === 0) return false;
    for (const each of rooms.size > 0 ? rooms : [...this.#gaps.keys()])
      if (this.#gaps.has(each)) this.#deliver(each);
      else for (const id of this.#adapter.rooms.get(each) ?? []) this.catchUp(id);
    return false;
  }

  /** What `work` delivers to a room is written together, unless it waits for longer. */
  together(work: () => void): void {
    const rooms: string[] = [];
    this.#together = rooms;
    try {
      work();
    } finally {
      this.#together = undefined;
      for (const channel of rooms) if (this.#gaps.has(channel)) this.#deliver(channel);
    }
  }

  /** Sends a socket what waits for it. Comes before anything that goes to this socket alone. */
  catchUp(id: string): void {
    if (this.#gaps.size === 0) return;
    for (const channel of this.#adapter.sids.get(id) ?? []) {
      const gap = this.#gaps.get(channel);
      if (gap) this.#send(id, gap);
    }
  }

  /** Delivers what nothing waits for before it. */
  #deliverFirst(channel: string, packet: Packet): boolean {
    const ids = this.#adapter.rooms.get(channel);
    if (!ids) return false;
    const startedMs = performance.now();
    const event = this.#encode(packet);
    for (const id of ids) this.#write(id, [event], event);
    this.#rest(channel, performance.now() - startedMs, false);
    return true;
  }

  /** Begins a gap after a delivery, if the room is crowded. */
  #rest(channel: string, tookMs: number, isGathered: boolean): void {
    const sockets = this.#adapter.rooms.get(channel)?.size ?? 0;
    if (sockets < crowdMin) return;
    this.#gapEndsMs.set(channel, performance.now() + gapAfter({ sockets, tookMs, isGathered }));
  }

  /** Has events wait for the end of the room's gap, or of what is delivered together; undefined if neither is on. */
  #begin(channel: string): Gap | undefined {
    const waitMs = (this.#gapEndsMs.get(channel) ?? 0) - performance.now();
    if (waitMs <= 0 && !this.#together) return undefined;
    const timer = waitMs > 0 ? setTimeout(() => this.#deliver(channel), waitMs) : undefined;
    if (!timer) this.#together!.push(channel);
    const gap: Gap = { events: [], ahead: new Map(), bytes: 0, timer };
    this.#gaps.set(channel, gap);
    return gap;
  }

  #encode(packet: Packet): Encoded {
    packet.nsp = "/";
    return encode(this.#adapter, packet);
  }

  #add(channel: string, gap: Gap, packet: Packet): true {
    const event = this.#encode(packet);
    gap.events.push(event);
    gap.bytes += event.frame.length;
    if (gap.bytes > gatheredBytesMax) this.#deliver(channel);
    return true;
  }

  #deliver(channel: string): void {
    const gap = this.#gaps.get(channel)!;
    clearTimeout(gap.timer);
    this.#gaps.delete(channel);
    const startedMs = performance.now();
    const all = join(gap.events);
    for (const id of this.#adapter.rooms.get(channel) ?? [])
      if (gap.ahead.has(id)) this.#send(id, gap);
      else this.#write(id, gap.events, all);
    this.#rest(channel, performance.now() - startedMs, true);
  }

  #send(id: string, gap: Gap): void {
    const rest = gap.events.slice(gap.ahead.get(id));
    gap.ahead.set(id, gap.events.length);
    if (rest.length > 0) this.#write(id, rest, join(rest));
  }

  #write(id: string, events: readonly Encoded[], all: Encoded): void {
    const socket = this.#sockets.get(id);
    if (!socket) return;
    const connection = connectionOf(socket);
    if (isUpToDate(connection)) sendFrame(connection.transport.socket!, all.frame);
    else
      writeEncoded(
        socket,
        events.map(({ text }) => text),
        all.frame,
      );
  }
}

/**
 * Whether nothing waits for a WebSocket, in Engine.IO or below. A frame may then pass by Engine.IO, whose packets,
 * callbacks, and events cost as much as the write to the network.
 */
const isUpToDate = ({ readyState, upgrading, writeBuffer, transport }: EngineConnection): boolean =>
  transport.name === "websocket" &&
  readyState === "open" &&
  !upgrading &&
  transport.writable &&
  writeBuffer.length === 0 &&
  transport.socket?.bufferedAmount === 0;

/** Several events as one write. Engine.IO sends the frame; the text only tells how much waits. */
function join(events: readonly Encoded[]): Encoded {
  if (events.length === 1) return events[0]!;
  return {
    text: events.map(({ text }) => text).join(""),
    frame: Buffer.concat(events.map(({ frame }) => frame)),
  };
}
