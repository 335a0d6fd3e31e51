import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import type { AgeBand } from "#shared/contracts/age-rights.ts";
import type { Language } from "#shared/kernel/languages.ts";
import { logger } from "#shared/kernel/logger.ts";
import { directUrl } from "./database-address.ts";
import { PrimaryClient, streamOf } from "./pg-internals.ts";
import { query } from "./query.ts";
import { patienceOptions } from "./server-settings.ts";

/**
 * Signals notify every process of the service of something rare that each keeps in memory: a revoked session, a
 * suspended account, a changed setting. They are sent by PostgreSQL's NOTIFY with the transaction's commit, with or
 * without Redis. They are not for hot paths, because NOTIFY takes a lock at commit; domain events are.
 */
export interface Signals {
  "session.revoked": { session_ids: string[] };
  "user.suspended": { user_id: string };
  "user.reactivated": { user_id: string };
  "user.age_changed": { user_id: string; age: AgeBand | "frozen" | null };
  "user.terms_accepted": { user_id: string; version: string };
  "user.language_changed": { user_id: string; language: Language | null };
  "media.processed": { media_id: string };
  "settings.changed": object;
  "rules.changed": object;
  "events.wanted": object;
  "hooks.changed": object;
  "split_plans.changed": object;
  "user.sanctioned": { user_id: string };
  "voice.room_closed": { room_id: string };
  /** `room_id`: the room whose audio is evidence. Null: the rooms in which the user has spoken. */
  "voice.reported": { report_id: string; user_id: string; room_id: string | null };
}
export type SignalName = keyof Signals;

type Listener<S extends SignalName> = (payload: Signals[S]) => void;

const channel = "hubbub_signals";
const listeners = new Map<SignalName, Set<Listener<never>>>();
const reconnected = new Set<() => Promise<void>>();

/** Sends a signal with the commit of the current transaction; called by `Tx.signal` only. */
export async function sendSignal<S extends SignalName>(name: S, payload: Signals[S]): Promise<void> {
  await query("SELECT pg_notify($1, $2)", [channel, JSON.stringify({ name, payload })]);
}

/** Calls `listener` for each signal of this name, from any process. */
export function onSignal<S extends SignalName>(name: S, listener: Listener<S>): void {
  const set = listeners.get(name) ?? new Set();
  set.add(listener as Listener<never>);
  listeners.set(name, set);
}

/** Runs `load` at each connect and reconnect: signals may have been missed, so read the current state. */
export function onSignalsConnected(load: () => Promise<void>): void {
  reconnected.add(load);
}

let client: pg.Client | undefined;
let closing = false;

/** Whether signals are stopped, so that nothing that they change is asked for any longer. */
export const areSignalsStopped = (): boolean => closing;

let reconnecting: Promise<void> | undefined;
/** What the connection before had begun to load: if it ended later, older state would replace newer. */
let loading: Promise<unknown> = Promise.resolve();
const retryMs = 500;
/**
 * How often the connection is checked, milliseconds: nothing else would show that the network to the database is dead.
 */
const checkEveryMs = 5000;

/** Starts listening; resolves when everything registered with `onSignalsConnected` has loaded. */
export async function startSignals(): Promise<void> {
  closing = false;
  await connect();
}

async function connect(): Promise<void> {
  const mine = new PrimaryClient({
    connectionString: directUrl(),
    application_name: "hubbub signals",
    keepAlive: true,
    ...patienceOptions,
  });

  let failure: Error | undefined;
  mine.on("error", (error) => {
    failure = error;
  });
  mine.on("notification", ({ payload }) => deliver(payload ?? ""));

  try {
    await mine.connect();
    await mine.query(`LISTEN ${channel}`);
    await loading;
    const loads = [...reconnected].map((load) => load());
    loading = Promise.allSettled(loads);
    await Promise.all(loads);
  } catch (error) {
    await mine.end().catch(() => undefined); // It may be dead already; the first error matters.
    throw error;
  }

  client = mine;
  const lost = () => {
    if (closing || client !== mine) return;
    client = undefined;
    logger.warn({ err: failure }, "signals connection lost; reconnecting");
    reconnecting = reconnect();
  };
  const check = setInterval(() => {
    // Without a response in time the connection is of no use.
    mine.query("SELECT").catch(() => streamOf(mine).destroy());
  }, checkEveryMs).unref();
  mine.on("end", () => {
    clearInterval(check);
    lost();
  });
  if (failure) lost();
}

async function reconnect(): Promise<void> {
  while (!closing) {
    try {
      await connect();
      break;
    } catch (error) {
      logger.warn({ err: error }, "signals connection failed; retrying");
      await pause(retryMs);
    }
  }
  reconnecting = undefined;
}

function deliver(message: string): void {
  const { name, payload } = JSON.parse(message) as { name: SignalName; payload: never };
  for (const listener of listeners.get(name) ?? []) {
    try {
      listener(payload);
    } catch (error) {
      logger.error({ err: error, signal: name }, "signal listener failed");
    }
  }
}

export async function stopSignals(): Promise<void> {
  closing = true;
  await reconnecting;
  const last = client;
  client = undefined;
  await last?.end();
}
