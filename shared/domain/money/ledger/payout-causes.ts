import { causeOf } from "./cause.ts";

const bySeller = { by: "'user', c.seller_id", at: "c.created_at" };
/** Coins that a reversal took back: what the one before it left of the transfer, less what refunds followed. */
const reversed = `(coalesce((SELECT min(followed) FROM seller_reversals WHERE transfer_id = c.transfer_id
  AND followed > c.followed), t.coins) - c.followed)`;
const bySellersAdmin = {
  from: "seller_reversals c JOIN seller_transfers t ON t.id = c.transfer_id",
  by: "'admin', c.reversed_by",
  at: "c.created_at",
};

/** Why earnings are paid out, and coins of sellers passed on. */
export const payoutCauses = {
  payout_step: causeOf("Step of a payout", {
    from: "payout_steps c JOIN payouts p ON p.id = c.payout_id",
    asset: "'earnings'",
    by: "c.principal_kind, c.principal_id",
    at: "c.created_at",
    says: "'Payout'",
    entries: [
      ["coalesce(c.from_house, p.user_id::text)", "'payout'", "-p.amount", "0"],
      ["coalesce(c.to_house, p.user_id::text)", "'payout'", "p.amount", "0"],
    ],
  }),
  seller_transfer: causeOf(
    "Transfer of a seller",
    {
      ...bySeller,
      from: "seller_transfers c",
      asset: "'XCS'",
      entries: [
        ["c.seller_id::text", "'seller_transfer'", "-c.coins * 10000"],
        ["'exchange'", "'seller_transfer'", "c.coins * 10000"],
      ],
    },
    {
      ...bySeller,
      from: "seller_transfers c",
      entries: [
        ["c.recipient_id::text", "'seller_transfer'", "c.coins", "c.bought"],
        ["'exchange'", "'seller_transfer'", "-c.coins", "-c.bought"],
      ],
    },
  ),
  seller_reversal: causeOf(
    "Reversal of a seller's transfer",
    {
      ...bySellersAdmin,
      asset: "'XCS'",
      entries: [
        ["t.seller_id::text", "'refund'", `${reversed} * 10000 - c.paid`],
        ["'debt'", "'refund'", "c.paid"],
        ["'exchange'", "'refund'", `-${reversed} * 10000`],
      ],
    },
    {
      ...bySellersAdmin,
      entries: [
        ["t.recipient_id::text", "'refund'", `c.debt - ${reversed}`],
        ["'debt'", "'refund'", "-c.debt"],
        ["'exchange'", "'refund'", reversed],
      ],
    },
  ),
};
