import { Client as NativeClient, type Room as NativeRoom } from "@colyseus/sdk";
import { io, type Socket } from "socket.io-client";
import { checkAcknowledgement, checkPush } from "#shared/testing/check-event.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests access arbitrary fields of payloads.
export type Payload = any;

interface Received {
  event: string;
  payload: Payload;
}

/** The received events of a client, in order, and a way to wait for more. */
export class Inbox {
  readonly all: Received[] = [];
  #watchers = new Set<() => void>();

  /** Server events, which `closeClients` checks against the table of events. */
  push(event: string, payload: Payload): void {
    try {
      checkPush(event, payload);
    } catch (error) {
      failures.push(error);
    }
    this.add(event, payload);
  }

  /** Client-side events, such as disconnects. */
  add(event: string, payload: Payload): void {
    this.all.push({ event, payload });
    for (const watcher of this.#watchers) watcher();
  }

  of(event: string): Payload[] {
    return this.all.filter((received) => received.event === event).map(({ payload }) => payload);
  }

  /** Resolves to the first matching event of this name, already received or not. */
  async next(event: string, fits: (payload: Payload) => boolean = () => true, withinMs = 15_000): Promise<Payload> {
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
  /** Sends an event and returns its acknowledgement. */
  ask(event: string, payload?: unknown): Promise<Payload>;
  close(): void;
}

const open = new Set<{ close(): void }>();
/** Server events that don't match the table. Collected, because exceptions in listeners would be lost. */
const failures: unknown[] = [];

/**
 * Closes all clients of a test file. Call it in an `afterEach`.
 * @throws AggregateError if a client received an event that doesn't match the table of events
 */
export function closeClients(): void {
  for (const client of open) client.close();
  open.clear();
  const found = failures.splice(0);
  if (found.length > 0) throw new AggregateError(found, found.map(String).join("\n"));
}

/** Sends an event with `send` and checks its acknowledgement against the table. */
async function askChecked(event: string, send: () => Promise<Payload>): Promise<Payload> {
  const answer = await send();
  checkAcknowledgement(event, answer);
  return answer;
}

/** Longer than a process waits for another one, which is 10 s: what it answers then is seen. */
const answerMs = 12_000;

/** Connects over Socket.IO. Rejects with the `connect_error`. */
export async function connectSocket(
  url: string,
  token: string,
  more: { language?: string } = {},
): Promise<SocketClient> {
  const socket = io(url, { auth: { token, ...more }, transports: ["websocket"], reconnection: false, forceNew: true });
  const inbox = new Inbox();
  socket.onAny((event: string, payload: Payload) => inbox.push(event, payload));
  socket.on("disconnect", (reason) => inbox.add("disconnect", { reason }));
  const client: SocketClient = {
    socket,
    inbox,
    ask: (event, payload) => askChecked(event, () => socket.timeout(answerMs).emitWithAck(event, payload)),
    close: () => void socket.disconnect(),
  };
  open.add(client);
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("connect_error", reject);
  });
  return client;
}

/** Returns "ok", or the error code of an acknowledgement or an answer. */
export const codeOf = (envelope: Payload): string => envelope.error?.code ?? "ok";

/** Connects over Socket.IO and joins a voice room. Rejects with the error code of the refusal. */
export async function joinVoiceRoom(url: string, token: string, roomId: string): Promise<SocketClient> {
  const client = await connectSocket(url, token);
  const code = codeOf(await client.ask("room:join", { room_id: roomId }));
  if (code !== "ok") throw new Error(code);
  return client;
}

/** Console output of Colyseus about connections that tests close, and about deliberately invalid data. */
const expectedRemarks = ["Room connection was closed unexpectedly", "[Colyseus reconnection]", "decode.utf8Read()"];
for (const level of ["error", "warn", "info"] as const) {
  const say = console[level];
  console[level] = (...words: unknown[]) => {
    if (!expectedRemarks.some((remark) => String(words[0]).startsWith(remark))) say(...words);
  };
}

/** Calls the matchmaker as Colyseus' SDK does. `path` is the method and the kind of room; a string is sent as it is. */
export async function callMatchmaker(url: string, path: string, options: unknown, token?: string, more = {}) {
  const response = await fetch(`${url}/matchmake/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }), ...more },
    body: typeof options === "string" ? options : JSON.stringify(options),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Payload };
}

/** A native Colyseus client in a room. */
export interface NativeTestClient {
  room: NativeRoom;
  inbox: Inbox;
  ask(event: string, payload?: unknown): Promise<Payload>;
  close(): void;
}

/** Joins an actor of type `kind` as a native client. Rejects with the SDK's error. */
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
