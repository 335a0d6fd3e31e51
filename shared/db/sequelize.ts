import { AsyncLocalStorage } from "node:async_hooks";
import type { Client } from "pg";
import { Sequelize, type Transaction } from "sequelize";
import { metrics } from "#shared/kernel/metrics.ts";
import { hasDatabase, isPooled, setDatabase } from "./database-address.ts";
import { managerOf, markInvalid, streamOf, transactionOn } from "./pg-internals.ts";
import { beginnings, makePool, poolSizes } from "./pools.ts";

/**
 * Sequelize keeps the current transaction in a "namespace". This one is backed by AsyncLocalStorage, so that every
 * query inside `inTransaction` finds its transaction without a parameter.
 */
const storage = new AsyncLocalStorage<Map<string, unknown>>();
Sequelize.useCLS({
  run: (work: () => unknown) => storage.run(new Map(), work),
  bind: (work: unknown) => work,
  get: (key: string) => storage.getStore()?.get(key),
  set: (key: string, value: unknown) => storage.getStore()?.set(key, value),
});

/** The process's Sequelize instance. Models bind to it when they load. */
export const sequelize = makePool({ max: poolSizes.calls, name: "hubbub" });

/**
 * The connections on which domain events are recorded and pushed, so that they never wait for connections of calls. A
 * lock held longer than `lock_timeout` delays only the events that need it.
 */
const relayPool = makePool({ max: poolSizes.relay, name: "hubbub relay pool", settings: { lock_timeout: 100 } });

/**
 * The connections on which actors commit, alone or in groups: a room never waits behind calls, such as gifts
 * that wait for a wallet. All in the room wait for each statement, and after a silent network for its successor: less
 * patience.
 */
const actorPool = makePool({
  max: poolSizes.actors,
  name: "hubbub actor pool",
  settings: { statement_timeout: 3000 },
  queryTimeoutMs: 4000,
});

/**
 * The connections of transactions that calls share, so that these wait for no other call. One that needs a lock for
 * longer than `lock_timeout` is executed alone on a connection of the process's pool.
 */
const sharedPool = makePool({ max: poolSizes.shared, name: "hubbub shared pool", settings: { lock_timeout: 500 } });

/** The connections of long work, such as adding up the gifts of a month. */
const backgroundPool = makePool({ max: poolSizes.background, name: "hubbub background pool", standsBack: true });

/** Points the pools at a database and checks the connection. Called once per process. */
export async function openDatabase(url: string, direct = url): Promise<void> {
  setDatabase({ url, directUrl: direct });
  await sequelize.authenticate();
}

export async function closeDatabase(): Promise<void> {
  if (!hasDatabase()) return;
  await Promise.all([sequelize, relayPool, actorPool, sharedPool, backgroundPool].map((pool) => pool.close()));
}

export function currentTransaction(): Transaction | undefined {
  return storage.getStore()?.get("transaction") as Transaction | undefined;
}

/** Runs `work` outside the current transaction: its queries use other connections, those of the process's pool. */
export const outsideTransaction = <T>(work: () => Promise<T>): Promise<T> => storage.run(new Map(), work);

/** Runs `work` outside the current transaction: its queries and transactions use the relay's connections. */
export const onRelayPool = <T>(work: () => T): T => storage.run(new Map([["pool", relayPool]]), work);

/**
 * Runs `work` outside the current transaction: its queries and transactions use the connections on which actors commit.
 */
export const onActorPool = <T>(work: () => T): T => storage.run(new Map([["pool", actorPool]]), work);

/**
 * Runs `work` outside the current transaction: its queries and transactions use the connections of shared transactions.
 */
export const onSharedPool = <T>(work: () => T): T => storage.run(new Map([["pool", sharedPool]]), work);

/** Runs `work` outside the current transaction: its queries and transactions use the connections of long work. */
export const onBackgroundPool = <T>(work: () => T): T => storage.run(new Map([["pool", backgroundPool]]), work);

/** Runs `work` outside the current transaction: its queries use the connections of another pool. */
export const onReplicaPool = <T>(pool: Sequelize, work: () => T): T => storage.run(new Map([["pool", pool]]), work);

/** Returns whether a query would use the process's pool, outside of a transaction. */
export const isUnbound = (): boolean => !currentTransaction() && currentPool() === sequelize;

const currentPool = (): Sequelize => (storage.getStore()?.get("pool") as Sequelize | undefined) ?? sequelize;

/** A statement that was sent without waiting for its answer. */
export interface Sent {
  /** Set at once if the statement could not even be sent. */
  error?: Error;
  readonly answered: Promise<unknown>;
}

/** What each open transaction has sent. */
const sent = new WeakMap<Transaction, Sent[]>();

/** Has the current transaction fail if this statement of it does. */
export function awaitAtCommit(statement: Sent): void {
  statement.answered.catch(() => {}); // The commit fails with it.
  sent.get(currentTransaction()!)!.push(statement);
}

/**
 * Sends at once what a connection is given until all that is ready to run has run: each write to it costs a system
 * call.
 */
export function gather(client: Client): void {
  const stream = streamOf(client);
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/**
 * Runs `work` in a transaction on a connection of the current pool. BEGIN goes along with the first statements, and
 * COMMIT with the last: if one of them fails, PostgreSQL rolls back.
 */
export function beginTransaction<T>(work: () => Promise<T>): Promise<T> {
  const pool = currentPool();
  return withClient(async (client) => {
    const transaction = transactionOn(pool, client);
    const context = new Map<string, unknown>([["transaction", transaction]]);
    const statements: Sent[] = [];
    sent.set(transaction, statements);
    try {
      gather(client);
      const begun: Promise<unknown> = client.query(beginnings.get(client) ?? "BEGIN");
      const result = await storage.run(context, () => {
        awaitAtCommit({ answered: begun });
        return work();
      });
      const unsent = statements.find(({ error }) => error);
      if (unsent) throw unsent.error;
      await Promise.all([...statements.map(({ answered }) => answered), client.query("COMMIT")]);
      return result;
    } catch (error) {
      await client.query("ROLLBACK").catch(() => discard(pool, client));
      throw await causeOf(error, statements);
    } finally {
      context.delete("transaction");
    }
  });
}

/**
 * Runs a statement of a model, which Sequelize sends itself: through a pooler, in a transaction, so that its settings
 * hold.
 */
export const onPool = <T>(work: () => Promise<T>): Promise<T> =>
  currentTransaction() || !isPooled() ? work() : beginTransaction(work);

/** Removes a broken connection from its pool. */
function discard(pool: Sequelize, client: Client): void {
  managerOf(pool)
    .destroyConnection(client)
    .catch(() => {}); // It is gone already.
}

/** Returns the error of the first statement that failed: those after it fail because it did. */
async function causeOf(error: unknown, statements: readonly Sent[]): Promise<unknown> {
  const isEcho = (one: unknown) => {
    const { code, parent } = (one ?? {}) as { code?: unknown; parent?: { code?: unknown } };
    return (code ?? parent?.code) === "25P02";
  };
  if (!isEcho(error)) return error;
  const outcomes = await Promise.allSettled(statements.map(({ answered }) => answered));
  const errors = outcomes.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
  return errors.find((one) => !isEcho(one)) ?? error;
}

/** The connections of all pools that are lent to nothing. */
const idle = new Set<Client>();

/** Ends a connection. Its pool doesn't lend it again, though it hears of the end later. */
function end(client: Client): void {
  markInvalid(client);
  streamOf(client).destroy();
  idle.delete(client);
}

/** Lends `work` a connection of the current pool. */
export async function withClient<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const manager = managerOf(currentPool());
  const client = await manager.getConnection({ type: "read" });
  idle.delete(client);
  try {
    return await work(client);
  } catch (error) {
    // The network was probably silent for all: otherwise each connection would hold a call for `query_timeout`.
    if ((error as Error | null)?.message === "Query read timeout") idle.forEach(end);
    throw error;
  } finally {
    if (streamOf(client).destroyed) end(client);
    else idle.add(client);
    manager.releaseConnection(client);
  }
}

/** Lends `work` a connection of the current pool for one statement, which is a transaction of its own. */
export function withClientOnce<T>(work: (client: Client) => Promise<T>): Promise<T> {
  return withClient(async (client) => {
    const beginning = beginnings.get(client);
    if (!beginning) return work(client);
    gather(client);
    // All are sent together. COMMIT after a failed statement rolls back.
    const [, result] = await Promise.all([client.query(beginning), work(client), client.query("COMMIT")]);
    return result;
  });
}

/** Samples the pool for `/metrics`. */
export function observePool(): void {
  const { pool } = managerOf(sequelize);
  if (!pool) return;
  metrics.poolConnections.set({ state: "used" }, pool.using);
  metrics.poolConnections.set({ state: "idle" }, pool.available);
  metrics.poolConnections.set({ state: "waiting" }, pool.waiting);
}
