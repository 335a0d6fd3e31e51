import pg from "pg";
import { assert } from "#shared/kernel/assert.ts";

interface Target {
  /** Where the pools connect. */
  readonly url: string;
  /** Where a connection keeps its server, if a pooler is in between at `url`. */
  readonly directUrl: string;
}
let target: Target | undefined;

/** Says which database this process uses. Called once, by `openDatabase`. */
export function setDatabase(named: Target): void {
  assert(!target, "the database is opened once");
  target = named;
}

export const hasDatabase = (): boolean => target !== undefined;

/** Parses an address as `pg` does for all other connections, so that all go to one place, with TLS or without. */
export function connectionOf(connectionString: string) {
  const { host, port, database, user: username, password, ssl } = new pg.Client({ connectionString });
  return { host, port, database, username, password, ssl };
}

function opened(): Target {
  assert(target, "the database is open");
  return target;
}

/** Returns the address that the pools connect to, for other clients that keep nothing on a connection. */
export const databaseUrl = (): string => opened().url;

/** Returns the address for clients that keep something on a connection: LISTEN, and locks of a session. */
export const directUrl = (): string => opened().directUrl;

/** Returns whether the pools connect to a pooler. */
export const isPooled = (): boolean => opened().url !== opened().directUrl;
