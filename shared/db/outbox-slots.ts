import { crc32 } from "node:zlib";
import type { Client } from "pg";
import { logger } from "#shared/kernel/logger.ts";
import { directUrl } from "./database-address.ts";
import { locks } from "./locks.ts";
import { PrimaryClient } from "./pg-internals.ts";
import { queryOn } from "./query.ts";
import { patienceOptions, serverOptions } from "./server-settings.ts";

/**
 * The work of the relay is divided into slots, each owned by one process. One routes events, one records them, and each
 * of the others pushes to a part of the targets.
 */
export const routeSlot = 0;
export const recordSlot = 1;
const firstPushSlot = 2;
const pushSlots = 16;
export const allSlots = Array.from({ length: firstPushSlot + pushSlots }, (_, slot) => slot);

/** Returns the slot in which events are pushed to a target. */
export const slotOf = (target: string): number => firstPushSlot + (crc32(target) % pushSlots);

/** A shared lock that each relay holds, so that relays can be counted. */
const presence = 1000;

/**
 * Options of the connection that holds the locks. PostgreSQL notices within 3 s that the machine of an owner is gone. A
 * crash may undo what this connection has written: events are then routed or pushed again. Its statements need an
 * index, also when they were planned while the tables were empty; and no bitmap of it, because such a scan doesn't mark
 * the entries of deleted rows, and would visit all those since the last vacuum each time.
 */
const options = [
  serverOptions,
  "-c tcp_keepalives_idle=1 -c tcp_keepalives_interval=1 -c tcp_keepalives_count=2",
  "-c synchronous_commit=off",
  "-c enable_seqscan=off -c enable_bitmapscan=off",
].join(" ");

/** What a process does in the slots that it owns. */
export interface SlotWork {
  /** Slots that this process owns from now on. */
  taken(slots: readonly number[]): void;
  /** Resolves when all work in these slots has ended. No new work begins in them. */
  left(slots: readonly number[]): Promise<void>;
}

/**
 * The slots that this process owns: session locks of one connection. When the process or the connection ends,
 * PostgreSQL releases them, and the other relays take them at their next look.
 */
export class Slots {
  readonly #work: SlotWork;
  #client: Client | undefined;
  #owned = new Set<number>();
  /** The end of the work in slots that were lost. */
  #leaving: Promise<void> = Promise.resolve();

  constructor(work: SlotWork) {
    this.#work = work;
  }

  owns(slot: number): boolean {
    return this.#owned.has(slot);
  }

  /** Runs a statement on the connection that holds the locks, in order. It fails if the locks are lost. */
  async query<Row extends object = Record<string, unknown>>(
    text: string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    if (!this.#client) throw new Error("the relay has no connection");
    return queryOn<Row>(this.#client, text, values);
  }

  /** Takes free slots up to a fair share, and releases those beyond it. */
  async balance(): Promise<void> {
    if (!this.#client) await this.#connect();
    const { relays, taken } = await this.#look();
    const share = Math.ceil(allSlots.length / relays);
    const free = allSlots.filter((slot) => !taken.has(slot));
    if (this.#owned.size < share && free.length > 0) await this.#take(free.slice(0, share - this.#owned.size));
    if (this.#owned.size > share) await this.#giveBack([...this.#owned].slice(share));
  }

  /** Releases all slots. */
  async close(): Promise<void> {
    const client = this.#client;
    if (!client) return this.#leaving;
    const owned = [...this.#owned];
    this.#owned.clear();
    // Without a database nothing can be released: the events are delivered again.
    await this.#work.left(owned).catch((error: unknown) => logger.warn({ err: error }, "relay stopped in disorder"));
    this.#client = undefined;
    await client.end();
  }

  async #connect(): Promise<void> {
    // Else a slot that this process takes again would be left after all.
    await this.#leaving;
    const client = new PrimaryClient({
      connectionString: directUrl(),
      application_name: "hubbub relay",
      keepAlive: true,
      ...patienceOptions,
      pipeline: true,
      options,
    });
    client.on("error", (error) => logger.warn({ err: error }, "relay connection lost"));
    client.on("end", () => {
      if (this.#client !== client) return;
      this.#client = undefined;
      const lost = [...this.#owned];
      this.#owned.clear();
      // Events pushed meanwhile can't be settled: they may be pushed again.
      this.#leaving = this.#work.left(lost).catch(() => undefined);
    });
    try {
      await client.connect();
      await queryOn(client, "SELECT pg_advisory_lock_shared($1, $2)", [locks.outboxRelay, presence]);
    } catch (error) {
      // It might get the lock later, and count as a relay that takes no slots.
      void client.end();
      throw error;
    }
    this.#client = client;
  }

  async #look(): Promise<{ relays: number; taken: Set<number> }> {
    const held = await this.query<{ slot: number }>(
      `SELECT objid::int AS slot FROM pg_locks
       WHERE locktype = 'advisory' AND classid = $1 AND objsubid = 2 AND granted
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      [locks.outboxRelay],
    );
    return {
      relays: held.filter(({ slot }) => slot === presence).length,
      taken: new Set(held.map(({ slot }) => slot)),
    };
  }

  async #take(slots: readonly number[]): Promise<void> {
    const rows = await this.query<{ slot: number }>(
      "SELECT slot FROM (SELECT slot, pg_try_advisory_lock($1, slot) AS locked FROM unnest($2::int[]) AS slot) WHERE locked",
      [locks.outboxRelay, slots],
    );
    const taken = rows.map(({ slot }) => slot);
    for (const slot of taken) this.#owned.add(slot);
    this.#work.taken(taken);
  }

  async #giveBack(slots: readonly number[]): Promise<void> {
    for (const slot of slots) this.#owned.delete(slot);
    await this.#work.left(slots);
    await this.query("SELECT pg_advisory_unlock($1, slot) FROM unnest($2::int[]) AS slot", [locks.outboxRelay, slots]);
  }
}
