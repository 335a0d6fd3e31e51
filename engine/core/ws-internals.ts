import { assertInternals } from "#shared/kernel/assert-internals.ts";

/** What we use of a WebSocket of ws besides its interface: the sender, which writes frames that are made already. */
interface RawSocket {
  readonly OPEN: number;
  readonly readyState: number;
  readonly _sender: Sender;
  send(data: unknown, options?: unknown, callback?: unknown): void;
}

interface Sender {
  sendFrame(frames: readonly Buffer[]): void;
}

interface SenderClass {
  /** Returns the header and the data. */
  frame(data: Uint8Array, options: object): Buffer[];
}

const senderClassOf = ({ _sender }: RawSocket): SenderClass => _sender.constructor as unknown as SenderClass;

/** Asserts that an open WebSocket has what this file uses. */
export function assertWebSocket(socket: object): void {
  const { _sender } = socket as Partial<RawSocket>;
  assertInternals("ws", {
    "_sender.sendFrame": typeof _sender?.sendFrame === "function",
    "Sender.frame": typeof (_sender?.constructor as Partial<SenderClass> | undefined)?.frame === "function",
  });
}

/** Writes a frame, header included, past the queue: nothing may wait in it. */
export const sendFrame = (socket: object, frame: Buffer): void => (socket as RawSocket)._sender.sendFrame([frame]);

const binaryFrame = { fin: true, opcode: 2, mask: false, readOnly: true, rsv1: false };

let last: { readonly data: unknown; readonly frame: Buffer } | undefined;

function frameOf(data: Uint8Array, raw: RawSocket): Buffer {
  if (last?.data !== data) last = { data, frame: Buffer.concat(senderClassOf(raw).frame(data, binaryFrame)) };
  return last!.frame;
}

/**
 * Colyseus sends a broadcast to one client after the other. With this, the bytes are framed once for all of them, and
 * each frame is one write instead of two.
 */
export function shareFrames(socket: object): void {
  assertWebSocket(socket);
  const raw = socket as RawSocket;
  const { send } = raw;
  raw.send = (data, options, callback) => {
    const isPlain = data instanceof Uint8Array && callback === undefined && raw.readyState === raw.OPEN;
    if (isPlain) sendFrame(raw, frameOf(data, raw));
    else send.call(raw, data, options, callback);
  };
}
