import { type Acknowledgement, dataOf } from "./connection.ts";
import { type ErrorCode, HubbubError } from "./errors.ts";
import type { LineEvents, RoomLine } from "./ports.ts";
import type { Room } from "./social.generated.ts";

/** The class `Client` of `@colyseus/sdk`, as far as this client uses it. */
export type ColyseusClient = new (
  url: string,
) => {
  readonly auth: { token: string | undefined };
  join(kind: string, options: object): Promise<ColyseusRoom>;
};

/** What a room is joined by. */
export interface RoomAddress {
  readonly room_id: string;
  readonly password?: string | undefined;
}

interface ColyseusRoom {
  readonly reconnection: { enabled: boolean };
  onMessage(type: "*", listener: (event: string | number, payload: unknown) => void): unknown;
  onLeave(listener: () => void): unknown;
  request(event: string, payload: object, options: { timeout: number }): Promise<unknown>;
  leave(consented: boolean): Promise<unknown>;
}

/** A way to a room by a native Colyseus connection. */
export class ColyseusLine implements RoomLine {
  readonly ready: () => Promise<void>;
  readonly #client: InstanceType<ColyseusClient>;
  readonly #options: RoomAddress;
  readonly #timeout: number;
  readonly #events: LineEvents;
  #room: ColyseusRoom | undefined;
  #shown: string | null = null;
  #closed = false;

  /** @param ready resolves when the server can be reached */
  constructor(
    client: InstanceType<ColyseusClient>,
    options: RoomAddress,
    timeout: number,
    events: LineEvents,
    ready: () => Promise<void>,
  ) {
    this.ready = ready;
    this.#client = client;
    this.#options = options;
    this.#timeout = timeout;
    this.#events = events;
  }

  async enter(token: string | null): Promise<Room> {
    if (token === null) throw new HubbubError("LOGGED_OUT", "Log in first.");
    this.#client.auth.token = token;
    const room = await this.#client.join("voice_room", this.#options).catch((error: unknown) => {
      throw refusalOf(error);
    });
    // At once: the SDK drops what comes before the first listener. What it has dropped is in the answer below.
    room.onMessage("*", (event, payload) => this.#events.onEvent(String(event), payload));
    room.onLeave(() => this.#left(room));
    room.reconnection.enabled = false;
    const before = this.#room;
    this.#room = room;
    void before?.leave(false).catch(() => {});
    this.#shown = token;
    const answer = (await this.send("room:sync", { since_seq: 0 }, token)) as { readonly room: Room };
    return answer.room;
  }

  async send(event: string, payload: object, token: string | null): Promise<unknown> {
    const room = this.#room;
    if (!room) throw new HubbubError("NETWORK_ERROR", "The connection is lost.");
    if (token !== null && token !== this.#shown) {
      dataOf(await this.#request(room, "auth:refresh", { token }));
      this.#shown = token;
    }
    return dataOf(await this.#request(room, event, payload));
  }

  /** Closes the connection, and keeps the place in the room. */
  drop(): void {
    void this.#room?.leave(false).catch(() => {});
  }

  close(): void {
    this.#closed = true;
    void this.#room?.leave(true).catch(() => {});
    this.#room = undefined;
  }

  async #request(room: ColyseusRoom, event: string, payload: object): Promise<Acknowledgement> {
    try {
      return (await room.request(event, payload, { timeout: this.#timeout })) as Acknowledgement;
    } catch (error) {
      const code = this.#room === room ? "TIMEOUT" : "NETWORK_ERROR";
      throw new HubbubError(
        code,
        error instanceof Error ? error.message : "The connection was lost before the answer.",
      );
    }
  }

  #left(room: ColyseusRoom): void {
    if (this.#room !== room) return;
    this.#room = undefined;
    if (!this.#closed) this.#events.onLost();
  }
}

/** The SDK's errors have the code of the server in front of their message. */
function refusalOf(error: unknown): HubbubError {
  const message = error instanceof Error ? error.message : String(error);
  const [, code, text] = /^([A-Z_]{3,40}): (.*)$/s.exec(message) ?? [];
  return code ? new HubbubError(code as ErrorCode, text ?? message) : new HubbubError("NETWORK_ERROR", message);
}
