import { debtPaymentText } from "./debts.ts";
import { grantEntryTypes } from "./grant-kinds.ts";

/**
 * What coins and money move for. Each ledger transaction refers to one cause by type and ID, and `checkLedger` compares the two.
 */
export interface Cause {
  /** Its name at the start of a sentence. */
  readonly title: string;
  readonly moves: "coins" | "money";
  /** Selects the ledger entries that the stored causes call for, with the columns of `causeColumns`. */
  readonly entries: string;
}

/**
 * `id`: of the cause. `account`: a user's ID or a house account. `type`, `asset`, `amount`: of the entry. `principal_kind` and
 * `principal_id`: who moves them. `at`: when. `says`: the description, null if the cause doesn't determine it.
 */
export const causeColumns = "id, account, type, asset, amount, principal_kind, principal_id, at, says";

interface Source {
  /** The table of the causes as `c`, with what it joins. */
  readonly from: string;
  readonly where?: string;
  /** The currency of money. Without it, coins move. */
  readonly currency?: string;
  /** Two columns: the kind and the ID of the principal. */
  readonly by?: string;
  readonly at: string;
  readonly says?: string;
  /** Account, type and amount of each entry. Entries of zero are left out. */
  readonly entries: readonly (readonly [account: string, type: string, amount: string])[];
}

const service = "'service', NULL::uuid";

function selectEntries({
  from,
  where = "true",
  currency = "'coins'",
  by = service,
  at,
  says = "NULL",
  entries,
}: Source) {
  const values = entries.map((entry) => `(${entry.join(", ")})`);
  return `SELECT c.id, e.account::text, e.type, ${currency}::text, e.amount::bigint, ${by}, ${at}, ${says}
    FROM ${from} CROSS JOIN LATERAL (VALUES ${values.join(", ")}) AS e (account, type, amount)
    WHERE e.amount <> 0 AND ${where}`;
}

const coinCause = (title: string, source: Omit<Source, "currency">): Cause => ({
  title,
  moves: "coins",
  entries: selectEntries(source),
});

function grant(title: string, kind: keyof typeof grantEntryTypes): Cause {
  const type = `'${grantEntryTypes[kind]}'`;
  return coinCause(title, {
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

/** All causes, by the type of the reference. `transfer` accepts no other, so a new kind of transaction starts here. */
export const causes = {
  signup: grant("Signup bonus", "signup"),
  demo: grant("Demo grant", "demo"),
  adjustment: grant("Adjustment", "adjustment"),
  gift_transaction: coinCause("Gift transaction", {
    from: "gift_transactions c",
    by: "'user', c.sender_id",
    at: "c.created_at",
    entries: [
      ["c.sender_id::text", "'gift_sent'", "-c.total_coins"],
      ["c.recipient_id::text", "'gift_received'", "c.recipient_coins"],
      ["'gift_revenue'", "'gift_sent'", "c.total_coins - c.recipient_coins"],
    ],
  }),
  frame_purchase: coinCause("Frame purchase", {
    from: "frame_purchases c",
    by: "'user', c.user_id",
    at: "c.created_at",
    entries: [
      ["c.user_id::text", "'frame_purchase'", "-c.price"],
      ["'store_revenue'", "'frame_purchase'", "c.price"],
    ],
  }),
  payment_order: coinCause("Payment order", {
    from: "payment_orders c",
    where: "c.kind = 'coins' AND c.status IN ('paid', 'refunded')",
    at: "c.paid_at",
    says: "c.title",
    entries: [
      ["c.user_id::text", "'coin_purchase'", "c.coins"],
      ["'issue'", "'coin_purchase'", "-c.coins"],
    ],
  }),
  payment_refund: coinCause("Payment refund", {
    from: "payment_refunds c JOIN payments p ON p.id = c.payment_id JOIN payment_orders o ON o.id = p.order_id",
    at: "c.created_at",
    says: "'Refund of ' || o.title",
    entries: [
      ["o.user_id::text", "'refund'", "c.debt_coins - c.coins"],
      ["'debt'", "'refund'", "-c.debt_coins"],
      ["'issue'", "'refund'", "c.coins"],
    ],
  }),
  debt_payment: coinCause("Debt payment", {
    from: "debt_payments c JOIN payment_orders o ON o.id = c.order_id",
    at: "c.created_at",
    says: `'${debtPaymentText}'`,
    entries: [
      ["o.user_id::text", "'refund'", "-c.coins"],
      ["'debt'", "'refund'", "c.coins"],
    ],
  }),
} as const satisfies Readonly<Record<string, Cause>>;

export type CauseType = keyof typeof causes;
