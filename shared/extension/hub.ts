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
  readonly by: Principal;
  /** Shown to users. */
  readonly description: string;
  /**
   * They add up to zero, with one for each account. `own`: the extension's account, which has no limit of its own;
   * `issue`: coins that come into being, or end. `bought`: how many of the coins that a user gets count as bought.
   */
  readonly entries: readonly {
    readonly account: { readonly userId: string } | "own" | "issue";
    readonly amount: number;
    readonly bought?: number;
  }[];
}

/** A unit of work: everything that becomes true with its commit, or not at all. */
export interface HubTx {
  /** Reads and writes rows of the extension's schema, `ext_<name>`. */
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
  /** Reads rows of the extension's schema, `ext_<name>`. */
  query<R extends object = Row>(sql: string, values?: readonly unknown[]): Promise<R[]>;
  /**
   * Runs `work` in a transaction. It may run again after a conflict, so it changes nothing but by its `tx`. With
   * `idempotency`, a repeated call gets the first result.
   */
  transaction<T>(work: (tx: HubTx) => Promise<T>, idempotency?: IdempotentCall): Promise<T>;
  /** Returns the value of a setting: one of the extension's, or of ours. */
  setting<T>(key: string): T;
  /** Returns the cards of users, by ID. Erased ones have none. */
  users(ids: readonly string[]): Promise<ReadonlyMap<string, UserCard>>;
  /** Returns the card of a room as everyone sees it; undefined for none, a private, or a closed one. */
  room(id: string): Promise<RoomCard | undefined>;
  /** Returns whether a user is in a room now. */
  isInRoom(roomId: string, userId: string): Promise<boolean>;
  /** Returns the time, milliseconds since 1970. Tests move it. */
  now(): number;
  newId(): string;
  /** Returns an error to throw: one of our codes, or one of `errors`. */
  error(code: string, message?: string, values?: Values): DomainError;
  log(message: string, about?: object): void;
}
