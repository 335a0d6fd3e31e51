import { AsyncLocalStorage } from "node:async_hooks";
import pg, { type Client } from "pg";
import { Sequelize, type Transaction } from "sequelize";
import { assert } from "#shared/kernel/assert.ts";
import { metrics } from "#shared/kernel/metrics.ts";

/**
 * Sequelize keeps the current transaction in a "namespace"; this is one over AsyncLocalStorage, so that every query
 * inside `inTransaction` finds its transaction without being handed it.
 */
const storage = new AsyncLocalStorage<Map<string, unknown>>();
Sequelize.useCLS({
  run: (work: () => unknown) => storage.run(new Map(), work),
  bind: (work: unknown) => work,
  get: (key: string) => storage.getStore()?.get(key),
  set: (key: string, value: unknown) => storage.getStore()?.set(key, value),
});

/**
 * What holds for every connection of ours: the isolation level (said once here, it costs no round trip in each
 * transaction), that a prepared statement is planned once (planning the ledger's at each call costs a third of it), and
 * bounds that the database itself keeps, milliseconds.
 */
export const serverOptions = [
  "-c default_transaction_isolation=read\\ committed",
  "-c plan_cache_mode=force_generic_plan",
  "-c lock_timeout=2000",
  "-c statement_timeout=5000",
  "-c idle_in_transaction_session_timeout=10000",
].join(" ");

let target: string | undefined;

/** Connections that the pool of one process holds at the most. */
export const poolSize = 10;

/**
 * The process's one Sequelize. Models bind to it when they are loaded; no connection is made before the first query, and
 * `openDatabase` says where to.
 */
export const sequelize = new Sequelize({
  dialect: "postgres",
  logging: false,
  define: { underscored: true, timestamps: false },
  pool: { max: poolSize, min: 0, idle: 10_000, acquire: 5_000 },
  dialectOptions: { options: serverOptions, application_name: "hubbub", keepAlive: true, clientMinMessages: "ignore" },
  hooks: {
    beforeConnect: (config) => {
      const { ssl, ...where } = connectionOf(databaseUrl());
      Object.assign(config, where, { dialectOptions: { ...config.dialectOptions, ssl } });
    },
  },
});

/** An address as `pg` reads it, who makes all other connections: they go to one place, and all by TLS or none. */
export function connectionOf(connectionString: string) {
  const { host, port, database, user: username, password, ssl } = new pg.Client({ connectionString });
  return { host, port, database, username, password, ssl };
}

/** Where the database is; for clients that cannot go through the pool (LISTEN, jobs). */
export function databaseUrl(): string {
  assert(target, "the database is open");
  return target;
}

/** Points the pool at a database and checks that it answers. Once a process. */
export async function openDatabase(url: string): Promise<void> {
  assert(!target, "the database is opened once");
  target = url;
  await sequelize.authenticate();
}

export async function closeDatabase(): Promise<void> {
  if (!target) return;
  await sequelize.close();
}

/** The plain pg client of a transaction: hot statements go to it without Sequelize's layers in between. */
export function clientOf(transaction: Transaction): Client {
  return (transaction as unknown as { connection: Client }).connection;
}

export function currentTransaction(): Transaction | undefined {
  return storage.getStore()?.get("transaction") as Transaction | undefined;
}

/** Runs `work` as if no transaction were open around it: what it queries is on its own. */
export const outsideTransaction = <T>(work: () => Promise<T>): Promise<T> => storage.run(new Map(), work);

/** Runs `work` with a connection of the pool. */
export async function withClient<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const manager = sequelize.connectionManager;
  const client = (await manager.getConnection({ type: "read" } as never)) as Client;
  try {
    return await work(client);
  } finally {
    manager.releaseConnection(client as never);
  }
}

/** Samples the pool for `/metrics`. */
export function observePool(): void {
  const { pool } = sequelize.connectionManager as unknown as {
    pool?: { using: number; available: number; waiting: number };
  };
  if (!pool) return;
  metrics.poolConnections.set({ state: "used" }, pool.using);
  metrics.poolConnections.set({ state: "idle" }, pool.available);
  metrics.poolConnections.set({ state: "waiting" }, pool.waiting);
}
