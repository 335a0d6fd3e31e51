import { ConnectionError, type Transaction } from "sequelize";
import type { DomainEvents, Topic } from "#shared/contracts/domain-events.ts";
import type { AdminPrincipal, AdminVisitor, Principal } from "#shared/contracts/principal.ts";
import { assert } from "#shared/kernel/assert.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { logger } from "#shared/kernel/logger.ts";
import { type AuditEntry, writeAuditEntry } from "./audit.ts";
import { claimKeys, type IdempotentCall, settleKeys } from "./idempotency.ts";
import { type EnqueueOptions, type JobKind, jobs } from "./jobs.ts";
import { appendEvents, wakeRelay } from "./outbox.ts";
import { execute, send } from "./query.ts";
import { beginTransaction, currentTransaction } from "./sequelize.ts";
import { type SignalName, type Signals, sendSignal } from "./signals.ts";

/**
 * A unit of work: everything that becomes true with its commit, or not at all. A step takes one as its first parameter,
 * and never begins or ends it. Once the transaction has ended, its methods throw.
 */
export interface Tx {
  query: typeof execute;
  /** For models: see `model.ts`. */
  readonly transaction: Transaction;
  /**
   * Sends a statement whose rows aren't needed, without waiting: the next one sees what it did. If it fails, so does
   * the commit.
   */
  send(text: string, values: readonly unknown[]): void;
  /** Publishes a domain event: writes it to the outbox, which delivers it after the commit. */
  publish<T extends Topic>(topic: T, payload: DomainEvents[T]): Promise<void>;
  /** Publishes several domain events of one topic by one statement, in this order. */
  publishAll<T extends Topic>(topic: T, payloads: readonly DomainEvents[T][]): Promise<void>;
  /** Signals every process of the service, at the commit. At most 8000 bytes. */
  signal<S extends SignalName>(name: S, payload: Signals[S]): Promise<void>;
  /** Enqueues a job. It runs some milliseconds after the commit, or `afterSeconds` later. */
  enqueue<Data extends object>(kind: JobKind<Data>, data: Data, options?: EnqueueOptions): Promise<void>;
  /**
   * Writes an administrator's change to the audit log, at the end of the transaction. Does nothing for other
   * principals, so a command calls it for every caller: users and key holders change what is theirs, and what the
   * service does follows from a change that has its own entry, or from the clock.
   */
  audit(principal: Principal | AdminVisitor, entry: AuditEntry): Promise<void>;
  /**
   * Runs `work` at the end of the transaction, in order, for locks that many transactions wait for. Only the audit log
   * follows it.
   */
  atEnd(work: () => Promise<void>): void;
  /** Runs `work` once, after the commit; it must not throw. */
  afterCommit(work: () => void): void;
}

/** Errors of statements that commit and whose answer was lost. */
const unanswered = new WeakSet<object>();

/**
 * Returns whether the transaction, or the statement of `alone`, that failed with this error may be committed
 * nevertheless.
 */
export const mayBeCommitted = (error: unknown): boolean =>
  typeof error === "object" && error !== null && unanswered.has(error);

/** SQLSTATEs of a connection that is being closed. A COMMIT that took effect can also be answered with one. */
const endings = /^(?:08|57P)/;

function isAnswer(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && !endings.test(state);
}

const attemptsMax = 4;
const retryable = new Set(["40001", "40P01"]);

/** Returns the SQLSTATE of a database error, even when it is wrapped. */
export function sqlState(error: unknown): string | undefined {
  const { code, parent } = (error ?? {}) as { code?: unknown; parent?: unknown };
  if (typeof code === "string" && /^[0-9A-Z]{5}$/.test(code)) return code;
  return parent ? sqlState(parent) : undefined;
}

/** Returns the constraint that a database error names, such as `users_username_key`. */
export function violatedConstraint(error: unknown): string | undefined {
  const { constraint, parent } = (error ?? {}) as { constraint?: string; parent?: unknown };
  return constraint ?? (parent ? violatedConstraint(parent) : undefined);
}

/**
 * Runs `work` in a READ COMMITTED transaction, and retries it as a whole, at most 3 times, when the database aborts it
 * because of a conflict. So `work` changes nothing outside the database except through `tx`. With `idempotency`, a
 * repeated call returns the stored result of the first. Transactions do not nest.
 */
export async function inTransaction<T>(work: (tx: Tx) => Promise<T>, idempotency?: IdempotentCall): Promise<T> {
  assert(!currentTransaction(), "transactions do not nest");
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runOnce(work, idempotency);
    } catch (error) {
      if (attempt === attemptsMax || !retryable.has(sqlState(error) ?? "")) throw error;
      logger.debug({ attempt, state: sqlState(error) }, "transaction is retried");
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * attempt));
    }
  }
}

async function runOnce<T>(work: (tx: Tx) => Promise<T>, idempotency?: IdempotentCall): Promise<T> {
  const hooks = new Set<() => void>();
  let isWorkDone = false;

  const perform = async (): Promise<T> => {
    const entries: PendingEntry[] = [];
    const lastSteps: (() => Promise<void>)[] = [];
    const tx = makeTx(hooks, entries, lastSteps);
    const [claim] = await claimKeys([idempotency]);
    if (claim instanceof DomainError) throw claim;
    if (claim !== "new") return claim!.result as T;

    const result = await work(tx);
    settleKeys([idempotency], [result]);
    for (const step of lastSteps) await step();
    // Last: they lock the end of the audit log until the commit, so nothing may be waited for after them.
    for (const [actor, entry] of entries) await writeAuditEntry(actor, entry);
    return result;
  };

  const result = await beginTransaction(async () => {
    const done = await perform();
    isWorkDone = true;
    return done;
  }).catch((error: unknown) => {
    if (isWorkDone && !isAnswer(error)) unanswered.add(error as object);
    throw error;
  });

  for (const hook of hooks) hook();
  return result;
}

/** Runs one statement that writes or locks, as a transaction of its own. */
export async function alone<Row extends object = Record<string, unknown>>(
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  assert(!currentTransaction(), "the statement is a transaction of its own");
  return execute<Row>(text, values).catch((error: unknown) => {
    // Without a connection, it was not sent.
    if (!(error instanceof ConnectionError) && !isAnswer(error)) unanswered.add(error as object);
    throw error;
  });
}

type PendingEntry = readonly [actor: AdminPrincipal | AdminVisitor, entry: AuditEntry];

/**
 * Returns the `Tx` of the current transaction; `hooks` collects what runs after its commit, `entries` what is written
 * to the audit log at its end, and `lastSteps` what runs before that.
 */
function makeTx(hooks: Set<() => void>, entries: PendingEntry[], lastSteps: (() => Promise<void>)[]): Tx {
  const own = currentTransaction();
  const assertOpen = () => assert(currentTransaction() === own, "the Tx's own transaction is open");

  const tx: Tx = {
    get transaction() {
      assertOpen();
      return own!;
    },
    query: (text, values) => {
      assertOpen();
      return execute(text, values);
    },
    send: (text, values) => {
      assertOpen();
      send(text, values);
    },
    publish: (topic, payload) => tx.publishAll(topic, [payload]),
    publishAll: async (topic, payloads) => {
      assertOpen();
      if (payloads.length === 0) return;
      appendEvents(topic, payloads);
      hooks.add(wakeRelay);
    },
    signal: async (name, payload) => {
      assertOpen();
      await sendSignal(name, payload);
    },
    enqueue: async (kind, data, options) => {
      assertOpen();
      await jobs.enqueue(tx, kind, data, options);
    },
    audit: async (principal, entry) => {
      assertOpen();
      if (principal.kind === "admin" || principal.kind === "visitor") entries.push([principal, entry]);
    },
    atEnd: (work) => {
      assertOpen();
      lastSteps.push(work);
    },
    afterCommit: (hook) => {
      assertOpen();
      hooks.add(hook);
    },
  };
  return tx;
}
