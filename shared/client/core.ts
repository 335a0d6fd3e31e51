import type { ColyseusClient } from "./colyseus-line.ts";
import { Connection, type Status } from "./connection.ts";
import { Emitter } from "./emitter.ts";
import type { Call } from "./errors.ts";
import { Live } from "./live.ts";
import type { Services } from "./ports.ts";
import { repeated } from "./repeat.ts";
import { Rest } from "./rest.ts";
import { memoryStorage, Session, type TokenStorage } from "./session.ts";
import { signInOf } from "./sign-in.ts";
import {
  type ClientEvents,
  type LoggedIn,
  type Me,
  type Operations,
  operations,
  type ServerEvents,
} from "./social.generated.ts";

export interface ClientOptions {
  /** The address of the service, such as `https://hubbub.example`. Default: where the page comes from. */
  readonly url?: string | undefined;
  /** Where tokens are kept. Default: in memory. */
  readonly storage?: TokenStorage | undefined;
  /** Limit of one attempt, milliseconds. Default: 10,000. */
  readonly timeout?: number | undefined;
  /** The language of messages, asked for at each call: `hi`. Default: that of the browser. */
  readonly language?: (() => string) | undefined;
  /** How often a call is repeated that may be. Default: 3. */
  readonly retries?: number | undefined;
  /** The class `Client` of `@colyseus/sdk`. With it, each room has a native Colyseus connection of its own. */
  readonly colyseus?: ColyseusClient | undefined;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

/** Every server event by its name, and these. */
export interface HubbubEvents extends ServerEvents {
  /** The state of the connection. Back `online`, everything heals by itself. */
  readonly status: Status;
  /** The session has ended. `reason` is `LOGGED_OUT`, or the error code of the server. */
  readonly logout: { readonly reason: string };
  /** Every server event, over whatever connection it came. */
  readonly any: { readonly event: string; readonly payload: unknown };
}

/** Where the page comes from; nothing outside a browser. */
const pageOrigin = (): string => (globalThis as { location?: { origin: string } }).location?.origin ?? "";

/** The session of a user, their connection, and the calls of the API. */
export class Core {
  /** Calls any operation by its ID, which is in the reference of the API. @throws HubbubError */
  readonly request: Rest<Operations>["request"];
  /** All items of a list: `for await (const room of hubbub.each("listRooms"))`. */
  readonly each: Rest<Operations>["each"];
  /** The ways to log in besides a password. */
  readonly signIn: ReturnType<typeof signInOf>;
  /** For the features. */
  readonly live: Live;
  readonly fetch: typeof fetch;
  readonly #emitter = new Emitter<HubbubEvents>();
  readonly #session: Session;
  readonly #services: Services;
  readonly #connection: Connection;
  #user: Me | null = null;

  /** Adds a listener. Returns a function that removes it. */
  readonly on = this.#emitter.on;

  constructor(options: ClientOptions = {}) {
    const { url = "", storage = memoryStorage(), timeout = 10_000, retries = 3, language, colyseus } = options;
    this.fetch = options.fetch ?? ((...call) => fetch(...call));
    const rest = { url: `${url}/api/v1`, timeout, retries, language, fetch: this.fetch };
    const anonymous = new Rest<Operations>(operations, rest, { token: async () => null, renew: async () => null });
    this.#session = new Session(
      storage,
      // The server repeats its answer for some seconds, so a lost one does no harm.
      (refreshToken) => anonymous.request("refreshTokens", { body: { refreshToken }, repeat: true }),
      {
        onRenewed: (token) => void this.#connection.show(token).catch(() => {}),
        onEnded: (reason) => this.#ended(reason),
      },
    );
    this.#connection = new Connection({ url, timeout, language }, this.#session, {
      onStatus: (status) => this.#became(status),
      onEvent: (event, payload) => this.#received(event, payload),
    });
    const authorized = new Rest<Operations>(operations, rest, this.#session);
    this.request = authorized.request;
    this.each = authorized.each;
    this.signIn = signInOf({
      request: this.request,
      started: (loggedIn) => this.#started(loggedIn),
      renew: async () => this.#session.renew((await this.#session.token()) ?? ""),
    });
    this.#services = {
      rest: authorized,
      tokens: this.#session,
      retries,
      timeout,
      send: (event, payload, token) => this.#connection.send(event, payload, token),
      untilOnline: () => this.#connection.untilOnline(),
    };
    const sdk = colyseus && new colyseus(url || pageOrigin());
    this.live = new Live(this.#services, sdk, (event, payload) => this.#announce(event, payload));
  }

  /** The user, as they were when they logged in; null without a login. */
  get user(): Me | null {
    return this.#user;
  }

  get status(): Status {
    return this.#connection.status;
  }

  /** Logs in, and connects. @throws HubbubError INVALID_CREDENTIALS and others */
  async login(body: Operations["logIn"]["body"]): Promise<Me> {
    return this.#started(await this.request("logIn", { body }));
  }

  /** Registers an account, logs in, and connects. */
  async register(body: Operations["registerAccount"]["body"]): Promise<Me> {
    return this.#started(await this.request("registerAccount", { body }));
  }

  /** Resumes the login that the storage has, and connects. Returns null if there is none, or it has ended. */
  async restore(): Promise<Me | null> {
    if ((await this.#session.token()) === null) return null;
    try {
      this.#user = await this.request("getMe");
    } catch (error) {
      if ((await this.#session.token()) !== null) throw error;
      return null;
    }
    this.connect();
    return this.#user;
  }

  /** Ends the session, here and on the server. */
  async logout(): Promise<void> {
    const { refreshToken } = this.#session;
    await this.#session.end("LOGGED_OUT");
    if (refreshToken) await this.request("logOut", { body: { refreshToken }, repeat: true });
  }

  /** Opens the connection over which events come. `login` and `restore` do it. */
  connect(): void {
    this.#connection.start();
  }

  /** Closes it, until `connect`. The server keeps the user's place in their room for 30 seconds. */
  disconnect(): void {
    this.#connection.stop();
  }

  /** Sends any event of the server's list, and returns the data of its acknowledgement. @throws HubbubError */
  readonly send = <E extends keyof ClientEvents>(
    event: E,
    payload: ClientEvents[E]["payload"],
  ): Call<ClientEvents[E]["reply"], ClientEvents[E]["errors"]> => {
    const { tokens, retries, send } = this.#services;
    const sent = repeated(tokens, { retries, isRepeatable: false }, (token) => send(event, payload, token));
    return sent as Call<ClientEvents[E]["reply"], ClientEvents[E]["errors"]>;
  };

  /** Adds a listener of every server event. Returns a function that removes it. */
  onAny(listener: (event: string, payload: unknown) => void): () => void {
    return this.on("any", ({ event, payload }) => listener(event, payload));
  }

  async #started({ user, ...tokens }: LoggedIn): Promise<Me> {
    // Another user's connection and rooms end.
    await this.#session.end("LOGGED_OUT");
    await this.#session.start(tokens);
    this.#user = user;
    this.connect();
    return user;
  }

  #ended(reason: string): void {
    this.#user = null;
    this.#connection.stop();
    this.live.end();
    this.#emitter.emit("logout", { reason });
  }

  #became(status: Status): void {
    this.live.became(status);
    this.#emitter.emit("status", status);
  }

  #received(event: string, payload: unknown): void {
    this.live.received(event, payload);
    this.#announce(event, payload);
  }

  #announce(event: string, payload: unknown): void {
    this.#emitter.emit(event as keyof ServerEvents, payload as never);
    this.#emitter.emit("any", { event, payload });
  }
}
