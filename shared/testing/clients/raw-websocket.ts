import { type IncomingMessage, request, Server } from "node:http";
import type { Duplex } from "node:stream";
import { until } from "#shared/testing/until.ts";

/** A raw WebSocket client that can send invalid frames and stop reading. */
export interface RawWebSocket {
  send(data: string | Uint8Array): void;
  /** Sends this many control frames. */
  ping(count: number): void;
  /** Stops reading. Incoming data fills the buffers of the network, then those of the sender. */
  pause(): void;
  /** Reads again. */
  resume(): void;
  /** Waits until this text is received in any frame. */
  heard(text: string): Promise<void>;
  readonly closed: Promise<unknown>;
  close(): void;
}

/** Connects to a path of a service. @throws Error with the status if the response isn't an upgrade */
export async function openRawWebSocket(url: string, path: string): Promise<RawWebSocket> {
  const headers = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": Buffer.alloc(16, 1).toString("base64"),
  };
  const asked = request(new URL(path, url), { headers });
  asked.end();
  const socket = await new Promise<Duplex>((resolve, reject) => {
    asked.once("upgrade", (_response, upgraded, head) => {
      upgraded.unshift(head);
      resolve(upgraded);
    });
    asked.once("response", ({ statusCode }) => reject(new Error(`${statusCode}`)));
    asked.once("error", reject);
  });
  let received = "";
  let unread: Buffer = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk]);
    for (let next = takeFrame(unread); next; next = takeFrame(unread)) {
      unread = next.rest;
      received += next.payload.toString("latin1");
      if (next.opcode === closeOpcode) socket.destroy();
    }
  });
  // Some tests expect to be disconnected.
  socket.on("error", () => socket.destroy());
  const closed = new Promise((resolve) => socket.once("close", resolve));
  return {
    send: (data) => void socket.write(frame(data)),
    ping: (count) => void socket.write(Buffer.alloc(count * pingFrame.length, pingFrame)),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    heard: (text) => until(`${text} comes`, () => received.includes(text)),
    closed,
    close: () => void socket.destroy(),
  };
}

const closeOpcode = 8;
/** Without a payload, and masked with zeros. */
const pingFrame = Buffer.from([0x89, 0x80, 0, 0, 0, 0]);

/** Returns the first (unmasked) frame of the received data, or undefined while it is incomplete. */
function takeFrame(bytes: Buffer): { opcode: number; payload: Buffer; rest: Buffer } | undefined {
  const short = (bytes[1] ?? 0) & 0x7f;
  const start = short < 126 ? 2 : short === 126 ? 4 : 10;
  if (bytes.length < start) return undefined;
  const length = start === 2 ? short : start === 4 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  const end = start + length;
  if (bytes.length < end) return undefined;
  return { opcode: bytes[0]! & 0x0f, payload: bytes.subarray(start, end), rest: bytes.subarray(end) };
}

/** Returns a frame, masked with zeros, because clients must mask frames. */
function frame(data: string | Uint8Array): Buffer {
  const payload = Buffer.from(data as Uint8Array);
  const head = Buffer.alloc(payload.length < 126 ? 2 : payload.length < 65_536 ? 4 : 10);
  head[0] = typeof data === "string" ? 0x81 : 0x82;
  head[1] = 0x80 | (head.length === 2 ? payload.length : head.length === 4 ? 126 : 127);
  if (head.length === 4) head.writeUInt16BE(payload.length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([head, Buffer.alloc(4), payload]);
}

/** Opens a WebSocket to a service in this process, and watches the request by which the service is asked for it. */
export async function openWatched(
  url: string,
  path: string,
): Promise<{ client: RawWebSocket; request: WeakRef<IncomingMessage> }> {
  const { emit } = Server.prototype;
  let asked: WeakRef<IncomingMessage> | undefined;
  Server.prototype.emit = function (this: Server, ...args: Parameters<typeof emit>) {
    if (args[0] === "upgrade") asked = new WeakRef(args[1] as IncomingMessage);
    return emit.apply(this, args);
  } as typeof emit;
  const client = await openRawWebSocket(url, path).finally(() => Object.assign(Server.prototype, { emit }));
  return { client, request: asked! };
}
