import { Client as NativeClient, type Room as NativeRoom } from "@colyseus/sdk";
import { io, type Socket } from "socket.io-client";
import { checkAcknowledgement, checkPush } from "#shared/testing/check-event.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests look into payloads freely.
export type Payload = any;

interface Received {
  event: string;
  payload: Payload;
}

/** What a client has received, in order, and a way to wait for more of it. */
export class Inbox {
  readonly all: Received[] = [];
  #watchers = new Set<() => void>();

  /** What the service has pushed; it is held against the table of events, see `closeClients`. */
  push(event: string, payload: Payload): void {
    try {
      checkPush(event, payload);
    } catch (fault) {
      faults.push(fault);
    }
    this.add(event, payload);
  }

  /** What the client has noticed, such as the end of its connection. */
  add(event: string, payload: Payload): void {
    this.all.push({ event, payload });
    for (const watcher of this.#watchers) watcher();
  }

  of(event: string): Payload[] {
    return this.all.filter((received) => received.event === event).map(({ payload }) => payload);
  }

  /** The first event of this name that fits, already here or still to come. */
  async next(event: string, fits: (payload: Payload) => boolean = () => true, withinMs = 5000): Promise<Payload> {
    const find = () => this.all.find((received) => received.event === event && fits(received.payload))?.payload;
    const here = find();
    if (here !== undefined) return here;
    return new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer);
        this.#watchers.delete(watcher);
      };
      const watcher = () => {
        const found = find();
        if (found === undefined) return;
        stop();
        resolve(found);
      };
      const timer = setTimeout(() => {
        stop();
        reject(new Error(`no ${event} within ${withinMs} ms; got ${this.all.map((one) => one.event).join(", ")}`));
      }, withinMs);
      this.#watchers.add(watcher);
    });
  }
}

/** A Socket.IO client. */
export interface SocketClient {
  socket: Socket;
  inbox: Inbox;
  /** Sends an event and gives the acknowledgement. */
  ask(event: string, payload?: unknown): Promise<Payload>;
  close(): void;
}

const open = new Set<{ close(): void }>();
/** Pushes that do not fit the table: a listener has nobody to throw them at. */
const faults: unknown[] = [];

/**
 * Closes what the tests of a file have opened; for an `afterEach`.
 * @throws AggregateError when something was pushed to one of them that the table of events does not allow
 */
export function closeClients(): void {
  for (const client of open) client.close();
  open.clear();
  const found = faults.splice(0);
  if (found.length > 0) throw new AggregateError(found, found.map(String).join("\n"));
}

/** Sends an event by `send` and holds the answer against the table. */
async function askChecked(event: string, send: () => Promise<Payload>): Promise<Payload> {
  const answer = await send();
  checkAcknowledgement(event, answer);
  return answer;
}

/** Connects over Socket.IO; rejects with the `connect_error`. */
export async function connectSocket(url: string, token: string): Promise<SocketClient> {
  const socket = io(url, { auth: { token }, transports: ["websocket"], reconnection: false, forceNew: true });
  const inbox = new Inbox();
  socket.onAny((event: string, payload: Payload) => inbox.push(event, payload));
  socket.on("disconnect", (reason) => inbox.add("disconnect", { reason }));
  const client: SocketClient = {
    socket,
    inbox,
    ask: (event, payload) => askChecked(event, () => socket.timeout(8000).emitWithAck(event, payload)),
    close: () => void socket.disconnect(),
  };
  open.add(client);
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("connect_error", reject);
  });
  return client;
}

/** What Colyseus writes to the console of connections that a test ends, and of bytes that are meant to be wrong. */
const expectedRemarks = ["Room connection was closed unexpectedly", "[Colyseus reconnection]", "decode.utf8Read()"];
for (const level of ["error", "warn", "info"] as const) {
  const say = console[level];
  console[level] = (...words: unknown[]) => {
    if (!expectedRemarks.some((remark) => String(words[0]).startsWith(remark))) say(...words);
  };
}

/** A native Colyseus client in a room. */
export interface NativeTestClient {
  room: NativeRoom;
  inbox: Inbox;
  ask(event: string, payload?: unknown): Promise<Payload>;
  close(): void;
}

/** Joins the actor `kind` as a native client; rejects with the SDK's error. */
export async function joinNative(
  url: string,
  token: string,
  options: { room_id: string; password?: string },
  kind = "voice_room",
): Promise<NativeTestClient> {
  const sdk = new NativeClient(url);
  sdk.auth.token = token;
  const room = await sdk.join(kind, options);
  const inbox = new Inbox();
  room.onMessage("*", (event, payload) => inbox.push(String(event), payload));
  room.onLeave((code) => inbox.add("leave", { code }));
  const client: NativeTestClient = {
    room,
    inbox,
    ask: (event, payload) => askChecked(event, () => room.request(event, payload as never) as Promise<Payload>),
    close: () => void room.leave(),
  };
  open.add(client);
  return client;
}
