import type { TokenSource } from "./repeat.ts";
import type { Rest } from "./rest.ts";
import type { Operations, Room } from "./social.generated.ts";

/** What live objects use of their client. */
export interface Services {
  readonly rest: Rest<Operations>;
  readonly tokens: TokenSource;
  readonly retries: number;
  /** Milliseconds. */
  readonly timeout: number;
  /** Sends an event once over the user's connection. @throws HubbubError */
  readonly send: (event: string, payload: object, token: string | null) => Promise<unknown>;
  /** Resolves when the user is connected. */
  readonly untilOnline: () => Promise<void>;
}

/** The way to a room: over the user's Socket.IO connection, or a Colyseus connection of its own. */
export interface RoomLine {
  /** Resolves when the line can be entered. */
  ready(): Promise<void>;
  /** Joins the room, so that this line receives its events. @throws HubbubError */
  enter(token: string | null): Promise<Room>;
  /** Sends an event once. @throws HubbubError */
  send(event: string, payload: object, token: string | null): Promise<unknown>;
  close(): void;
}

export interface LineEvents {
  readonly onEvent: (event: string, payload: unknown) => void;
  /** The line is down, and can be entered again. */
  readonly onLost: () => void;
}
