/** PostgreSQL's settings for a connection; times in milliseconds. */
export type ServerSettings = Readonly<Record<string, string | number>>;

/**
 * Settings of every connection: the isolation level (set here, it costs no round trip per transaction), one plan per
 * prepared statement (planning the ledger's at each call takes a third of its time), the price of a lookup on a
 * solid-state disk (PostgreSQL's own is a hard disk's, for which a page of 50 users would be joined by reading all
 * users), and the database's timeouts.
 */
export const serverSettings = {
  default_transaction_isolation: "read committed",
  plan_cache_mode: "force_generic_plan",
  random_page_cost: 1.1,
  lock_timeout: 2000,
  statement_timeout: 5000,
  idle_in_transaction_session_timeout: 10_000,
};

/** Writes settings as options of a new connection. */
export const optionsOf = (settings: ServerSettings): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${String(value).replaceAll(" ", "\\ ")}`)
    .join(" ");

export const serverOptions = optionsOf(serverSettings);

/**
 * How long this process waits for a database that doesn't respond at all (a stopped server, a dead network),
 * milliseconds: for a connection, and for the result of a statement. The database's own timeouts come first while it
 * works.
 */
export const patienceOptions = { connectionTimeoutMillis: 5000, query_timeout: 7000 };

/** Returns how a transaction begins that has these settings. */
export const beginningOf = (settings: ServerSettings): string =>
  ["BEGIN", ...Object.entries(settings).map(([name, value]) => `SET LOCAL ${name} = '${value}'`)].join("; ");
