import { storeNames } from "#shared/contracts/views.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { newId } from "#shared/kernel/ids.ts";

const sellers: Record<(typeof storeNames)[number], string> = { apple: "Apple", google: "Google" };

/** Receipts, credit notes, and debit notes are numbered by themselves, and again by themselves for sales of stores. */
const letters = { receipt: "R", credit_note: "C", debit_note: "D" } as const;

/** What stays the same in all notes of a purchase. */
interface Terms {
  readonly seller_name: string;
  readonly seller_address: string;
  readonly seller_tax_id: string;
  readonly country: string | null;
  /** In basis points; null if a store is the seller. */
  readonly tax_rate: number | null;
}

/** Returns the tax in an amount that includes it, in minor units. `rate`: basis points. */
export const taxIn = (gross: number, rate: number): number => gross - Math.round((gross * 10_000) / (10_000 + rate));

/**
 * Step: gives a paid order its receipt, and its refunds and their reversals a note each, at the end of the transaction:
 * the counter is locked from there to the commit. `isPaidNow`: this transaction settles the order. Orders that were
 * paid before there were receipts get none.
 */
export function issueReceipt(tx: Tx, orderId: string, isPaidNow = false): void {
  tx.atEnd(async () => {
    const [order] = await tx.query<{
      provider: string;
      currency: string;
      country: string | null;
      amount: number;
      left: number;
    }>(
      `SELECT o.provider, o.currency, u.country, p.amount, p.amount - p.refunded_amount AS left
       FROM payment_orders o JOIN payments p ON p.order_id = o.id AND p.settles JOIN users u ON u.id = o.user_id
       WHERE o.id = $1`,
      [orderId],
    );
    const { provider, currency, country, amount, left } = order!;
    if (isPaidNow) await write(tx, orderId, currency, "receipt", termsOf(provider, country), { gross: amount });
    const [before] = await tx.query<Terms & { gross: number; tax: number }>(
      `SELECT seller_name, seller_address, seller_tax_id, country, tax_rate,
         sum(gross) OVER ()::bigint AS gross, sum(tax) OVER ()::bigint AS tax
       FROM receipts WHERE order_id = $1 ORDER BY kind = 'receipt' DESC LIMIT 1`,
      [orderId],
    );
    if (!before || before.gross === left) return;
    const kind = left < before.gross ? "credit_note" : "debit_note";
    await write(tx, orderId, currency, kind, before, { gross: left, before });
  });
}

function termsOf(provider: string, country: string | null): Terms {
  const store = storeNames.find((name) => name === provider);
  if (store) return { seller_name: sellers[store], seller_address: "", seller_tax_id: "", country, tax_rate: null };
  const rate = setting("tax_rates").find((entry) => entry.startsWith(`${country}:`));
  return {
    seller_name: setting("seller_name") || setting("app_name"),
    seller_address: setting("seller_address"),
    seller_tax_id: setting("seller_tax_id"),
    country,
    tax_rate: rate ? Number(rate.slice(3)) : 0,
  };
}

/** Writes the difference between what is paid by now, `gross`, and what earlier notes say: so that they add up. */
async function write(
  tx: Tx,
  orderId: string,
  currency: string,
  kind: keyof typeof letters,
  { seller_name, seller_address, seller_tax_id, country, tax_rate }: Terms,
  { gross, before = { gross: 0, tax: 0 } }: { gross: number; before?: { gross: number; tax: number } },
): Promise<void> {
  const tax = taxIn(gross, tax_rate ?? 0) - before.tax;
  const change = gross - before.gross;
  const series = `${tax_rate === null ? "S" : ""}${letters[kind]}`;
  await tx.query(
    `WITH taken AS (
       INSERT INTO receipt_series AS s (series, year, last) VALUES ($3, extract(year FROM now() AT TIME ZONE 'UTC'), 1)
       ON CONFLICT (series, year) DO UPDATE SET last = s.last + 1 RETURNING series, year, last
     )
     INSERT INTO receipts (id, order_id, number, kind, seller_name, seller_address, seller_tax_id, country, tax_rate,
       net, tax, gross, currency)
     SELECT $1, $2, series || '-' || year || '-' || lpad(last::text, greatest(6, length(last::text)), '0'), $4, $5, $6,
       $7, $8, $9, $10, $11, $12, $13 FROM taken`,
    [
      newId(),
      orderId,
      series,
      kind,
      seller_name,
      seller_address,
      seller_tax_id,
      country,
      tax_rate,
      change - tax,
      tax,
      change,
      currency,
    ],
  );
}
