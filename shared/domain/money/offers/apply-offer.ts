import { locks } from "#shared/db/locks.ts";
import type { Tx } from "#shared/db/transaction.ts";
import type { ListedPackage, PriceSteps } from "./offer-value.ts";
import { offerGone } from "./offers.errors.ts";
import { hasPurchased, offersOf, rankedFor } from "./offers.queries.ts";

/** What an order of a package keeps of the offer that it was made with. */
export interface AppliedOffer {
  readonly offer_id: string;
  /** The price without the offer, minor units. */
  readonly list_amount: number;
  /** Coins of `credit` that the offer adds. */
  readonly offer_bonus: number;
  readonly amount: number;
  readonly credit: number;
}

/**
 * Step: takes the best offer of a package for its buyer, or the one that they were shown, and counts it toward its
 * limits. `steps`: the prices that the provider accepts, or null where the price is fixed, so that only bonus coins
 * are offered. Returns undefined without an offer. Call it as late as possible: the offer's row is locked until the
 * commit.
 * @throws CONFLICT if the one that was shown isn't available for this package
 */
export async function applyOffer(
  tx: Tx,
  userId: string,
  pack: ListedPackage,
  steps: PriceSteps,
  shownId?: string,
): Promise<AppliedOffer | undefined> {
  await lockOrders(tx, userId);
  const offers = await offersOf(userId);
  for (const { offer, value } of rankedFor(offers, pack, steps))
    if ((!shownId || offer.id === shownId) && (await take(tx, offer.id, userId)))
      return {
        offer_id: offer.id,
        list_amount: pack.amount,
        offer_bonus: value.bonus,
        amount: value.amount,
        credit: pack.credit + value.bonus,
      };
  if (shownId) throw offerGone();
  return undefined;
}

/** Step: makes orders of a user wait for each other, so that each sees those before it. */
export async function lockOrders(tx: Tx, userId: string): Promise<void> {
  await tx.query("SELECT pg_advisory_xact_lock($1, hashtext($2))", [locks.orders, userId]);
}

/** Counts an order toward the limits of its offer. Returns whether they allow it. */
async function take(tx: Tx, offerId: string, userId: string): Promise<boolean> {
  const ofUser = await tx.query(
    `INSERT INTO offer_uses AS s (offer_id, user_id, uses) VALUES ($1, $2, 1)
     ON CONFLICT (offer_id, user_id) DO UPDATE SET uses = s.uses + 1
       WHERE s.uses < (SELECT coalesce(person_limit, ${2 ** 31 - 1}) FROM offers WHERE id = $1) RETURNING 1`,
    [offerId, userId],
  );
  if (ofUser.length === 0) return false;
  const ofAll = await tx.query(
    "UPDATE offers SET used = used + 1 WHERE id = $1 AND (total_limit IS NULL OR used < total_limit) RETURNING 1",
    [offerId],
  );
  if (ofAll.length === 0) await giveBack(tx, "offer_uses", "uses", "offer_id = $1 AND user_id = $2", [offerId, userId]);
  return ofAll.length > 0;
}

const giveBack = (tx: Tx, table: string, column: string, where: string, values: readonly string[]) =>
  tx.query(`UPDATE ${table} SET ${column} = ${column} - 1 WHERE ${where}`, [...values]);

/** Step: gives back the offers of orders that have failed or expired. */
export async function releaseOffers(tx: Tx, orderIds: readonly string[]): Promise<void> {
  const released = await tx.query<{ offer_id: string; user_id: string }>(
    `UPDATE payment_orders SET offer_held = false WHERE id = ANY ($1::uuid[]) AND offer_held
     RETURNING offer_id, user_id`,
    [orderIds],
  );
  // In the order of `take`, users before offers, and sorted: orders that count at the same time never deadlock.
  const pairs = released.map(({ offer_id, user_id }) => [offer_id, user_id]).sort();
  for (const pair of pairs) await giveBack(tx, "offer_uses", "uses", "offer_id = $1 AND user_id = $2", pair);
  for (const [offerId] of pairs) await giveBack(tx, "offers", "used", "id = $1", [offerId!]);
}

/**
 * Step: counts an order toward its offer again whose payment came after it was given back. Returns false if the limits
 * no longer allow it, so that orders that expire on purpose don't multiply an offer.
 */
export async function retakeOffer(
  tx: Tx,
  { id, user_id, offer_id }: { readonly id: string; readonly user_id: string; readonly offer_id: string },
): Promise<boolean> {
  await lockOrders(tx, user_id);
  const [again] = await tx.query(
    `SELECT 1 FROM offers o WHERE o.id = $2 AND (o.kind = 'first_purchase' AND ${hasPurchased("$3")})`,
    [user_id, offer_id, id],
  );
  return !again && (await take(tx, offer_id, user_id));
}
