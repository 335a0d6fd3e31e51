import {
  createClient,
  type Hubbub,
  HubbubError,
  isHubbubError,
  type LiveRoom,
  type Me,
  type Status,
  webStorage,
} from "../../../shared/client/client.ts";
import { currentLanguage, key, t } from "./texts.ts";

/** What `/demo/setup.json` says of a demo person. */
export interface Login {
  readonly username: string;
  readonly password: string;
  readonly full_name: string;
}

export interface PersonState {
  readonly me: Me | null;
  readonly status: Status;
  readonly room: LiveRoom | null;
  readonly balance: number;
  readonly unread: number;
  /** How often there was a reason to look at what the moderators say. */
  readonly looks: number;
  /** What went wrong, or happened, last. `id` distinguishes two of the same text. */
  readonly note: { readonly id: number; readonly text: string; readonly isBad: boolean } | null;
}

/** Creates a client whose login this browser keeps. */
export const clientOf = (username: string): Hubbub =>
  createClient({ storage: storageOf(username), language: currentLanguage });

const storageOf = (username: string) => webStorage(localStorage, `hubbub:demo:${username}`);

/** One of the two people: their client, and what their whole screen shows. A store for `useSyncExternalStore`. */
export class Person {
  readonly login: Login;
  readonly hubbub: Hubbub;
  #state: PersonState = { me: null, status: "offline", room: null, balance: 0, unread: 0, looks: 0, note: null };
  #notes = 0;
  #refreshes = 0;
  readonly #listeners = new Set<() => void>();

  constructor(login: Login, hubbub = clientOf(login.username)) {
    this.login = login;
    this.hubbub = hubbub;
    this.#state = { ...this.#state, status: hubbub.status };
    this.hubbub.on("status", (status) => {
      this.#set({ status });
      if (status === "online") void this.refresh();
    });
    this.hubbub.on("notification:new", ({ unread_count }) => this.#set({ unread: unread_count }));
    this.hubbub.on("notification:withdrawn", ({ unread_count }) => this.#set({ unread: unread_count }));
    this.hubbub.on("gift:animation", ({ sender, recipient }) => {
      if ([sender.id, recipient.id].includes(this.id)) void this.refresh();
    });
  }

  get state(): PersonState {
    return this.#state;
  }

  /** The user ID; empty before the login. */
  get id(): string {
    return this.#state.me?.id ?? "";
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Logs in, unless this browser has a login, and returns to the room that they are in. */
  async start(): Promise<void> {
    const { username: identifier, password } = this.login;
    const me = (await this.hubbub.restore()) ?? (await this.hubbub.login({ identifier, password }));
    this.#set({ me, balance: me.wallet.balance });
    await this.refresh();
    if (me.current_room) await this.enter(me.current_room.id);
  }

  async enter(roomId: string, password?: string): Promise<void> {
    const room = await this.hubbub.rooms.join(roomId, { password });
    void room.history(30).catch(() => {});
    room.on("end", ({ reason }) => {
      if (this.#state.room !== room) return;
      this.#set({ room: null });
      if (reason !== "left") this.say(t(endings[reason] ?? key("You are no longer in the room.")));
    });
    this.#set({ room });
  }

  /** Reads again what no event carries: the balance, and the profile. */
  async refresh(): Promise<void> {
    this.#refreshes += 1;
    const turn = this.#refreshes;
    try {
      const [me, { unread_count }] = await Promise.all([this.hubbub.users.me(), this.hubbub.notifications.unread()]);
      // A slow answer must not replace that of a later call.
      if (turn === this.#refreshes) this.#set({ me, balance: me.wallet.balance, unread: unread_count });
    } catch (error) {
      if (!isHubbubError(error)) throw error;
    }
  }

  say(text: string, isBad = false): void {
    this.#notes += 1;
    this.#set({ note: { id: this.#notes, text, isBad } });
  }

  /** Awaits a call and shows its error. Returns whether it succeeded. */
  async attempt(call: () => Promise<unknown>): Promise<boolean> {
    try {
      const data = await call();
      if ((data as { held?: boolean } | undefined)?.held) this.#look();
      return true;
    } catch (error) {
      if (!isHubbubError(error)) throw error;
      this.say(error.message, true);
      if (isHubbubError(error, "SANCTIONED", "TERMS_NOT_ACCEPTED")) this.#look();
      return false;
    }
  }

  /** Calls an operation of an extension, which the typed client doesn't know. @throws HubbubError */
  async call<T>(method: "GET" | "POST", path: string, body: object = {}): Promise<T> {
    const tokens = await storageOf(this.login.username).get();
    const response = await fetch(`/api/v1${path}`, {
      method,
      headers: {
        ...{ authorization: `Bearer ${tokens?.accessToken}`, "accept-language": currentLanguage() },
        ...(method === "POST" && { "content-type": "application/json" }),
      },
      ...(method === "POST" && { body: JSON.stringify(body) }),
    });
    const { data, error } = await response.json();
    if (error) throw new HubbubError(error.code, error.message, { status: response.status });
    return data as T;
  }

  #look(): void {
    this.#set({ looks: this.#state.looks + 1 });
  }

  #set(change: Partial<PersonState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

const endings: Readonly<Record<string, string>> = {
  kicked: key("You were removed from the room."),
  closed: key("The room was closed."),
  moved: key("You joined another room."),
  disconnected: key("You were away for too long."),
};
