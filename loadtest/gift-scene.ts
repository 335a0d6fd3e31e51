import type { Pool } from "pg";
import type { Person, Service } from "./service.ts";

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

/** Raises the signup bonus, so that the coins come from the ledger like all others. */
export async function raiseSignupBonus(pool: Pool): Promise<void> {
  await pool.query(`INSERT INTO settings (key, value) VALUES ('signup_bonus', '1000000')
    ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value`);
  await pool.query('SELECT pg_notify(\'hubbub_signals\', \'{"name":"settings.changed","payload":{}}\')');
}

/** Returns the ID of the gift with the lowest price. */
export async function cheapestGift(service: Service, { token }: Person): Promise<string> {
  const categories = await service.call<{ gifts: { id: string; price: number }[] }[]>("GET", "/gifts", { token });
  const [cheapest] = categories.flatMap(({ gifts }) => gifts).sort((a, b) => a.price - b.price);
  return cheapest!.id;
}
