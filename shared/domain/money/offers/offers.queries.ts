import type { OfferKind } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { clock } from "#shared/kernel/clock.ts";
import {
  byWorth,
  type ListedPackage,
  type OfferTerms,
  type OfferValue,
  offerValue,
  type PriceSteps,
} from "./offer-value.ts";

/** How many offers may be in force at once. */
export const offersMax = 200;

export interface OpenOffer extends OfferTerms {
  readonly id: string;
  readonly name: string;
  readonly kind: OfferKind;
  readonly ends_at: string | null;
}

/** The local time, moved back by when an offer's hours begin: those that pass midnight belong to their first day. */
const sinceBegin = `(($2::timestamptz AT TIME ZONE (o.hours ->> 'zone')) - (o.hours ->> 'from')::time)`;
/** Hours that begin and end at the same time last a day. */
const isHappyHour = `o.hours IS NULL OR (o.hours -> 'days' @> to_jsonb(extract(isodow FROM ${sinceBegin})::integer)
  AND extract(epoch FROM ${sinceBegin}::time)
    <= mod(extract(epoch FROM (o.hours ->> 'to')::time - (o.hours ->> 'from')::time)::integer + 86399, 86400))`;

/** Orders of coins that were paid, or that hold the offer of a first purchase. `except` is an order to leave out. */
export const hasPurchased = (except = "NULL::uuid"): string => `EXISTS (
  SELECT 1 FROM payment_orders p LEFT JOIN offers held ON held.id = p.offer_id AND p.offer_held
  WHERE p.user_id = $1 AND p.asset = 'coins' AND p.id IS DISTINCT FROM ${except}
    AND (p.kind = 'coins' AND p.paid_at IS NOT NULL OR held.kind = 'first_purchase'))`;

const opened = `EXISTS (SELECT 1 FROM coupon_claims c WHERE c.offer_id = o.id AND c.user_id = $1)`;

/** What a user may be offered now. `$1` is the user, `$2` the time. */
const openOffers = (coupons: string) => `
  SELECT o.id, o.name, o.kind, o.bonus_percent, o.bonus_coins, o.discount_percent, o.package_ids, o.ends_at
  FROM offers o JOIN users u ON u.id = $1
  WHERE o.retired_at IS NULL AND (o.starts_at IS NULL OR o.starts_at <= $2) AND (o.ends_at IS NULL OR o.ends_at > $2)
    AND (o.countries = '{}' OR u.country = ANY (o.countries)) AND (o.user_ids = '{}' OR $1::text = ANY (o.user_ids))
    AND (o.new_user_days IS NULL OR u.created_at > $2::timestamptz - o.new_user_days * interval '1 day')
    AND (o.total_limit IS NULL OR o.used < o.total_limit)
    AND (o.person_limit IS NULL OR o.person_limit > coalesce(
      (SELECT uses FROM offer_uses s WHERE s.offer_id = o.id AND s.user_id = $1), 0))
    AND (${isHappyHour}) AND (o.kind <> 'first_purchase' OR NOT ${hasPurchased()})
    AND ${coupons}
  ORDER BY o.id LIMIT ${offersMax}`;

/** Returns the offers that a user has now: in a transaction, as it sees them. */
export const offersOf = (userId: string): Promise<OpenOffer[]> =>
  query<OpenOffer>(openOffers(`(o.kind <> 'coupon' OR ${opened})`), [userId, new Date(clock.now())]);

/** Returns the offer of a coupon if the user could have it. */
export async function couponOffer(userId: string, offerId: string): Promise<OpenOffer | undefined> {
  const statement = openOffers("o.kind = 'coupon' AND o.id = $3");
  const [offer] = await query<OpenOffer>(statement, [userId, new Date(clock.now()), offerId]);
  return offer;
}

/** Returns what these offers make of a package, the best first. */
export const rankedFor = (
  offers: readonly OpenOffer[],
  pack: ListedPackage,
  steps: PriceSteps,
): { readonly offer: OpenOffer; readonly value: OfferValue }[] => {
  const compare = byWorth(pack);
  return offers
    .flatMap((offer) => {
      const value = offerValue(offer, pack, steps);
      return value ? [{ offer, value }] : [];
    })
    .sort((one, other) => compare(one.value, other.value));
};
