import { HubbubError } from "./errors.ts";
import { detached } from "./timing.ts";

/** What a login gives. */
export interface Tokens {
  readonly accessToken: string;
  /** Absent for administrators. */
  readonly refreshToken?: string | undefined;
}

/** Where tokens are kept. Everything can be asynchronous, as it is in React Native. */
export interface TokenStorage {
  get(): Tokens | null | Promise<Tokens | null>;
  set(tokens: Tokens | null): void | Promise<void>;
}

/** Keeps tokens as long as the program runs. */
export function memoryStorage(): TokenStorage {
  let kept: Tokens | null = null;
  return {
    get: () => kept,
    set: (tokens) => {
      kept = tokens;
    },
  };
}

/** The part that `localStorage`, `sessionStorage`, and React Native's `AsyncStorage` have in common. */
export interface KeyValueStore {
  getItem(key: string): string | null | Promise<string | null>;
  setItem(key: string, value: string): unknown;
  removeItem(key: string): unknown;
}

/** Keeps tokens in a store of the browser or of React Native. Tabs with the same store and key share the login. */
export const webStorage = (store: KeyValueStore, key = "hubbub"): TokenStorage => ({
  get: async () => {
    try {
      return JSON.parse((await store.getItem(key)) ?? "null") as Tokens | null;
    } catch {
      return null;
    }
  },
  set: async (tokens) => {
    await (tokens ? store.setItem(key, JSON.stringify(tokens)) : store.removeItem(key));
  },
});

/** Asks the server for the tokens after these. @throws HubbubError */
export type Renew = (refreshToken: string) => Promise<Tokens>;

export interface SessionEvents {
  /** New tokens of the same session. */
  readonly onRenewed: (accessToken: string) => void;
  /**
   * The server has ended the session, or the client has. `code` is why: `LOGGED_OUT`, or an error code of the server.
   */
  readonly onEnded: (code: string) => void;
}

/** A token is replaced when this part of its lifetime is over, so that a connection never outlives its token. */
const renewAt = 0.8;

/** The tokens of one login. They are renewed once at a time, for all callers together. */
export class Session {
  readonly #storage: TokenStorage;
  readonly #renew: Renew;
  readonly #events: SessionEvents;
  #tokens: Tokens | null = null;
  #loading: Promise<void> | undefined;
  #renewing: Promise<string | null> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(storage: TokenStorage, renew: Renew, events: SessionEvents) {
    this.#storage = storage;
    this.#renew = renew;
    this.#events = events;
  }

  /** The access token, or null without a login. */
  async token(): Promise<string | null> {
    this.#loading ??= Promise.resolve(this.#storage.get()).then((kept) => {
      if (!this.#tokens && kept) this.#keep(kept);
    });
    await this.#loading;
    return this.#tokens?.accessToken ?? null;
  }

  get refreshToken(): string | undefined {
    return this.#tokens?.refreshToken;
  }

  async start(tokens: Tokens): Promise<void> {
    this.#loading = Promise.resolve();
    this.#keep(tokens);
    await this.#storage.set(tokens);
  }

  async end(code: string): Promise<void> {
    clearTimeout(this.#timer);
    const ours = this.#tokens;
    if (!ours) return;
    this.#tokens = null;
    this.#events.onEnded(code);
    // Another tab may have logged in since.
    const kept = await this.#storage.get();
    if (kept && claimsOf(kept.accessToken).sid === claimsOf(ours.accessToken).sid) await this.#storage.set(null);
  }

  /**
   * Returns a token to use instead of one that the server has rejected, or null if the session has ended. All callers
   * share one renewal.
   * @throws HubbubError when the server can't be reached
   */
  async renew(rejected: string): Promise<string | null> {
    const current = await this.token();
    if (current !== rejected) return current;
    this.#renewing ??= this.#renewed().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renewed(): Promise<string | null> {
    const before = this.#tokens;
    if (!before?.refreshToken) {
      await this.end("TOKEN_EXPIRED");
      return null;
    }
    // Another tab may have renewed them, or logged in as another user.
    const kept = await this.#storage.get();
    const isOthers = kept?.refreshToken !== undefined && kept.refreshToken !== before.refreshToken;
    if (isOthers && claimsOf(kept.accessToken).sub !== claimsOf(before.accessToken).sub) {
      await this.end("LOGGED_OUT");
      return null;
    }
    try {
      const tokens = isOthers ? kept : await this.#renew(before.refreshToken);
      // The user has logged out meanwhile, or as another user.
      if (this.#tokens !== before) return this.#tokens?.accessToken ?? null;
      this.#keep(tokens);
      if (!isOthers) await this.#storage.set(tokens);
      this.#events.onRenewed(tokens.accessToken);
      return tokens.accessToken;
    } catch (error) {
      if (!isEnd(error)) throw error;
      if (this.#tokens === before) await this.end(error.code);
      return null;
    }
  }

  #keep(tokens: Tokens): void {
    this.#tokens = tokens;
    clearTimeout(this.#timer);
    if (!tokens.refreshToken) return;
    const renew = () => this.renew(tokens.accessToken).catch(() => {});
    this.#timer = detached(setTimeout(renew, msUntilRenewal(tokens.accessToken)));
  }
}

const isEnd = (error: unknown): error is HubbubError =>
  error instanceof HubbubError &&
  error.status !== undefined &&
  error.status >= 400 &&
  error.status < 500 &&
  error.status !== 429;

/** Returns when to replace a token. The clock of a device may be wrong, so at most its lifetime counts, from now on. */
function msUntilRenewal(accessToken: string): number {
  const { iat = 0, exp = 0 } = claimsOf(accessToken);
  const lifetime = (exp - iat) * 1000;
  const age = Math.max(0, Math.min(Date.now() - iat * 1000, lifetime));
  return Math.max(1000, lifetime * renewAt - age);
}

/** The claims of a JWT, unchecked. Written out, because `atob` is younger than some versions of React Native. */
export function claimsOf(token: string): {
  readonly iat?: number;
  readonly exp?: number;
  readonly sub?: string;
  readonly sid?: string;
} {
  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const bits = [...(token.split(".")[1] ?? "")]
    .map((digit) => digits.indexOf(digit).toString(2).padStart(6, "0"))
    .join("");
  const bytes = bits.match(/.{8}/g) ?? [];
  try {
    return JSON.parse(bytes.map((byte) => String.fromCharCode(Number.parseInt(byte, 2))).join("")) as object;
  } catch {
    return {};
  }
}
