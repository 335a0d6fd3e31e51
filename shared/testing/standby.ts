import { once } from "node:events";
import { cp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import pg from "pg";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "#shared/db/embedded-postgres.ts";

/** Runs statements on a server, whatever it is. Returns the rows of the last. */
export async function ask<Row extends object>(url: string, ...statements: string[]): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {}); // The server may be killed.
  await client.connect();
  try {
    let rows: Row[] = [];
    for (const statement of statements) ({ rows } = await client.query<Row>(statement));
    return rows;
  } finally {
    await client.end();
  }
}

/** Starts a streaming replica of the server in the folder `first`, from a base backup into `second`. */
export async function startStandby(
  first: string,
  primary: EmbeddedPostgres,
  second: string,
): Promise<EmbeddedPostgres> {
  // On one connection.
  const client = new pg.Client({ connectionString: primary.url });
  await client.connect();
  await client.query("SELECT pg_backup_start('standby', true)");
  await cp(first, second, { recursive: true, preserveTimestamps: true });
  const { rows } = await client.query<{ label: string }>("SELECT labelfile AS label FROM pg_backup_stop(false)");
  await client.end();
  const data = join(second, "data");
  await rm(join(data, "postmaster.pid"));
  await writeFile(join(data, "backup_label"), rows[0]!.label);
  await writeFile(join(data, "standby.signal"), "");
  const { username, password } = new URL(primary.url);
  const source = `host=127.0.0.1 port=${primary.port} user=${username} password=${password}`;
  await writeFile(join(data, "postgresql.auto.conf"), `primary_conninfo = '${source}'\n`);
  return startEmbeddedPostgres(second);
}

/** An address that leads to a server, and later to another. */
export interface Way {
  readonly port: number;
  /** Where new connections lead. */
  to: number;
  close(): void;
}

export async function openWay(to: number): Promise<Way> {
  const server = createServer((near) => {
    const far = connect(way.to, "127.0.0.1");
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const)
      one
        .on("error", () => other.destroy())
        .on("close", () => other.destroy())
        .pipe(other);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const way: Way = { port: (server.address() as AddressInfo).port, to, close: () => void server.close() };
  return way;
}
