import { join } from "node:path";
import pg from "pg";
import { startEmbeddedPostgres } from "#shared/db/embedded-postgres.ts";
import { oldestPostgres } from "#shared/db/older-postgres.ts";
import { OperatorError } from "#shared/kernel/operator-error.ts";
import type { Config } from "./config.ts";
import { claimDataFolder } from "./data-folder.ts";

/** The service's database, as seen by this process. */
export interface ServiceDatabase {
  readonly url: string;
  /** The same without a pooler. */
  readonly directUrl: string;
  /** Stores the URL of the service for the error messages of other processes that try to use the data folder. */
  announce(serviceUrl: string): Promise<void>;
  /** Stops what was started for this process. */
  release(): Promise<void>;
}

interface NamedDatabase {
  readonly databaseUrl?: string | undefined;
  readonly dataDir: string;
}

export const postgresFolder = (config: Config) => join(config.dataDir, "postgres");

/** Names the database of a configuration, without its password. */
export function databaseName({ databaseUrl, dataDir }: NamedDatabase, variable = "DATABASE_URL"): string {
  if (!databaseUrl) return `embedded database in ${dataDir}`;
  const { host, port, database } = new pg.Client({ connectionString: databaseUrl });
  return `database "${database}" at ${host}:${port} (${variable})`;
}

/**
 * Returns the database at DATABASE_URL, or starts the embedded server for this process.
 * @param onLost called if the embedded server stops unexpectedly
 * @param onWaiting called when this process only waits for another: what it does meanwhile takes no longer
 * @throws OperatorError if another process uses the data folder.
 */
export async function startDatabase(
  config: Config,
  command: string,
  onLost: () => void,
  onWaiting: () => void = () => {},
): Promise<ServiceDatabase> {
  if (config.databaseUrl) {
    onWaiting();
    await checkDatabase(config);
    const { databaseUrl: url, databaseDirectUrl: directUrl = url } = config;
    return { url, directUrl, announce: async () => undefined, release: async () => undefined };
  }
  const claim = await claimDataFolder(config.dataDir, command);
  try {
    const server = await startEmbeddedPostgres(postgresFolder(config), { onWaiting });
    let stopping = false;
    void server.ended.then(() => {
      if (!stopping) onLost();
    });
    return {
      url: server.url,
      directUrl: server.url,
      announce: claim.announce,
      release: async () => {
        stopping = true;
        await server.stop();
        await claim.release();
      },
    };
  } catch (error) {
    await claim.release();
    throw error;
  }
}

/** @throws OperatorError if the database can't be reached or isn't suitable. */
async function checkDatabase(config: Config): Promise<void> {
  const name = databaseName(config);
  const asked = await ask(config.databaseUrl, name);
  if (config.databaseDirectUrl) {
    const direct = databaseName({ ...config, databaseUrl: config.databaseDirectUrl }, "DATABASE_DIRECT_URL");
    const { database, keepsOptions } = await ask(config.databaseDirectUrl, direct, options);
    if (database !== asked.database) throw new OperatorError(`The ${name} isn't the ${direct}.`);
    if (!keepsOptions) throw new OperatorError(poolerText(direct));
  } else if (!(await ask(config.databaseUrl, name, options)).keepsOptions) throw new OperatorError(poolerText(name));
  if (asked.version < oldestPostgres)
    throw new OperatorError(
      `The ${name} runs PostgreSQL ${asked.version}. PostgreSQL ${oldestPostgres} or newer is required.`,
    );
  if (asked.encoding !== "UTF8")
    throw new OperatorError(`The ${name} has the encoding ${asked.encoding}. Create a database with ENCODING 'UTF8'.`);
}

/** Poolers refuse options, or ignore them. */
const options = { options: "-c lock_timeout=2000" };

const poolerText = (name: string): string =>
  `The ${name} is behind a pooler, such as PgBouncer. Set DATABASE_DIRECT_URL to the PostgreSQL server itself.`;

/** What OpenSSL says of a certificate whose authority this machine doesn't know. */
const authorityProblems = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

const authorityText = (name: string): string =>
  `The ${name} has a certificate of an authority that isn't known here. Add the authority's file to the address: ?sslmode=verify-full&sslrootcert=/path/to/ca.pem`;

interface Asked {
  readonly version: number;
  readonly encoding: string;
  readonly database: string;
  /** Whether the server has the options that the connection was opened with. */
  readonly keepsOptions: boolean;
}

/** Asks again after a timeout: what this process loads meanwhile may have kept it from reading the answer. */
async function ask(
  url: string | undefined,
  name: string,
  more: pg.ClientConfig = {},
  isRepeated = false,
): Promise<Asked> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000, ...more });
  try {
    await client.connect();
    const { rows } = await client.query<Asked>(
      `SELECT current_setting('server_version_num')::int / 10000 AS version,
         current_setting('server_encoding') AS encoding, current_database() AS database,
         current_setting('lock_timeout') <> '0' AS "keepsOptions"`,
    );
    return rows[0]!;
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    if (message === "timeout expired" && !isRepeated) return await ask(url, name, more, true);
    if (message.includes("unsupported startup parameter")) throw new OperatorError(poolerText(name), { cause: error });
    if (code && authorityProblems.has(code)) throw new OperatorError(authorityText(name), { cause: error });
    throw new OperatorError(`Can't connect to the ${name}: ${message || code}`, { cause: error });
  } finally {
    await client.end();
  }
}
