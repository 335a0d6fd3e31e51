import type { Connection } from "#shared/contracts/actors.ts";
import type { ServerEvent } from "#shared/contracts/events.ts";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Tx } from "#shared/db/transaction.ts";
import type { Live } from "#shared/domain/rooms/live.ts";
import type { RoomData } from "./room-data.ts";

/** An event that a decision sends once it is true. */
export interface Outgoing {
  readonly event: ServerEvent;
  readonly payload: object;
  /** Absent: everybody in the room, with a number. Else only these users. */
  readonly users?: readonly string[];
  /** With `users`: not kept for those who were away. */
  readonly passing?: true;
}

/** What a decision may do to the doors once it is true. */
export interface DoorEffects {
  /** Pushes to the room reach this connection from here on. */
  admit(connection: Connection): void;
  /**
   * Pushes to the room reach this user no longer; `joinId` names the membership that ended, `asking` the connection by
   * which he has asked for it: it is answered before it ends.
   */
  expel(userId: string, joinId: string, asking?: Connection): void;
  /** The room is over: everybody is out, these users were in it, and the actor ends. */
  end(userIds: readonly string[]): void;
}

/**
 * What is to happen, decided and not yet done. The actor writes what must last, then applies, then sends and answers:
 * if the writing fails, nothing has happened. Changed seats are announced, and voice rights that follow from them are
 * set, without being named here.
 */
export interface Decision {
  /** The live state after this. */
  readonly live?: Live;
  /** Further rows that belong to it, in the same transaction. */
  readonly durable?: (tx: Tx) => Promise<unknown>;
  /** Users whose right to the room's media has changed other than by seats: they came or went. */
  readonly voice?: readonly string[];
  /** Gifts on seats have changed: announce the seats, soon. */
  readonly touchesSeats?: boolean;
  /** Changes what is only in memory. Must not throw. */
  readonly apply?: () => void;
  /** Made after `apply`. */
  readonly events?: () => readonly Outgoing[];
  readonly effects?: (doors: DoorEffects) => void;
  /** The answer, made after the events are sent. */
  readonly reply: () => unknown;
  /** What the answer still waits for, without holding up the room; gives the answer. */
  readonly later?: (reply: unknown) => Promise<unknown>;
}

export interface Ask<Input> {
  /** Null: the service itself. */
  readonly caller: UserPrincipal | null;
  readonly input: Input;
  readonly connection?: Connection;
  readonly nowMs: number;
}

/**
 * One action. `prepare` reads what the decision needs and the actor does not have; it runs before the turn, beside other
 * actions, and changes nothing. `decide` is synchronous and throws a DomainError to refuse.
 */
export interface Action<Input, Prepared = undefined> {
  readonly prepare?: (data: RoomData, ask: Ask<Input>) => Promise<Prepared>;
  readonly decide: (data: RoomData, ask: Ask<Input>, prepared: Prepared) => Decision;
}
