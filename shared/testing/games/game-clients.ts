import { setTimeout as pause } from "node:timers/promises";
import { Client as NativeClient, type Room as NativeRoom } from "@colyseus/sdk";
import { io, type Socket } from "socket.io-client";
import type { GameActionInput } from "#shared/contracts/game-actions.ts";
import type { Session } from "#shared/contracts/views.ts";

export interface Person {
  readonly id: string;
  readonly token: string;
}

export interface GameAnswer {
  readonly success: boolean;
  readonly data?: Session;
  readonly error?: { readonly code: string; readonly message: string };
}

/** Receives everything that the server sends, unmodified. Bytes are decoded as Latin-1, which preserves ASCII. */
type Recorder = (left: string) => void;

/** Minimum interval between actions of a native player. */
const nativePauseMs = 12;

export type TransportName = "socket" | "native" | "rest";

/** A user in a game, over one transport. */
export interface GameClient {
  readonly person: Person;
  act(action: GameActionInput, action_id?: string): Promise<GameAnswer>;
}

/** Rejects if the connection closes first. `watch` returns a function that stops watching. */
function unlessGone<T>(asked: Promise<T>, watch: (end: () => void) => () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = watch(() => reject(new Error("the connection has ended")));
    asked.then(resolve, reject).finally(stop);
  });
}

/** Everything that a user receives in games, over all transports. */
export class Watcher {
  readonly person: Person;
  readonly #url: string;
  readonly #socket: Socket;
  readonly #native: NativeClient;
  #record: Recorder = () => {};
  #see: (state: Session) => void = () => {};

  private constructor(url: string, person: Person, socket: Socket) {
    this.person = person;
    this.#url = url;
    this.#socket = socket;
    this.#native = new NativeClient(url);
    this.#native.auth.token = person.token;
    socket.io.engine.on("data", (data: unknown) => this.#record(String(data)));
    socket.on("game:state", ({ state }: { state: Session }) => this.#see(state));
  }

  /** Connects a user over Socket.IO. Other connections are opened on first use. */
  static async connect(url: string, person: Person): Promise<Watcher> {
    const auth = { token: person.token };
    const socket = io(url, { auth, transports: ["websocket"], forceNew: true, reconnection: false });
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("connect_error", reject);
    });
    return new Watcher(url, person, socket);
  }

  /** Passes all further data to these listeners. */
  watch(record: Recorder, see: (state: Session) => void): void {
    this.#record = record;
    this.#see = see;
  }

  close(): void {
    this.#socket.disconnect();
  }

  async enterRoom(room_id: string): Promise<void> {
    const answer = (await this.#socket.timeout(20_000).emitWithAck("room:join", { room_id })) as GameAnswer;
    if (!answer.success) throw new Error(`joining the room was refused: ${answer.error?.code}`);
  }

  /** Calls the REST API and returns the envelope. */
  async rest(method: string, path: string, body?: object): Promise<GameAnswer> {
    const headers = { authorization: `Bearer ${this.person.token}`, "content-type": "application/json" };
    const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const text = await (await fetch(`${this.#url}/api/v1${path}`, sent)).text();
    this.#record(text);
    const answer = JSON.parse(text) as GameAnswer;
    return answer;
  }

  /** Joins the game's actor as a native client. */
  async joinNatively(session_id: string): Promise<NativeRoom> {
    const room: NativeRoom = await this.#native.join("game_session", { session_id });
    // The client itself reports when it is disconnected.
    room.reconnection.enabled = false;
    const { events } = room.connection;
    const receive = events.onmessage;
    events.onmessage = (event: { data: ArrayBuffer }) => {
      this.#record(Buffer.from(event.data).toString("latin1"));
      return receive?.(event);
    };
    // The first state may have arrived with the response to the join.
    room.onStateChange((state) => this.#record(JSON.stringify(state)));
    room.onMessage("*", (event, payload: { state: Session }) => {
      if (event === "game:state") this.#see(payload.state);
    });
    return room;
  }

  /** Sends actions in a game over one transport. */
  async enter(transport: TransportName, session_id: string): Promise<GameClient> {
    const { person } = this;
    const actBy = await this.#actor(transport, session_id);
    const act = async (action: GameActionInput, action_id?: string) => {
      const answer = await actBy(action, action_id);
      if (answer.data) this.#see(answer.data);
      return answer;
    };
    return { person, act };
  }

  async #actor(transport: TransportName, session_id: string): Promise<GameClient["act"]> {
    const payload = (action: GameActionInput, action_id?: string) => ({
      session_id,
      action,
      ...(action_id && { action_id }),
    });
    if (transport === "socket") {
      const socket = this.#socket;
      const onEnd = (end: () => void) => {
        socket.once("disconnect", end);
        return () => void socket.off("disconnect", end);
      };
      return (action, action_id) => {
        const asked = socket.timeout(20_000).emitWithAck("game:action", payload(action, action_id));
        return unlessGone(asked as Promise<GameAnswer>, onEnd);
      };
    }
    if (transport === "native") {
      const room = await this.joinNatively(session_id);
      const onEnd = (end: () => void) => {
        room.onLeave(end);
        return () => room.onLeave.remove(end);
      };
      let nextMs = 0;
      return async (action, action_id) => {
        // The server closes connections that send more than 100 messages per second.
        const pauseMs = nextMs - performance.now();
        if (pauseMs > 0) await pause(pauseMs);
        nextMs = Math.max(nextMs, performance.now()) + nativePauseMs;
        const asked = room.request("game:action", payload(action, action_id) as never);
        return unlessGone(asked as Promise<GameAnswer>, onEnd);
      };
    }
    return (action, action_id) =>
      this.rest("POST", `/games/sessions/${session_id}/action`, { ...action, ...(action_id && { action_id }) });
  }
}
