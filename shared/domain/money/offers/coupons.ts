import { randomInt } from "node:crypto";
import type { AdminPrincipal, UserPrincipal } from "#shared/contracts/principal.ts";
import type { CouponGift } from "#shared/contracts/views.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { OfferModel } from "./offer.model.ts";
import { noSuchCoupon } from "./offers.errors.ts";
import { couponOffer } from "./offers.queries.ts";

/**
 * Opens the offer of a coupon to the caller, once for each offer, and returns what it gives. It shows with the
 * packages from then on. Repeating the call changes nothing.
 * @throws NOT_FOUND, also for a coupon that isn't theirs, has ended, or was entered by as many as it allows
 */
export async function redeemCoupon({ userId }: UserPrincipal, code: string): Promise<CouponGift> {
  return inTransaction(async (tx) => {
    const [coupon] = await tx.query<{ id: string; offer_id: string }>(
      "SELECT id, offer_id FROM coupons WHERE code = $1 AND retired_at IS NULL",
      [code],
    );
    const offer = coupon && (await couponOffer(userId, coupon.offer_id));
    if (!offer) throw noSuchCoupon();

    const claimed = await tx.query(
      `INSERT INTO coupon_claims (user_id, offer_id, coupon_id) VALUES ($1, $2, $3)
       ON CONFLICT (user_id, offer_id) DO NOTHING RETURNING 1`,
      [userId, offer.id, coupon.id],
    );
    const counted = await tx.query(
      "UPDATE coupons SET claims = claims + $2 WHERE id = $1 AND claims + $2 <= coalesce(claims_max, claims + $2) RETURNING 1",
      [coupon.id, claimed.length],
    );
    if (counted.length === 0) throw noSuchCoupon();
    const { bonus_percent, bonus_coins, discount_percent, package_ids, id, name, ends_at } = offer;
    return { offer_id: id, name, bonus_percent, bonus_coins, discount_percent, package_ids: [...package_ids], ends_at };
  });
}

/** Letters and digits that aren't mistaken for each other. */
const letters = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
/** 60 bits: no one finds one of a million by the guesses that the rate limit leaves. */
const codeLength = 12;

/**
 * Creates coupons of an offer that one user each can enter, and returns their codes.
 * @throws NOT_FOUND, CONFLICT if the offer is of another kind
 */
export async function createCoupons(caller: AdminPrincipal, offerId: string, count: number): Promise<string[]> {
  const codes = Array.from({ length: count }, () =>
    Array.from({ length: codeLength }, () => letters[randomInt(letters.length)]).join(""),
  );
  await inTransaction(async (tx) => {
    const offer = await OfferModel.lock(tx, { id: offerId }, ["kind", "name"]);
    if (!offer) throw new DomainError("NOT_FOUND");
    if (offer.kind !== "coupon") throw new DomainError("CONFLICT", "The offer must be of the kind coupon");
    await tx.query(
      `INSERT INTO coupons (id, offer_id, name, code, claims_max)
       SELECT id, $1, $4, code, 1 FROM unnest($2::uuid[], $3::text[]) AS made (id, code)`,
      [offerId, codes.map(() => newId()), codes, offer.name],
    );
    await tx.audit(caller, {
      action: "offer.create_coupons",
      target: { type: "offer", id: offerId },
      after: { count },
    });
  });
  return codes;
}
