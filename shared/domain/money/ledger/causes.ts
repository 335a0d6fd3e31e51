import type { MoneyType } from "#shared/contracts/views.ts";
import { extended } from "#shared/kernel/extended.ts";
import { stock } from "./assets.ts";
import { type Cause, causeOf } from "./cause.ts";
import { coinDebtText, debtPaymentText, shareDebtText } from "./debts.ts";
import { grantEntryTypes } from "./grant-kinds.ts";
import { payoutCauses } from "./payout-causes.ts";
import { runLines } from "./run-lines-cause.ts";

/** A constant that depends on what moves. */
const ofAsset = (asset: string, forCoins: string, forMoney: string): string =>
  `CASE ${asset} WHEN 'coins' THEN '${forCoins}' ELSE '${forMoney}' END`;

function grant(title: string, kind: keyof typeof grantEntryTypes): Cause {
  const type = `'${grantEntryTypes[kind]}'`;
  return causeOf(title, {
    from: "coin_grants c",
    where: `c.kind = '${kind}'`,
    by: "c.principal_kind, c.principal_id",
    at: "c.created_at",
    says: "c.reason",
    entries: [
      ["c.user_id::text", type, "c.coins", "CASE WHEN c.coins > 0 THEN 0 END"],
      ["'issue'", type, "-c.coins", "CASE WHEN c.coins > 0 THEN 0 END"],
    ],
  });
}

const gifts = { by: "'user', c.sender_id", at: "c.created_at" };

/** What users get of gifts that a plan has split, added up for each user and asset. */
const giftShares = `gift_transactions c JOIN (
    SELECT s.gift_transaction_id, s.asset, s.user_id, sum(s.amount) AS amount, sum(s.bought) AS bought,
      CASE WHEN bool_or(s.taker = 'receiver') THEN 'gift_received' ELSE 'gift_share' END AS type
    FROM gift_shares s GROUP BY 1, 2, 3
  ) s ON s.gift_transaction_id = c.id`;

/** Money of prepaid orders, which goes from the buyer to the house, or back. */
function cataloguePayment(title: string, kind: "payment" | "refund", type: MoneyType, text: string): Cause {
  const paid = kind === "payment" ? "c.amount" : "-c.amount";
  return causeOf(title, {
    from: `catalogue_payments c JOIN catalogue_orders o ON o.id = c.order_id
      JOIN catalogue_customers k ON k.id = o.customer_id`,
    where: `c.kind = '${kind}'`,
    asset: "o.currency",
    by: "c.principal_kind, c.principal_id",
    at: "c.created_at",
    says: `'${text} ' || o.id`,
    entries: [
      ["k.user_id::text", `'${type}'`, `-(${paid})`],
      ["'catalogue_revenue'", `'${type}'`, paid],
    ],
  });
}

interface RefundSource {
  readonly from: string;
  readonly says: string;
  /** The condition for the shares `s` that it takes or gives back. */
  readonly shares: string;
  /** The columns of these with what was taken or given, and how much of it was or is no longer a debt. */
  readonly amount: "amount" | "returned";
  readonly debt: "debt" | "cancelled";
  readonly sign: "-" | "";
}

/**
 * What a refund takes back from the buyer and from those who got shares of their gifts, or of a seller's stock, or what
 * its reversal gives. Coins of the others were exchanged for stock, and are exchanged back.
 */
function refundCause(title: string, { from, says, shares, amount, debt, sign }: RefundSource): Cause {
  const both = { at: "c.created_at", says };
  const ofShares = `${from} CROSS JOIN LATERAL (
    SELECT coalesce(sum(s.${amount}) FILTER (WHERE s.asset = 'earnings'), 0) AS unearned, coalesce(sum(s.${amount}), 0) AS amount,
      coalesce(sum(s.${debt}) FILTER (WHERE s.asset = 'earnings'), 0) AS earnings_debt,
      coalesce(sum(s.${debt}) FILTER (WHERE s.asset = 'coins'), 0) AS debt
    FROM refund_shares s WHERE ${shares}) s`;
  return causeOf(
    title,
    {
      ...both,
      from: ofShares,
      asset: "o.asset",
      entries: [
        ["o.user_id::text", "'refund'", `${sign}(c.credit - c.debt - c.shares)`],
        ["'debt'", "'refund'", `${sign}(c.debt + CASE o.asset WHEN 'coins' THEN s.debt ELSE 0 END)`],
        ["'exchange'", "'refund'", `${sign}CASE o.asset WHEN 'coins' THEN 0 ELSE c.shares END`],
        [ofAsset("o.asset", "issue", "payments"), "'refund'", sign === "-" ? "c.credit" : "-c.credit"],
      ],
    },
    {
      ...both,
      from: ofShares,
      entries: [
        ["'gift_revenue'", "'gift_refund'", `${sign}s.unearned`],
        ["'debt'", "'refund'", `${sign}CASE o.asset WHEN 'coins' THEN 0 ELSE s.debt END`],
        ["'exchange'", "'refund'", `${sign === "-" ? "" : "-"}CASE o.asset WHEN 'coins' THEN 0 ELSE s.amount END`],
      ],
    },
    {
      ...both,
      from: ofShares,
      asset: "'earnings'",
      entries: [
        ["'debt'", "'gift_refund'", `${sign}s.earnings_debt`, "0"],
        ["'issue'", "'gift_refund'", sign === "-" ? "s.unearned" : "-s.unearned", "0"],
      ],
    },
    {
      ...both,
      from: `${from} JOIN refund_shares s ON ${shares}`,
      asset: "s.asset",
      entries: [
        [
          "s.user_id::text",
          `CASE WHEN o.asset = '${stock}' AND s.asset = 'coins' THEN 'seller_refund' ELSE 'gift_refund' END`,
          `${sign}(s.${amount} - s.${debt})`,
        ],
      ],
    },
  );
}

/** All causes, by the type of the reference. `transfer` accepts no other, so a new kind of transaction starts here. */
export const causes = extended("causes", {
  signup: grant("Signup bonus", "signup"),
  demo: grant("Demo grant", "demo"),
  adjustment: grant("Adjustment", "adjustment"),
  gift_transaction: causeOf(
    "Gift transaction",
    {
      ...gifts,
      from: "gift_transactions c",
      where: "c.plan_id IS NULL",
      entries: [
        ["c.sender_id::text", "'gift_sent'", "-c.total_coins", "-c.bought_coins"],
        ["c.recipient_id::text", "'gift_received'", "c.recipient_coins"],
        ["'gift_revenue'", "'gift_sent'", "c.total_coins - c.recipient_coins"],
      ],
    },
    {
      ...gifts,
      from: `gift_transactions c CROSS JOIN LATERAL (
        SELECT coalesce(sum(amount) FILTER (WHERE asset = 'coins'), 0) AS coins, coalesce(sum(bought), 0) AS bought
        FROM gift_shares WHERE gift_transaction_id = c.id) s`,
      where: "c.plan_id IS NOT NULL",
      entries: [
        ["c.sender_id::text", "'gift_sent'", "-c.total_coins", "-c.bought_coins"],
        ["'gift_revenue'", "'gift_sent'", "c.total_coins - s.coins", "c.bought_coins - s.bought"],
      ],
    },
    { ...gifts, from: giftShares, asset: "s.asset", entries: [["s.user_id::text", "s.type", "s.amount", "s.bought"]] },
    {
      ...gifts,
      from: `gift_transactions c JOIN (SELECT gift_transaction_id, sum(amount) AS amount FROM gift_shares
        WHERE asset = 'earnings' GROUP BY 1) s ON s.gift_transaction_id = c.id`,
      asset: "'earnings'",
      entries: [["'issue'", "'gift_received'", "-s.amount", "0"]],
    },
  ),
  earnings_exchange: causeOf(
    "Exchange of earnings",
    {
      from: "earnings_exchanges c",
      asset: "'earnings'",
      by: "'user', c.user_id",
      at: "c.created_at",
      entries: [
        ["c.user_id::text", "'earnings_exchange'", "-c.earnings", "0"],
        ["'exchange'", "'earnings_exchange'", "c.earnings", "0"],
      ],
    },
    {
      from: "earnings_exchanges c",
      by: "'user', c.user_id",
      at: "c.created_at",
      entries: [
        ["c.user_id::text", "'earnings_exchange'", "c.coins", "0"],
        ["'exchange'", "'earnings_exchange'", "-c.coins", "0"],
      ],
    },
  ),
  ...payoutCauses,
  run_line: causeOf("Line of a run", runLines),
  frame_purchase: causeOf("Frame purchase", {
    from: "frame_purchases c",
    by: "'user', c.user_id",
    at: "c.created_at",
    entries: [
      ["c.user_id::text", "'frame_purchase'", "-c.price"],
      ["'store_revenue'", "'frame_purchase'", "c.price"],
    ],
  }),
  payment_order: causeOf("Payment order", {
    from: "payment_orders c",
    where: "c.status IN ('paid', 'refunded')",
    asset: "c.asset",
    at: "c.paid_at",
    says: "c.title",
    entries: [
      ["c.user_id::text", ofAsset("c.asset", "coin_purchase", "deposit"), "c.credit", "c.bought"],
      [
        ofAsset("c.asset", "issue", "payments"),
        ofAsset("c.asset", "coin_purchase", "deposit"),
        "-c.credit",
        "-c.bought",
      ],
    ],
  }),
  payment_refund: refundCause("Payment refund", {
    from: "payment_refunds c JOIN payments p ON p.id = c.payment_id JOIN payment_orders o ON o.id = p.order_id",
    says: "'Refund of ' || o.title",
    shares: "s.refund_id = c.id",
    amount: "amount",
    debt: "debt",
    sign: "-",
  }),
  refund_reversal: refundCause("Refund reversal", {
    from: `payment_refund_reversals c JOIN payment_refunds r ON r.id = c.refund_id JOIN payments p ON p.id = r.payment_id
      JOIN payment_orders o ON o.id = p.order_id`,
    says: "'Reversed refund of ' || o.title",
    shares: "s.reversal_id = c.id",
    amount: "returned",
    debt: "cancelled",
    sign: "",
  }),
  share_debt_payment: causeOf("Payment of a gift's debt", {
    from: "share_debt_payments c",
    where: "c.exchange_id IS NULL",
    asset: "c.asset",
    at: "c.created_at",
    says: `'${shareDebtText}'`,
    entries: [
      ["c.user_id::text", "'gift_refund'", "-c.amount"],
      ["'debt'", "'gift_refund'", "c.amount"],
    ],
  }),
  coin_debt_payment: causeOf("Payment of a debt by an exchange", {
    from: "share_debt_payments c",
    where: "c.exchange_id IS NOT NULL",
    at: "c.created_at",
    says: `'${coinDebtText}'`,
    entries: [
      ["c.user_id::text", "'debt_payment'", "-c.amount"],
      ["'debt'", "'debt_payment'", "c.amount"],
    ],
  }),
  debt_payment: causeOf("Debt payment", {
    from: "debt_payments c JOIN payment_orders o ON o.id = c.order_id",
    asset: "o.asset",
    at: "c.created_at",
    says: `'${debtPaymentText}'`,
    entries: [
      ["o.user_id::text", "'refund'", "-c.credit"],
      ["'debt'", "'refund'", "c.credit"],
    ],
  }),
  balance_adjustment: causeOf("Balance adjustment", {
    from: "balance_adjustments c",
    where: "c.asset <> 'coins' AND c.status = 'approved'",
    asset: "c.asset",
    by: "'admin', coalesce(c.decided_by, c.requested_by)",
    at: "c.decided_at",
    says: "c.reason",
    entries: [
      ["c.user_id::text", "'admin_adjustment'", "c.amount"],
      ["'adjustments'", "'admin_adjustment'", "-c.amount"],
    ],
  }),
  catalogue_payment: cataloguePayment("Catalogue payment", "payment", "catalogue_order", "Order"),
  catalogue_refund: cataloguePayment("Catalogue refund", "refund", "catalogue_refund", "Refund of order"),
} as const satisfies Readonly<Record<string, Cause>>);

export type CauseType = keyof typeof causes;
