import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { constants, setPriority } from "node:os";
import pg, { type Client } from "pg";
import { Sequelize } from "sequelize";
import { logger } from "#shared/kernel/logger.ts";
import { isTracing } from "#shared/kernel/tracing.ts";
import { connectionOf, databaseUrl, isPooled } from "./database-address.ts";
import { assertPool, processOf, SteadyClient, SteadyReplicaClient, sendAtOnce, streamOf } from "./pg-internals.ts";
import { beginningOf, optionsOf, patienceOptions, type ServerSettings, serverSettings } from "./server-settings.ts";
import { traceStatements } from "./trace-statements.ts";

/**
 * After so long without use, connections are closed: those of what runs each minute stay, which saves their handshakes.
 * Milliseconds.
 */
const idleMs = 90_000;

/** The maximum number of connections in each pool of a process. */
export const poolSizes = { calls: 10, shared: 4, actors: 6, relay: 4, background: 2, replica: 6 };

interface PoolOptions {
  readonly max: number;
  /** Shown in the database's list of connections. */
  readonly name: string;
  /** What differs from the settings of every connection. */
  readonly settings?: ServerSettings;
  /** How long it waits for a result, milliseconds, if not as long as the others. */
  readonly queryTimeoutMs?: number;
  /** Whether calls go before its statements, if the server is on this machine. */
  readonly standsBack?: boolean;
  /** Where the replica is. A pooler or a balancer may be in between. */
  readonly replicaUrl?: () => string;
}

/** Where each statement is planned when it comes, it is planned for its values: only so, partitions can be left out. */
const plannedAlone = { plan_cache_mode: "force_custom_plan" };

/** How long a read waits for a connection to the replica before it asks the primary, milliseconds. */
const replicaPatienceMs = 1000;

/** A pool connects at the first query: to the database that `openDatabase` has named, or to its replica. */
export function makePool(pool: PoolOptions): Sequelize {
  const { max, name, settings, queryTimeoutMs = patienceOptions.query_timeout, standsBack, replicaUrl } = pool;
  const ofServer = { ...serverSettings, ...settings };
  const mayChange = () => replicaUrl !== undefined || isPooled();
  return assertPool(
    new Sequelize({
      dialect: "postgres",
      dialectModule: { ...pg, Client: replicaUrl ? SteadyReplicaClient : SteadyClient },
      logging: false,
      define: { underscored: true, timestamps: false },
      pool: { max, min: 0, idle: idleMs, acquire: replicaUrl ? replicaPatienceMs : 5_000 },
      dialectOptions: {
        application_name: name,
        keepAlive: true,
        clientMinMessages: "ignore",
        ...patienceOptions,
        ...(replicaUrl && { connectionTimeoutMillis: replicaPatienceMs }),
        query_timeout: queryTimeoutMs,
      },
      hooks: {
        afterConnect: (connection) => {
          const client = connection as Client;
          sendAtOnce(client);
          if (mayChange()) beginnings.set(client, beginningOf({ ...ofServer, ...plannedAlone }));
          if (isTracing()) traceStatements(client);
          if (standsBack) lowerPriority(client);
        },
        beforeConnect: (config) => {
          const { ssl, ...where } = connectionOf(replicaUrl?.() ?? databaseUrl());
          const options = mayChange() ? {} : { options: optionsOf(ofServer) };
          Object.assign(config, where, { dialectOptions: { ...config.dialectOptions, ssl, ...options } });
        },
      },
    }),
  );
}

/**
 * A process of the database that computes for seconds takes a core from calls. If it is on this machine, its title has
 * our port; elsewhere, and without the right to it, nothing changes. PostgreSQL gives each of its processes a session,
 * which Linux may schedule as a group with a priority of its own.
 */
function lowerPriority(client: Client): void {
  const pid = processOf(client);
  try {
    if (readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(`(${streamOf(client).localPort})`))
      for (const lower of [setPriority, lowerGroup]) lower(pid, constants.priority.PRIORITY_LOW);
  } catch (error) {
    logger.debug({ err: error }, "long work in the database has the priority of calls");
  }
}

function lowerGroup(pid: number, priority: number): void {
  const group = `/proc/${pid}/autogroup`;
  if (existsSync(group)) writeFileSync(group, String(priority));
}

/**
 * How a transaction begins on the connections that lead to a pooler: it may give each transaction another server, so
 * settings hold for one transaction, and no statement is prepared by name.
 */
export const beginnings = new WeakMap<Client, string>();

/** Returns whether statements on this connection can be prepared by name. */
export const canPrepare = (client: Client): boolean => !beginnings.has(client);
