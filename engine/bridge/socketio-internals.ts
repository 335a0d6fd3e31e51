import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "socket.io";
import { Adapter, type BroadcastOptions } from "socket.io-adapter";
import { assertInternals } from "#shared/kernel/assert-internals.ts";
import type { RawConnection } from "../core/transport.ts";
import { assertWebSocket } from "../core/ws-internals.ts";

/** All that we use of Socket.IO and Engine.IO besides their interface. */

interface QueuedPacket {
  readonly data?: unknown;
}

interface Transport {
  readonly name: string;
  readonly writable: boolean;
  readonly socket?: RawConnection;
}

/** A connection of Engine.IO: packets not yet in the transport, and bytes not yet in the network. */
export interface EngineConnection {
  readonly id: string;
  /** The first one. Forgotten when the connection has a user. */
  readonly request: IncomingMessage;
  readonly readyState: string;
  readonly upgrading: boolean;
  readonly writeBuffer: readonly QueuedPacket[];
  readonly transport: Transport;
  on(change: "packet" | "close", listener: () => void): void;
  once(change: "close" | "upgrade", listener: (to: Transport) => void): void;
  /** Ends it without waiting: `close` would wait 30 s for a poll that doesn't come. */
  onClose(reason: string): void;
}

/** Asserts that a connection has what is read of it: a missing buffer would look like an empty one. */
export function assertConnection(connection: EngineConnection): void {
  const { id, readyState, upgrading, writeBuffer, transport, onClose } = connection;
  assertInternals("Engine.IO", {
    id: typeof id === "string",
    readyState: typeof readyState === "string",
    upgrading: typeof upgrading === "boolean",
    writeBuffer: Array.isArray(writeBuffer),
    "transport.writable": typeof transport?.writable === "boolean",
    "transport.socket.bufferedAmount":
      transport?.name !== "websocket" || typeof transport.socket?.bufferedAmount === "number",
    onClose: typeof onClose === "function",
  });
  if (transport.name === "websocket") assertWebSocket(transport.socket!);
}

export const connectionOf = (socket: Socket): EngineConnection => socket.conn as unknown as EngineConnection;

/** Returns the connection that a poll belongs to. */
export const polledConnection = (req: IncomingMessage): string =>
  (req as IncomingMessage & { readonly _query?: { readonly sid?: string } })._query?.sid ?? "";

/** Nothing reads the handshake again: its request, headers, and token are a fifth of what a connection holds. */
const forgotten: Socket["handshake"] = {
  headers: {},
  time: "",
  address: "",
  xdomain: false,
  secure: false,
  issued: 0,
  url: "",
  query: {},
  auth: {},
};

/** Forgets how a socket connected. Afterwards, `socket.request` is undefined. */
export function forgetHandshake(socket: Socket): void {
  Object.assign(socket, { handshake: forgotten });
  Object.assign(socket.conn, { request: undefined });
}

/** A Socket.IO connection, and what its client has not read yet. */
export interface Unread {
  readonly connection: EngineConnection;
  /** Responses to polls, if there have been any. */
  responses?: Set<ServerResponse>;
}

const sizeOf = ({ data }: QueuedPacket): number =>
  typeof data === "string" ? data.length : data instanceof Uint8Array ? data.byteLength : 0;

const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0);

/** Returns how many bytes wait for a Socket.IO connection. */
export function queuedFor({ connection: { writeBuffer, transport }, responses }: Unread): number {
  const inNetwork = transport.socket?.bufferedAmount ?? 0;
  // Nearly all connections are idle, and each is checked often.
  if (writeBuffer.length === 0 && !responses?.size) return inNetwork;
  return (
    sum(writeBuffer.map(sizeOf)) + inNetwork + sum([...(responses ?? [])].map(({ writableLength }) => writableLength))
  );
}

/** A packet as Socket.IO broadcasts it. */
export interface Packet {
  readonly data?: readonly unknown[];
  nsp?: string;
}

interface Encoder {
  _encode(packet: Packet, options: { wsPreEncodedFrame?: readonly Buffer[] }): readonly unknown[];
}

/** Encodes a packet: the text for other transports, and the frame for WebSockets, with its header. */
export function encode(adapter: Adapter, packet: Packet): { readonly text: string; readonly frame: Buffer } {
  const options: { wsPreEncodedFrame?: readonly Buffer[] } = {};
  const [text] = (adapter as unknown as Encoder)._encode(packet, options);
  return { text: String(text), frame: Buffer.concat(options.wsPreEncodedFrame ?? []) };
}

interface Writer {
  readonly conn: EngineConnection;
  writeToEngine(texts: readonly string[], options: object): void;
}

/** Writes to a socket as Engine.IO does: `frame` if it is a WebSocket, else the texts. */
export function writeEncoded(socket: Socket, texts: readonly string[], frame: Buffer): void {
  const writer = socket.client as unknown as Writer;
  const isWebSocket = writer.conn.transport.name === "websocket";
  writer.writeToEngine(isWebSocket ? [texts.join("")] : texts, {
    preEncoded: true,
    ...(isWebSocket && { wsPreEncodedFrame: [frame] }),
  });
}

type Takes = (packet: Packet, options: BroadcastOptions) => boolean;
const takers = new WeakMap<Adapter, Takes>();

/** Has `takes` deliver the broadcasts of an adapter; those for which it returns false are delivered as usual. */
export function takeBroadcasts(adapter: Adapter, takes: Takes): void {
  assertInternals("Socket.IO", {
    "adapter._encode": typeof (adapter as unknown as Partial<Encoder>)._encode === "function",
    "Adapter.prototype.broadcast": adapter instanceof Adapter && typeof broadcast === "function",
  });
  takers.set(adapter, takes);
}

// On the prototype, because adapters of several processes deliver to their own sockets by `super.broadcast`.
const { broadcast } = Adapter.prototype;
Adapter.prototype.broadcast = function deliver(this: Adapter, packet: Packet, options: BroadcastOptions): void {
  if (!takers.get(this)?.(packet, options)) broadcast.call(this, packet, options);
};
