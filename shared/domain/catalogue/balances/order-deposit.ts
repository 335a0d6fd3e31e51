import type { KeyHolderPrincipal } from "#shared/contracts/principal.ts";
import type { OrderToPay } from "#shared/contracts/views.ts";
import type { IdempotentCall } from "#shared/db/idempotency.ts";
import { query } from "#shared/db/query.ts";
import { missingFields } from "#shared/domain/catalogue/orders/form.ts";
import { createOrder } from "#shared/domain/money/payments/create-order.ts";
import { wrongPriceFor } from "#shared/domain/money/payments/payments.config.ts";
import { formatMoney, parseDecimal, smallestOf } from "#shared/kernel/decimal.ts";

/** What a provider's order may amount to, in the smallest unit of its currency. */
const providerMax = 1_000_000_000_000n;

/**
 * Creates an order of money for the prepaid balance of the keys' owner, to be paid at the chosen provider: an amount of
 * a currency that something is sold in. The balance is credited when it is paid.
 * @throws VALIDATION_ERROR, ENGINE_UNAVAILABLE (no provider, or unreachable), ORDER_NOT_PAYABLE, IDEMPOTENCY_CONFLICT,
 *   RATE_LIMITED (too many orders wait for their payment)
 */
export async function orderDeposit(
  caller: KeyHolderPrincipal,
  { amount, currency }: { readonly amount: string; readonly currency: string },
  idempotency?: IdempotentCall,
): Promise<OrderToPay> {
  const credit = parseDecimal(amount);
  const smallest = smallestOf(currency);
  const price = Number(credit / smallest);
  const isPayable =
    credit > 0n && credit % smallest === 0n && credit / smallest <= providerMax && !wrongPriceFor({ price, currency });
  const invalid = [...(isPayable ? [] : ["amount"]), ...((await isSoldIn(currency)) ? [] : ["currency"])];
  if (invalid.length > 0) throw missingFields(...invalid);

  const draft = {
    kind: "deposit" as const,
    amount: price,
    currency,
    asset: currency,
    credit: Number(credit),
    title: `Deposit of ${formatMoney(credit, currency)} ${currency}`,
  };
  return createOrder(caller, async () => draft, idempotency);
}

const isSoldIn = async (currency: string): Promise<boolean> =>
  (
    await query(
      `SELECT FROM catalogue_services WHERE currency = $1 AND status = 1
     UNION ALL SELECT FROM catalogue_card_services WHERE currency = $1 AND status = 1 LIMIT 1`,
      [currency],
    )
  ).length > 0;
