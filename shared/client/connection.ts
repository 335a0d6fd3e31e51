import { io, type Socket } from "socket.io-client";
import { type Failure, HubbubError, toHubbubError } from "./errors.ts";
import { rejectsToken, type TokenSource } from "./repeat.ts";
import { backoff, detached, within } from "./timing.ts";

/** `connecting`: the network or the server is away, and the client tries again. */
export type Status = "offline" | "connecting" | "online";

export interface ConnectionEvents {
  readonly onStatus: (status: Status) => void;
  readonly onEvent: (event: string, payload: unknown) => void;
}

export type Acknowledgement =
  | { readonly success: true; readonly data: unknown }
  | { readonly success: false; readonly error: Failure };

/** Returns the data of an acknowledgement. @throws HubbubError */
export function dataOf(envelope: Acknowledgement): unknown {
  if (envelope.success) return envelope.data;
  throw toHubbubError(envelope.error);
}

export interface ConnectionOptions {
  readonly url: string;
  readonly timeout: number;
  readonly language: (() => string) | undefined;
}

/**
 * The Socket.IO connection of a user. It reconnects by itself, with pauses that spread the clients of a server that
 * restarts, and with new tokens when the old ones have expired.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #tokens: TokenSource;
  readonly #timeout: number;
  readonly #events: ConnectionEvents;
  #status: Status = "offline";
  /** The token that the server knows. */
  #shown: string | null = null;
  /** Closed on purpose. */
  #stopped = false;
  #refusals = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #waiting: (() => void)[] = [];

  constructor({ url, timeout, language }: ConnectionOptions, tokens: TokenSource, events: ConnectionEvents) {
    this.#tokens = tokens;
    this.#timeout = timeout;
    this.#events = events;
    this.#socket = io(url, {
      auth: (show) =>
        void this.#currentToken().then((token) => show({ token, ...(language && { language: language() }) })),
      autoConnect: false,
      forceNew: true,
      transports: ["websocket", "polling"],
      tryAllTransports: true,
      timeout,
      reconnectionDelay: 500,
      reconnectionDelayMax: 15_000,
      randomizationFactor: 0.5,
    });
    this.#socket.on("connect", () => this.#became("online"));
    this.#socket.on("disconnect", (reason) => this.#lost(reason));
    this.#socket.on("connect_error", (error: Error & { data?: Failure }) => void this.#refused(error.data));
    this.#socket.onAny((event: string, payload: unknown) => this.#events.onEvent(event, payload));
  }

  get status(): Status {
    return this.#status;
  }

  start(): void {
    this.#stopped = false;
    if (this.#status !== "offline") return;
    this.#became("connecting");
    this.#socket.connect();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#retry);
    this.#socket.disconnect();
    this.#became("offline");
  }

  /** Shows the server a new token, without which it closes the connection when the old one has expired. */
  async show(token: string): Promise<void> {
    if (this.#shown === token || !this.#socket.connected) return;
    dataOf(await this.#emit("auth:refresh", { token }));
    this.#shown = token;
  }

  /** Sends an event once. @throws HubbubError, also if there is no connection within the time limit */
  async send(event: string, payload: object, token: string | null): Promise<unknown> {
    if (token === null) throw new HubbubError("LOGGED_OUT", "Log in first.");
    await this.#online();
    await this.show(token);
    return dataOf(await this.#emit(event, payload));
  }

  /** Connects, unless the user has disconnected. Resolves when connected, however long that takes. */
  untilOnline(): Promise<void> {
    if (!this.#stopped) this.start();
    if (this.#status === "online") return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** @throws HubbubError NETWORK_ERROR if the user has disconnected, TIMEOUT */
  async #online(): Promise<void> {
    if (this.#stopped) throw new HubbubError("NETWORK_ERROR", "You have disconnected.");
    await within(this.#timeout, this.untilOnline());
  }

  async #emit(event: string, payload: object): Promise<Acknowledgement> {
    try {
      return await this.#socket.timeout(this.#timeout).emitWithAck(event, payload);
    } catch {
      if (this.#socket.connected) throw new HubbubError("TIMEOUT", `No answer within ${this.#timeout} ms.`);
      throw new HubbubError("NETWORK_ERROR", "The connection was lost before the answer.");
    }
  }

  async #currentToken(): Promise<string | null> {
    this.#shown = await this.#tokens.token().catch(() => null);
    return this.#shown;
  }

  #became(status: Status): void {
    if (this.#status === status) return;
    this.#status = status;
    if (status === "online") {
      this.#refusals = 0;
      for (const done of this.#waiting.splice(0)) done();
    }
    this.#events.onStatus(status);
  }

  #lost(reason: string): void {
    if (this.#status === "offline") return;
    this.#became("connecting");
    // The library doesn't come back by itself when the server closes the connection.
    if (reason === "io server disconnect") this.#comeBack();
  }

  /**
   * @param failure why the server has refused the connection; undefined if it wasn't reached, which the library retries
   */
  async #refused(failure: Failure | undefined): Promise<void> {
    if (failure && rejectsToken(failure) && this.#shown) {
      // If the session has ended, so does this connection.
      const token = await this.#tokens.renew(this.#shown).catch(() => undefined);
      if (token === null) return;
    }
    if (!this.#socket.active) this.#comeBack();
  }

  #comeBack(): void {
    clearTimeout(this.#retry);
    if (this.#status === "offline") return;
    this.#retry = detached(setTimeout(() => this.#socket.connect(), backoff(this.#refusals)));
    this.#refusals += 1;
  }
}
