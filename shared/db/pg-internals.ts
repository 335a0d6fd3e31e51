import type { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import pg, { type Client } from "pg";
import { type Sequelize, Transaction } from "sequelize";
import { assertInternals } from "#shared/kernel/assert-internals.ts";

/** All that we use of pg and Sequelize besides their interface. */

type Connection = Client & {
  readonly connection: { readonly stream: Socket };
  readonly processID: number;
  pipeline: boolean;
  _invalid?: boolean;
};

/**
 * Refuses a standby: while a replica takes over, a balancer or a name may lead there for a moment, and a connection
 * that stays could read and never write. Servers say what they are with each connection.
 */
export class PrimaryClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const { connection } = this as unknown as Connection & { readonly connection: EventEmitter };
    connection.on("parameterStatus", ({ parameterName, parameterValue }) => {
      if (parameterName === "in_hot_standby" && parameterValue === "on")
        connection.stream.destroy(new Error("Connection terminated: the server is a standby."));
    });
  }
}

/**
 * Sequelize listens for errors only after a connection has been made: one that the server ends at that moment would end
 * this process. A connection with the mark `_invalid` isn't lent again.
 */
export class SteadyClient extends PrimaryClient {
  constructor(config: pg.ClientConfig) {
    super(config);
    this.on("error", () => markInvalid(this));
  }
}

/** The same for a replica, which isn't refused. */
export class SteadyReplicaClient extends pg.Client {
  constructor(config: pg.ClientConfig) {
    super(config);
    this.on("error", () => markInvalid(this));
  }
}

/** Prepares a new connection: statements that don't wait for each other are sent at once. */
export function sendAtOnce(client: Client): void {
  const connection = client as Connection;
  assertInternals("pg", {
    "client.connection.stream": typeof connection.connection?.stream?.cork === "function",
    "client.pipeline": "pipeline" in connection,
  });
  connection.pipeline = true;
}

/** Returns the ID of the server's process for a connection. */
export function processOf(client: Client): number {
  const { processID } = client as Connection;
  assertInternals("pg", { "client.processID": Number.isInteger(processID) });
  return processID;
}

export const streamOf = (client: Client): Socket => (client as Connection).connection.stream;

/** Keeps a connection's pool from lending it again. */
export function markInvalid(client: Client): void {
  (client as Connection)._invalid = true;
}

/** Returns Sequelize's object for a transaction that is begun on a connection, for its models. */
export const transactionOn = (pool: Sequelize, client: Client): Transaction =>
  Object.assign(new Transaction(pool, {}), { connection: client });

/** Returns the connection of a transaction. */
export const clientOf = (transaction: Transaction): Client =>
  (transaction as unknown as { readonly connection: Client }).connection;

interface Manager {
  getConnection(options: { readonly type: "read" }): Promise<Client>;
  releaseConnection(client: Client): void;
  destroyConnection(client: Client): Promise<void>;
  /** Made at the first connection. */
  readonly pool?: { readonly using: number; readonly available: number; readonly waiting: number };
}

/** Returns what lends the connections of a pool. */
export const managerOf = (pool: Sequelize): Manager => pool.connectionManager as unknown as Manager;

/** Asserts that a pool has what this file uses. Returns it. */
export function assertPool(pool: Sequelize): Sequelize {
  const { getConnection, releaseConnection, destroyConnection } = managerOf(pool);
  assertInternals("Sequelize", {
    "connectionManager.getConnection": typeof getConnection === "function",
    "connectionManager.releaseConnection": typeof releaseConnection === "function",
    "connectionManager.destroyConnection": typeof destroyConnection === "function",
  });
  return pool;
}
