import pg from "pg";
import { fillAtOnce } from "./bulk.ts";
import type { GiftScene } from "./gift-scene.ts";
import { say } from "./report.ts";

interface Seed {
  readonly gifts: number;
  readonly months: number;
}

/** Gifts that are inserted by one statement. */
const chunk = 500_000;
/** One of so many gifts is between people who are measured; the others are between 10,007 other users. */
const others = 1000;
/** The numbers of seeded entries are beyond those of the people's own. */
const numbersFrom = 1_000_000;

/**
 * SQL: the seeded gifts. `$1`, `$2`: senders and recipients, in pairs; `$3`, `$4`: the first and last number.
 */
const given = ({ gifts, months }: Seed): string => `(
  SELECT n, at, substr(first_id_at(at)::text, 1, 24) AS time, n % ${others} = 0 AS measured,
    CASE n % ${others} WHEN 0 THEN ($1::uuid[])[pair] ELSE md5((n % 10007)::text)::uuid END AS sender_id,
    CASE n % ${others} WHEN 0 THEN ($2::uuid[])[pair] ELSE md5((n * 7919 % 10007)::text || ' receives')::uuid END AS recipient_id
  FROM generate_series($3::bigint, $4::bigint) AS n, LATERAL (SELECT 1 + n / ${others} % cardinality($1::uuid[])) AS p (pair),
    LATERAL (SELECT now() - interval '${months} months' * (1 - n::float8 / ${gifts})) AS t (at)
)`;

const id = (number: string): string => `(time || lpad(to_hex(${number}), 12, '0'))::uuid`;

const transactions = (seed: Seed): string => `
  INSERT INTO gift_transactions (id, gift_id, room_id, sender_id, recipient_id, quantity, unit_price, total_coins,
    recipient_coins, created_at)
  SELECT ${id("n")}, $5, $6, sender_id, recipient_id, 1, 2, 2, 1, at FROM ${given(seed)} g`;

/** Those that a list of a measured person's entries shows. */
const movements = (seed: Seed): string => `
  INSERT INTO ledger_movements (id, reference_type, reference_id, description, created_at)
  SELECT ${id("n")}, 'gift_transaction', ${id("n")}, 'A gift', at FROM ${given(seed)} g WHERE measured`;

const entries = (seed: Seed): string => `
  INSERT INTO ledger_entries (id, movement_id, type, user_id, house, amount, balance_after, entry_no, created_at, asset, bought)
  SELECT ${id("n * 8 + nth")}, ${id("n")}, type, user_id, house, amount, CASE WHEN house IS NULL THEN 1000000 END,
    CASE WHEN house IS NULL THEN ${numbersFrom} + n END, at, asset, bought
  FROM ${given(seed)} g, LATERAL (VALUES
    (1, 'gift_sent', sender_id, NULL, -2, 'coins', -2),
    (2, 'gift_received', recipient_id, NULL, 1, 'coins', 1),
    (3, 'gift_sent', NULL, 'gift_revenue', 1, 'coins', 1),
    (4, 'gift_received', recipient_id, NULL, 1, 'earnings', 0),
    (5, 'gift_received', NULL, 'issue', -1, 'earnings', 0)
  ) AS e (nth, type, user_id, house, amount, asset, bought)`;

/** Fills a database with the gifts of some months, at a constant rate, and five ledger entries of each. */
export async function seedGifts(databaseUrl: string, scene: GiftScene, seed: Seed): Promise<void> {
  const clients = [new pg.Client(databaseUrl), new pg.Client(databaseUrl)] as const;
  for (const client of clients) {
    await client.connect();
    await client.query("SET session_replication_role = replica");
    await client.query("SET synchronous_commit = off");
  }
  await fillAll(clients, scene, seed).finally(() => Promise.all(clients.map((client) => client.end())));
}

/** Each connection fills what is next. */
async function fillAll(clients: readonly [pg.Client, pg.Client], scene: GiftScene, seed: Seed): Promise<void> {
  const [client] = clients;
  const people = [scene.pairs.map(({ sender }) => sender.id), scene.pairs.map(({ recipient }) => recipient.id)];
  const fill =
    (sql: string, ...more: string[]) =>
    async () => {
      let next = 0;
      const work = async (worker: pg.Client) => {
        for (let first = next; first < seed.gifts; first = next) {
          next += chunk;
          await worker.query(sql, [...people, first, Math.min(first + chunk, seed.gifts) - 1, ...more]);
        }
      };
      await Promise.all(clients.map(work));
    };
  await fillAtOnce(client, "gift_transactions", fill(transactions(seed), scene.giftId, scene.roomId));
  say("  the gifts are there");
  await fill(movements(seed))();
  await fillAtOnce(client, "ledger_entries", fill(entries(seed)));
  await client.query("UPDATE wallets SET entry_count = $2 WHERE user_id = ANY ($1)", [
    people.flat(),
    numbersFrom + seed.gifts,
  ]);
  await client.query("VACUUM (ANALYZE) gift_transactions, ledger_movements, ledger_entries, wallets");
}
