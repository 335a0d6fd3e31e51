import type { ActionOf, ActorKind, Connection, InputOf, ReplyOf } from "#shared/contracts/actors.ts";
import type { RoomPush, ServerPush } from "#shared/contracts/events.ts";
import type { Principal, UserPrincipal } from "#shared/contracts/principal.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { assert } from "#shared/kernel/assert.ts";
import type { Later } from "#shared/kernel/later.ts";

/** An event that a decision sends once it is true. */
export type Outgoing =
  /** To everyone in the room, with a sequence number. */
  | (RoomPush & { readonly users?: undefined })
  /** To these users only. `passing`: not kept for those who were away. */
  | (ServerPush & { readonly users: readonly string[]; readonly passing?: true });

/** What a decision may have its actor do, beside changing its state, once it is true. */
export interface Effects {
  /** Pushes to the room reach this connection from here on. */
  admit(connection: Connection): void;
  /** The same for the open Socket.IO connections of a caller's session, soon. `joinId` names the membership. */
  admitSession(caller: UserPrincipal, joinId: string): void;
  /**
   * Pushes to the room no longer reach this user. `asking`: the connection by which they asked for it, which is
   * answered before it ends.
   */
  expel(userId: string, asking?: Connection): void;
  push(outgoing: Outgoing): void;
  /** What has gathered in the data is announced soon. */
  announceSoon(): void;
  /** The actor ends after this time. */
  endAfter(delayMs: number): void;
}

/**
 * The result of an action, not yet in effect. The actor stores what must last, then applies, then pushes and replies:
 * if the writing fails, nothing has happened.
 */
export interface Decision<Stored, Reply = unknown> {
  /** The new state that the actor stores. */
  readonly next?: Stored;
  /** Further rows that belong to it, in the same transaction. */
  readonly durable?: ((tx: Tx) => Promise<unknown>) | undefined;
  /**
   * Changes what is only in memory. What is patched to native clients is compared again after it. If it throws, the
   * actor ends, and the next one loads what was committed.
   */
  readonly apply?: () => void;
  /** Built after `apply`. */
  readonly events?: () => readonly Outgoing[];
  readonly effects?: (effects: Effects) => void;
  /**
   * Built from memory after the events are sent. A promise delays the caller, not the actor. It rejects only
   * if nothing was changed, or the change is undone: a rejected action has had no effect.
   */
  readonly reply: (effects: Effects) => Reply | Promise<Reply>;
}

export interface Ask<Input> {
  readonly principal: Principal;
  readonly input: Input;
  readonly connection?: Connection;
  /** When `prepare` began; in `decide`, when the turn began. */
  readonly nowMs: number;
}

/** Returns the user behind an action that only users take. */
export function userOf({ principal }: Ask<unknown>): UserPrincipal {
  assert(principal.kind === "user", "a user asks for this");
  return principal;
}

/**
 * One action. `prepare` reads what the decision needs and the actor does not have; it runs before the turn, beside
 * other actions, and changes nothing. `decide` throws a DomainError to reject; it is synchronous,
 * unless rules in another process decide.
 */
interface Action<Data, Stored, Input, Reply, Given, Taken = Given> {
  readonly prepare?: (data: Data, ask: Ask<Input>) => Promise<Given>;
  /** What became due before this action, such as an expired request: performed first, in the same turn. */
  readonly overdue?: (data: Data, ask: Ask<Input>) => Later<Decision<Stored>> | undefined;
  readonly decide: (data: Data, ask: Ask<Input>, prepared: Taken) => Later<Decision<Stored, Reply>>;
}

/** All actions of a kind of actor. What `prepare` returns is typed only for the `decide` of the same action. */
export type ActionTable<K extends ActorKind, Data, Stored> = {
  readonly [A in ActionOf<K>]: Action<Data, Stored, InputOf<K, A>, ReplyOf<K, A>, unknown, never>;
};

/** Some actions of a kind of actor. `Prepared`: what `prepare` gives, by action; where it is not named, nothing. */
export type SomeActions<K extends ActorKind, Data, Stored, Prepared> = {
  readonly [A in ActionOf<K>]?: Action<
    Data,
    Stored,
    InputOf<K, A>,
    ReplyOf<K, A>,
    A extends keyof Prepared ? Prepared[A] : void
  >;
};

/** The data of an actor, stored and in memory only. Only the actor changes it, between decisions. */
export interface ActorData<Stored> {
  readonly stored: Stored;
  replace(next: Stored): void;
}

/** The data of an actor that has only stored state. */
export class StoredData<Stored> implements ActorData<Stored> {
  stored: Stored;

  constructor(stored: Stored) {
    this.stored = stored;
  }

  replace(next: Stored): void {
    this.stored = next;
  }
}
