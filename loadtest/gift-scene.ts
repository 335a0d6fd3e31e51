import { setTimeout as pause } from "node:timers/promises";
import type { Pool } from "pg";
import { openRoom, type Person, register, type Service } from "./service.ts";

/** A sender and a recipient. Each connection has one pair. */
export interface Pair {
  readonly sender: Person;
  readonly recipient: Person;
}

export interface GiftScene {
  readonly roomId: string;
  readonly giftId: string;
  readonly pairs: readonly Pair[];
}

/** How fast gifts were given. */
export interface GiftRates {
  readonly perSecond: number;
  /** Milliseconds from the call to its answer. */
  readonly p99: number;
}

/** Raises the signup bonus, so that the coins come from the ledger like all others. */
export async function raiseSignupBonus(pool: Pool): Promise<void> {
  await pool.query(`INSERT INTO settings (key, value) VALUES ('signup_bonus', '1000000')
    ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value`);
  await pool.query('SELECT pg_notify(\'hubbub_signals\', \'{"name":"settings.changed","payload":{}}\')');
}

/** Returns the ID of the gift with the lowest price of which the recipient gets a coin: both wallets change. */
export async function cheapestGift(service: Service, { token }: Person): Promise<string> {
  const categories = await service.call<{ gifts: { id: string; price: number }[] }[]>("GET", "/gifts", { token });
  const gifts = categories.flatMap((category) => category.gifts).filter(({ price }) => price >= 2);
  return gifts.sort((a, b) => a.price - b.price)[0]!.id;
}

/** Registers people, and opens a room for them. The pairs share the recipients in turn. */
export async function setScene(service: Service, pairCount: number, recipients = pairCount): Promise<GiftScene> {
  const people = await register(service, pairCount + recipients);
  const { id: roomId } = await openRoom(service, people[0]!);
  const giftId = await cheapestGift(service, people[0]!);
  const pairs = Array.from({ length: pairCount }, (_, index) => ({
    sender: people[index]!,
    recipient: people[pairCount + (index % recipients)]!,
  }));
  return { roomId, giftId, pairs };
}

/**
 * Joins over REST, without connections, so that gifts are measured and not their events. Such members can stay for two
 * minutes.
 */
export async function joinAll(service: Service, { roomId, pairs }: GiftScene): Promise<void> {
  for (const { token } of new Set(pairs.flatMap(({ sender, recipient }) => [sender, recipient])))
    await service.call("POST", `/rooms/${roomId}/join`, { token, body: {} });
}

/** Counts the domain events that the relay has not recorded and pushed yet. */
export async function backlogOf(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ waiting: string }>(
    "SELECT (SELECT count(*) FROM outbox) + (SELECT count(*) FROM outbox_deliveries) AS waiting",
  );
  return Number(rows[0]!.waiting);
}

/** Waits until the relay has delivered everything. Returns how long that took, seconds. */
export async function untilDelivered(pool: Pool): Promise<number> {
  const startedMs = performance.now();
  // Counting uses the machine, too.
  while ((await backlogOf(pool)) > 0) await pause(50);
  return (performance.now() - startedMs) / 1000;
}
