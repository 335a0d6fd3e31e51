import { setting } from "#shared/domain/base/settings/settings.ts";
import { User } from "#shared/domain/identity/users/user.model.ts";
import { AgencyModel } from "#shared/domain/money/agencies/agency.model.ts";
import { type Asset, earnings, stock } from "#shared/domain/money/ledger/assets.ts";
import { SellerModel } from "#shared/domain/money/sellers/seller.model.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";

/**
 * Whose statement it is: a user's `earnings`, a seller's `stock`, or what an `agency` brought its owner. `agency_lines`
 * is the same for its staff: neither the owner's balance nor proofs, which contain it.
 */
export const statementKinds = ["earnings", "stock", "agency", "agency_lines"] as const;
export type StatementKind = (typeof statementKinds)[number];

/** The account of the ledger that a statement reads, and which of its entries. */
export interface StatementAccount {
  readonly kind: StatementKind;
  /** Of the user, the seller, or the agency. */
  readonly id: string;
  readonly userId: string;
  readonly asset: Asset;
  /** Only entries that concern this agency; null: all. */
  readonly agencyId: string | null;
  /** Of the agency, or what the app calls earnings; null: the stock of coins. */
  readonly name: string | null;
}

/** Returns whose account it is, and the name for a statement. */
async function findOwner(
  kind: StatementKind,
  id: string,
): Promise<Pick<StatementAccount, "userId" | "name"> | undefined> {
  if (kind === "earnings") return (await User.read({ id }, ["id"])) && { userId: id, name: setting("earnings_name") };
  if (kind === "stock") {
    const seller = (await SellerModel.read({ id })) ?? (await SellerModel.read({ user_id: id }));
    return seller && { userId: seller.user_id, name: null };
  }
  const agency = await AgencyModel.read({ id });
  return agency && { userId: agency.owner_id, name: agency.name };
}

/** Returns the account of a statement. @throws NOT_FOUND */
export async function statementAccount(kind: StatementKind, id: string): Promise<StatementAccount> {
  const owner = await findOwner(kind, id);
  if (!owner) throw new DomainError("NOT_FOUND");
  const ofAgency = kind === "agency" || kind === "agency_lines";
  return { ...{ kind, id, asset: kind === "stock" ? stock : earnings, agencyId: ofAgency ? id : null }, ...owner };
}

/** The host had a contract with the agency when they got the gift, the row `g`. */
const giftToHost = `JOIN contracts c ON c.host_id = g.recipient_id AND c.agency_id = $5
  AND c.starts_at <= g.created_at AND (c.ends_at IS NULL OR c.ends_at > g.created_at)`;
const agencyShare = `JOIN gift_shares s ON s.gift_transaction_id = g.id AND s.taker = 'agency' AND s.user_id = e.user_id
  AND s.asset = e.asset`;

/** SQL: whether an agency brought its owner the entry `e` of the ledger transaction `m`, or a refund took it back. */
export const concernsAgency = `CASE m.reference_type
  WHEN 'run_line' THEN EXISTS (SELECT FROM run_lines l WHERE l.id = m.reference_id AND l.agency_id = $5)
  WHEN 'gift_transaction' THEN EXISTS (
    SELECT FROM gift_transactions g ${agencyShare} ${giftToHost} WHERE g.id = m.reference_id)
  WHEN 'payment_refund' THEN EXISTS (
    SELECT FROM refund_gifts f JOIN gift_transactions g ON g.id = f.gift_transaction_id ${agencyShare} ${giftToHost}
    WHERE f.refund_id = m.reference_id)
  WHEN 'refund_reversal' THEN EXISTS (
    SELECT FROM payment_refund_reversals v JOIN refund_gifts f ON f.refund_id = v.refund_id
      JOIN gift_transactions g ON g.id = f.gift_transaction_id ${agencyShare} ${giftToHost}
    WHERE v.id = m.reference_id)
  ELSE false END`;
