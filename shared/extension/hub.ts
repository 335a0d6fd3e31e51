import type { Principal } from "#shared/contracts/principal.ts";
import type { RoomCard, UserCard } from "#shared/contracts/views.ts";
import type { AuditEntry } from "#shared/db/audit.ts";
import type { IdempotentCall } from "#shared/db/idempotency.ts";
import type { EnqueueOptions } from "#shared/db/jobs.ts";
import type { DomainError, Values } from "#shared/kernel/domain-error.ts";

type Row = Record<string, unknown>;

/** A ledger transaction of coins between users and the extension's own account. */
export interface ExtensionTransfer {
  /** A name in `causes`, and the ID of the row that the coins move for. A second transfer for one fails. */
  readonly cause: string;
  readonly id: string;
  /** The caller; in handlers of events and in jobs, `{ kind: "service" }`. */
  readonly by: Principal;
  /** Shown to users. */
  readonly description: string;
  /**
   * They add up to zero, with one for each account. `own`: the extension's account, which has no limit of its own;
   * `issue`: coins that come into being, or end; `gift_revenue`: what the house kept of gifts. `bought`: how many of
   * the coins that a user gets count as bought.
   */
  readonly entries: readonly {
    readonly account: { readonly userId: string } | "own" | "issue" | "gift_revenue";
    readonly amount: number;
    readonly bought?: number;
  }[];
}

/** A gift that was sent. */
export interface SentGift {
  readonly id: string;
  readonly gift_id: string;
  readonly room_id: string;
  /** The host of the room by now. */
  readonly host_id: string;
  readonly sender_id: string;
  readonly recipient_id: string;
  readonly coins: number;
  /** How many of the coins were bought, not granted. */
  readonly bought: number;
  /** How many of the coins were the share of no user: the house kept them. */
  readonly kept: number;
}

/** A lobby, in which players wait for a game. */
export interface LobbyOfHub {
  readonly id: string;
  readonly type: string;
  readonly room_id: string;
  readonly host_id: string;
  readonly player_ids: readonly string[];
  /** `in_game` from its start on. */
  readonly status: "open" | "in_game" | "finished" | "cancelled";
  /** The game; null before it starts. */
  readonly session_id: string | null;
}

/** The coins of gifts, and how many of them were bought. */
export type GiftTotals = Pick<SentGift, "coins" | "bought">;

/** A unit of work: everything that becomes true with its commit, or not at all. */
export interface HubTx {
  /** Reads and writes rows of the extension's tables, each named with its schema: `ext_<name>.<table>`. */
  query<R extends object = Row>(sql: string, values?: readonly unknown[]): Promise<R[]>;
  /**
   * Moves coins. Returns the new balances by user ID, and how many bought coins the first entry took.
   * @throws INSUFFICIENT_BALANCE
   */
  transfer(order: ExtensionTransfer): Promise<{ balances: ReadonlyMap<string, number>; bought: number }>;
  /** Publishes a domain event of `publishes`, delivered after the commit. */
  publish(kind: string, payload: object): Promise<void>;
  /** Notifies a user, once for each `key`. Texts are English: their translations are in `texts`. */
  notify(userId: string, notification: { key: string; title: string; body: string; values?: Values }): Promise<void>;
  /** Enqueues a job of `jobs`. */
  enqueue(job: string, data: object, options?: EnqueueOptions): Promise<void>;
  /** Writes an administrator's change to the audit log. */
  audit(principal: Principal, entry: AuditEntry): Promise<void>;
}

/** What the service offers an extension. Usable once the service runs: in handlers, not while it loads. */
export interface Hub {
  /** Reads rows of the extension's tables, each named with its schema: `ext_<name>.<table>`. */
  query<R extends object = Row>(sql: string, values?: readonly unknown[]): Promise<R[]>;
  /**
   * Runs `work` in a transaction. It may run again after a conflict, so it changes nothing but by its `tx`. With
   * `idempotency`, a repeated call gets the first result.
   */
  transaction<T>(work: (tx: HubTx) => Promise<T>, idempotency?: IdempotentCall): Promise<T>;
  /** Returns the value of a setting: one of the extension's, or of ours. */
  setting<T>(key: string): T;
  /** Returns the cards of users, by ID. Those of erased ones are anonymous. */
  users(ids: readonly string[]): Promise<ReadonlyMap<string, UserCard>>;
  /** Returns the card of a room as everyone sees it; undefined for none, a private, or a closed one. */
  room(id: string): Promise<RoomCard | undefined>;
  /** Returns a lobby as it is now; undefined for none. `lobby.updated` tells that one has changed. */
  lobby(id: string): Promise<LobbyOfHub | undefined>;
  /** Returns gifts by the IDs of their transactions, as in `gift.sent`. */
  gifts(ids: readonly string[]): Promise<ReadonlyMap<string, SentGift>>;
  /** Adds up the gifts in each of these rooms from a time until before another: ISO 8601. */
  giftTotals(roomIds: readonly string[], from: string, until: string): Promise<ReadonlyMap<string, GiftTotals>>;
  /** Returns whether either of two users has blocked the other. */
  areBlocked(userId: string, otherId: string): Promise<boolean>;
  /** Returns whether a user is in a room now. */
  isInRoom(roomId: string, userId: string): Promise<boolean>;
  /** Returns the time, milliseconds since 1970. Tests move it. */
  now(): number;
  newId(): string;
  /** Returns an error to throw: one of our codes, or one of `errors`. */
  error(code: string, message?: string, values?: Values): DomainError;
  log(message: string, about?: object): void;
}
