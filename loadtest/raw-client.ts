import { connect, type Socket } from "node:net";
import type { ServerEvent } from "#shared/contracts/events.ts";

/** Frame types of WebSocket. */
const text = 1;
const close = 8;

/** What each read fills. It is used up before the next one: a buffer for each would be most of the client's work. */
const received = Buffer.alloc(64 * 1024);

/**
 * A Socket.IO client over WebSocket that does as little as possible, so that thousands fit into one process and what is
 * measured is the server: it counts events by name and parses only acknowledgements that someone reads.
 */
export class RawClient {
  readonly #socket: Socket;
  readonly #counts = new Map<string, number>();
  readonly #waiting = new Map<number, (answer: string) => void>();
  #rest: Buffer = Buffer.alloc(0);
  #nextId = 0;
  #onOpen: (() => void) | undefined;
  #onEvent: ((name: string, frame: Buffer) => void) | undefined;
  closed = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Connects and authenticates. Rejects if the server closes the connection first. */
  static connect(url: string, auth: object): Promise<RawClient> {
    const { hostname, port } = new URL(url);
    return new Promise((resolve, reject) => {
      let hear = (chunk: Buffer) => onHead(chunk);
      const socket = connect({
        port: Number(port),
        host: hostname,
        onread: {
          buffer: received,
          callback: (size) => {
            hear(received.subarray(0, size));
            return true;
          },
        },
      });
      const client = new RawClient(socket);
      socket.setNoDelay(true);
      socket.once("connect", () =>
        socket.write(
          `GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: ${hostname}:${port}\r\nUpgrade: websocket\r\n` +
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: aHViYnViIGxvYWQgdGVzdA==\r\n\r\n",
        ),
      );
      socket.on("error", reject);
      socket.once("close", () => {
        client.closed = true;
        reject(new Error("the server closed the connection"));
      });
      let head = Buffer.alloc(0);
      const onHead = (chunk: Buffer) => {
        head = Buffer.concat([head, chunk]);
        const end = head.indexOf("\r\n\r\n");
        if (end < 0) return;
        hear = (data) => client.#receive(data);
        client.#send(`40${JSON.stringify(auth)}`);
        if (head.length > end + 4) client.#receive(head.subarray(end + 4));
      };
      client.#onOpen = () => resolve(client);
      socket.resume(); // Otherwise, it would not notice its end.
    });
  }

  /** How many events of this name have arrived. */
  count(event: ServerEvent): number {
    return this.#counts.get(event) ?? 0;
  }

  /** Calls `listener` for each event. `frame`: the packet as it came. */
  onEvent(listener: (name: string, frame: Buffer) => void): void {
    this.#onEvent = listener;
  }

  /** Sends an event. Returns the text of the answer's envelope, not parsed. */
  emit(event: string, payload: object): Promise<string> {
    const id = this.#nextId;
    this.#nextId += 1;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#send(`42${id}${JSON.stringify([event, payload])}`);
    });
  }

  /** Ends the connection without a word, as a lost network does. */
  cut(): void {
    this.#socket.destroy();
  }

  #send(packet: string): void {
    const body = Buffer.from(packet);
    const long = body.length > 125;
    const header = Buffer.alloc(long ? 8 : 6);
    header[0] = 0x80 | text;
    // Clients must mask. A mask of zeros changes nothing.
    header[1] = 0x80 | (long ? 126 : body.length);
    if (long) header.writeUInt16BE(body.length, 2);
    this.#socket.write(Buffer.concat([header, body]));
  }

  #receive(chunk: Buffer): void {
    const data = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    let at = 0;
    while (data.length - at >= 2) {
      const short = data[at + 1]! & 0x7f;
      const headerSize = short < 126 ? 2 : short === 126 ? 4 : 10;
      if (data.length - at < headerSize) break;
      const size =
        short < 126 ? short : short === 126 ? data.readUInt16BE(at + 2) : Number(data.readBigUInt64BE(at + 2));
      const end = at + headerSize + size;
      if (data.length < end) break;
      this.#handle(data[at]! & 0x0f, data.subarray(at + headerSize, end));
      at = end;
    }
    this.#rest = at === data.length ? Buffer.alloc(0) : Buffer.from(data.subarray(at));
  }

  #handle(type: number, body: Buffer): void {
    if (type === close) this.cut();
    if (type !== text) return;
    // The packet's types, in Engine.IO and in Socket.IO.
    if (body.length === 1 && body[0] === digit(2)) this.#send("3");
    if (body[0] !== digit(4)) return;
    if (body[1] === digit(0)) this.#onOpen?.();
    if (body[1] === digit(2)) this.#count(body);
    if (body[1] === digit(3)) this.#acknowledge(body);
  }

  #count(body: Buffer): void {
    const event = eventOf(body);
    this.#counts.set(event, (this.#counts.get(event) ?? 0) + 1);
    this.#onEvent?.(event, body);
  }

  #acknowledge(body: Buffer): void {
    const start = body.indexOf("[");
    const id = Number(body.toString("latin1", 2, start));
    this.#waiting.get(id)?.(body.toString("utf8", start + 1, body.length - 1));
    this.#waiting.delete(id);
  }
}

const digit = (value: number): number => 0x30 + value;

/** The start of the last packet, and its event: most packets are of the same event as the one before. */
let last = { start: Buffer.alloc(0), event: "" };

/** Returns the event of a packet such as `42["room:joined",…]`. */
function eventOf(body: Buffer): string {
  if (last.event === "" || last.start.compare(body, 0, last.start.length) !== 0) {
    const end = body.indexOf('"', 4);
    last = { start: Buffer.from(body.subarray(0, end + 1)), event: body.toString("latin1", 4, end) };
  }
  return last.event;
}

/** Returns the number at the end of a packet, its `seq`. */
export function lastNumberIn(packet: Buffer): number {
  let at = packet.length - 1;
  while (packet[at]! < digit(0) || packet[at]! > digit(9)) at -= 1;
  let value = 0;
  for (let factor = 1; packet[at]! >= digit(0) && packet[at]! <= digit(9); at -= 1, factor *= 10)
    value += (packet[at]! - digit(0)) * factor;
  return value;
}

/** Connects many clients, some at a time. `eachAuth`: what each sends to authenticate. */
export async function connectAll(url: string, eachAuth: readonly object[], atOnce = 50): Promise<RawClient[]> {
  const clients: RawClient[] = new Array(eachAuth.length);
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < eachAuth.length; index = next++)
      clients[index] = await RawClient.connect(url, eachAuth[index]!);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return clients;
}
