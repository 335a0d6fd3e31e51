import { query } from "#shared/db/query.ts";
import { stock, stockUnit } from "#shared/domain/money/ledger/assets.ts";
import { type Credit, followCoins, type Taken } from "./follow-coins.ts";

/** A transfer that stock was spent on, in coins. */
interface Spend {
  readonly id: string;
  readonly recipientId: string;
  readonly transactionId: string;
  /** 0 if its coins count as granted. */
  readonly bought: number;
  /** Coins that unreversed refunds have followed to it. */
  readonly followed: number;
  /** Those of the order. */
  readonly ofOrder: number;
}

/**
 * Finds what became of a seller's refunded stock. What they still hold is taken back first. Whole coins of the rest are
 * followed to the transfers that it was spent on, as far as these were bought: what recipients still hold is taken
 * back, and of what they gave away the shares. The seller owes what is left, since recipients have paid the seller.
 * Reads only, as `followCoins`.
 */
export async function followStock(
  sellerId: string,
  { transactionId }: { readonly transactionId: string },
  share: number,
): Promise<Taken> {
  const [wallet] = await query<{ balance: number }>("SELECT balance FROM wallets WHERE user_id = $1 AND asset = $2", [
    sellerId,
    stock,
  ]);
  const held = Math.min(share, wallet!.balance);
  const spent = Math.floor((share - held) / stockUnit);
  const credits = spent > 0 ? await creditsOf(sellerId, transactionId, spent) : [];
  const { charges, gifts, held: heldOf, unborne } = await followCoins(credits);
  const transfers = credits.map(({ transferId, userId, amount, transactionId: credit }) => ({
    id: transferId,
    recipientId: userId,
    coins: amount,
    taken: amount - (unborne.get(credit) ?? 0),
    held: heldOf.get(credit) ?? 0,
  }));
  const taken = transfers.reduce((sum, one) => sum + one.taken, 0);
  return { held, debt: share - held - taken * stockUnit, shares: charges, gifts, transfers };
}

/** Returns what recipients got for so many coins of an order's stock. */
async function creditsOf(
  sellerId: string,
  transactionId: string,
  spent: number,
): Promise<(Credit & { readonly transferId: string })[]> {
  const spends = await spendsOf(sellerId, transactionId);
  const covered = new Map<Spend, number>();
  const cover = (spend: Spend, most: number): number => {
    const before = covered.get(spend) ?? 0;
    const more = Math.max(0, Math.min(most, spend.bought - spend.followed - before));
    if (more > 0) covered.set(spend, before + more);
    return more;
  };

  let rest = spent;
  for (const spend of spends) rest -= spend.bought > 0 ? cover(spend, Math.min(rest, spend.ofOrder)) : 0;
  const otherwise = spends.filter(({ bought }) => bought === 0).reduce((sum, { ofOrder }) => sum + ofOrder, 0);
  rest = Math.max(0, rest - otherwise);
  // Refunds and paid debts may have taken stock of this order in place of others, whose transfers it pays for since.
  for (const spend of spends) rest -= cover(spend, rest);

  return [...covered].map(([{ id, recipientId, transactionId }, amount]) => ({
    ...{ transferId: id, userId: recipientId, amount, bought: amount, transactionId },
    isBorneByOthers: true,
  }));
}

/** How many transfers of a seller a refund looks at. */
const spendsMax = 10_000;

/**
 * Returns what a seller's stock was spent on: first what the order's was spent on, the latest first. Refunds aren't
 * counted: they take stock from anywhere. Reversed transfers spent only what refunds had followed to them before.
 */
const spendsOf = (sellerId: string, transactionId: string): Promise<Spend[]> =>
  query<Spend & Record<string, unknown>>(
    `WITH transfers AS (
       SELECT m.id AS movement_id, t.id, t.recipient_id, coalesce(r.followed, t.coins) AS coins,
         least(t.bought, coalesce(r.followed, t.bought)) AS bought
       FROM seller_transfers t JOIN ledger_movements m ON m.reference_type = 'seller_transfer' AND m.reference_id = t.id
         LEFT JOIN LATERAL (SELECT min(followed) AS followed FROM seller_reversals WHERE transfer_id = t.id) r ON true
       WHERE t.seller_id = $1
     ), moved AS (
       SELECT e.movement_id, e.entry_no, coalesce(-t.coins * ${stockUnit}, e.amount::bigint) AS amount
       FROM ledger_entries e LEFT JOIN transfers t ON t.movement_id = e.movement_id
       WHERE e.user_id = $1 AND e.asset = '${stock}' AND e.type <> 'refund'
     ), sums AS (
       SELECT *, sum(greatest(amount, 0)) OVER stock AS got, sum(greatest(-amount, 0)) OVER stock AS spent
       FROM moved WINDOW stock AS (ORDER BY entry_no)
     ), spends AS (
       SELECT s.movement_id, s.entry_no,
         greatest(0, least(s.spent, c.got) - greatest(s.spent + s.amount, c.got - c.amount)) / ${stockUnit} AS of_order
       FROM sums s, sums c WHERE s.amount < 0 AND c.movement_id = $2
     )
     SELECT coalesce(t.id, s.movement_id) AS id, t.recipient_id AS "recipientId", s.movement_id AS "transactionId",
       coalesce(t.bought, 0)::bigint AS bought, coalesce(f.coins, 0)::bigint AS followed, s.of_order::bigint AS "ofOrder"
     FROM spends s LEFT JOIN transfers t ON t.movement_id = s.movement_id
       LEFT JOIN LATERAL (
         SELECT sum(coins - released) AS coins FROM refund_transfers WHERE transfer_id = t.id
       ) f ON true
     WHERE s.of_order > 0 OR coalesce(f.coins, 0) < t.bought
     ORDER BY s.of_order > 0 DESC, s.entry_no DESC LIMIT ${spendsMax}`,
    [sellerId, transactionId],
  );
