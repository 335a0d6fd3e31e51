/** A WebSocket of ws, as Colyseus sends through it. */
interface Sending {
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

const binaryFrame = { fin: true, opcode: 2, mask: false, readOnly: true, rsv1: false };

let last: { readonly data: unknown; readonly frame: Buffer } | undefined;

function frameOf(data: Uint8Array, { _sender }: Sending): Buffer {
  if (last?.data !== data) {
    const { frame } = _sender.constructor as unknown as SenderClass;
    last = { data, frame: Buffer.concat(frame(data, binaryFrame)) };
  }
  return last!.frame;
}

/**
 * Colyseus sends a broadcast to one client after the other. With this, the bytes are framed once for all of them, and
 * each frame is one write instead of two.
 */
export function shareFrames(socket: object): void {
  const raw = socket as Sending;
  const { send } = raw;
  raw.send = (data, options, callback) => {
    const isPlain = data instanceof Uint8Array && callback === undefined && raw.readyState === raw.OPEN;
    if (isPlain) raw._sender.sendFrame([frameOf(data, raw)]);
    else send.call(raw, data, options, callback);
  };
}
