import type { MoneyType } from "#shared/contracts/views.ts";
import { debtPaymentText } from "./debts.ts";
import { grantEntryTypes } from "./grant-kinds.ts";

/**
 * What coins and money move for. Each ledger transaction refers to one cause by type and ID, and `checkLedger` compares
 * the two.
 */
export interface Cause {
  /** Its name at the start of a sentence. */
  readonly title: string;
  /** Selects the ledger entries that the stored causes call for, with the columns of `causeColumns`. */
  readonly entries: string;
}

/**
 * `id`: of the cause. `account`: a user's ID or a house account. `type`, `asset`, `amount`: of the entry.
 * `principal_kind` and `principal_id`: who moves them. `at`: when. `says`: the description, null if the cause doesn't
 * determine it.
 */
export const causeColumns = "id, account, type, asset, amount, principal_kind, principal_id, at, says";

interface Source {
  /** The table of the causes as `c`, with what it joins. */
  readonly from: string;
  readonly where?: string;
  /** What moves; coins by default. */
  readonly asset?: string;
  /** Two columns: the kind and the ID of the principal. */
  readonly by?: string;
  readonly at: string;
  readonly says?: string;
  /** Account, type and amount of each entry. Entries of zero are left out. */
  readonly entries: readonly (readonly [account: string, type: string, amount: string])[];
}

const service = "'service', NULL::uuid";

function selectEntries({ from, where = "true", asset = "'coins'", by = service, at, says = "NULL", entries }: Source) {
  const values = entries.map((entry) => `(${entry.join(", ")})`);
  return `SELECT c.id, e.account::text, e.type, ${asset}::text, e.amount::bigint, ${by}, ${at}, ${says}
    FROM ${from} CROSS JOIN LATERAL (VALUES ${values.join(", ")}) AS e (account, type, amount)
    WHERE e.amount <> 0 AND ${where}`;
}

const causeOf = (title: string, source: Source): Cause => ({ title, entries: selectEntries(source) });

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
      ["c.user_id::text", type, "c.coins"],
      ["'issue'", type, "-c.coins"],
    ],
  });
}

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

/** All causes, by the type of the reference. `transfer` accepts no other, so a new kind of transaction starts here. */
export const causes = {
  signup: grant("Signup bonus", "signup"),
  demo: grant("Demo grant", "demo"),
  adjustment: grant("Adjustment", "adjustment"),
  gift_transaction: causeOf("Gift transaction", {
    from: "gift_transactions c",
    by: "'user', c.sender_id",
    at: "c.created_at",
    entries: [
      ["c.sender_id::text", "'gift_sent'", "-c.total_coins"],
      ["c.recipient_id::text", "'gift_received'", "c.recipient_coins"],
      ["'gift_revenue'", "'gift_sent'", "c.total_coins - c.recipient_coins"],
    ],
  }),
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
      ["c.user_id::text", ofAsset("c.asset", "coin_purchase", "deposit"), "c.credit"],
      [ofAsset("c.asset", "issue", "payments"), ofAsset("c.asset", "coin_purchase", "deposit"), "-c.credit"],
    ],
  }),
  payment_refund: causeOf("Payment refund", {
    from: "payment_refunds c JOIN payments p ON p.id = c.payment_id JOIN payment_orders o ON o.id = p.order_id",
    asset: "o.asset",
    at: "c.created_at",
    says: "'Refund of ' || o.title",
    entries: [
      ["o.user_id::text", "'refund'", "c.debt - c.credit"],
      ["'debt'", "'refund'", "-c.debt"],
      [ofAsset("o.asset", "issue", "payments"), "'refund'", "c.credit"],
    ],
  }),
  refund_reversal: causeOf("Refund reversal", {
    from: `payment_refund_reversals c JOIN payment_refunds r ON r.id = c.refund_id JOIN payments p ON p.id = r.payment_id
      JOIN payment_orders o ON o.id = p.order_id`,
    asset: "o.asset",
    at: "c.created_at",
    says: "'Reversed refund of ' || o.title",
    entries: [
      ["o.user_id::text", "'refund'", "c.credit - c.debt"],
      ["'debt'", "'refund'", "c.debt"],
      [ofAsset("o.asset", "issue", "payments"), "'refund'", "-c.credit"],
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
} as const satisfies Readonly<Record<string, Cause>>;

export type CauseType = keyof typeof causes;
