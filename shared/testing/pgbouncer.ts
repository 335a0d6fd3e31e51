import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { databaseUser } from "../db/postgres-user.ts";
import { freePort } from "./free-port.ts";
import { until } from "./until.ts";

/** PgBouncer in front of a database. */
export interface PgBouncer {
  /** The address of the database through it. */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts PgBouncer with docs/operations/pgbouncer.ini in front of a database, and waits until it accepts connections.
 * Pass `port` to restart a stopped one.
 */
export async function startPgBouncer(databaseUrl: string, port?: number): Promise<PgBouncer> {
  const usedPort = port ?? (await freePort());
  const { hostname, port: serverPort, pathname, username, password } = new URL(databaseUrl);
  const folder = await mkdtemp(join(tmpdir(), "pgbouncer-"));
  const [file, users] = [join(folder, "pgbouncer.ini"), join(folder, "userlist.txt")];
  const text = await readFile(new URL("../../docs/operations/pgbouncer.ini", import.meta.url), "utf8");
  await writeFile(users, `"${username}" "${decodeURIComponent(password)}"\n`);
  await writeFile(
    file,
    text
      .replace(/^hubbub = .*$/m, `${pathname.slice(1)} = host=${hostname} port=${serverPort}`)
      .replace("listen_addr = *", "listen_addr = 127.0.0.1")
      .replace("listen_port = 6432", `listen_port = ${usedPort}`)
      .replace("/etc/pgbouncer/userlist.txt", users)
      .replace("default_pool_size = 40", "default_pool_size = 8"),
  );
  const {
    file: program,
    args,
    options,
  } = (await databaseUser(folder, "/usr/sbin/pgbouncer"))("pgbouncer", ["-q", file]);
  const child = spawn(program, args, { ...options, detached: false, stdio: ["ignore", "ignore", "ignore"] });
  const ended = once(child, "exit");
  const url = Object.assign(new URL(databaseUrl), { port: `${usedPort}` }).href;
  await until("PgBouncer accepts connections", () => accepts(url), 15_000);
  return {
    url,
    stop: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

async function accepts(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString });
  try {
    await client.connect();
    return true;
  } catch {
    return false; // It is still starting.
  } finally {
    await client.end();
  }
}
