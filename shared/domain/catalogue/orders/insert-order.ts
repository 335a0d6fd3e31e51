import type { KeyHolderPrincipal } from "#shared/contracts/principal.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { type DiscountType, discounted } from "#shared/domain/catalogue/products/money.ts";
import { formatDecimal, parseDecimal } from "#shared/kernel/decimal.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { admitOrder, creditDays, takeCredit } from "./credit.ts";
import { deliversInstantly, fulfilJob } from "./fulfilment/fulfil-order.ts";
import { payOrder } from "./pay-order.ts";

type OrderedProduct =
  | { readonly topUpId: number; readonly serviceId: number; readonly campaignId?: number }
  | { readonly cardId: number; readonly cardServiceId: number };

/** An order that is about to be placed. */
export interface CatalogueOrderDraft {
  readonly product: OrderedProduct;
  readonly productName: string;
  readonly serviceName: string;
  /** Numerals, as the database has them. */
  readonly price: {
    readonly price: string;
    readonly discount: string;
    readonly discount_type: DiscountType;
    readonly currency: string;
  };
  /** What the buyer entered. */
  readonly input: readonly { field_name: string; field_value: string; value: string }[];
  /** The total that the buyer has seen, a numeral. */
  readonly expectedPrice: string | undefined;
  /** Whether the product is delivered without an administrator. */
  readonly isInstant: boolean;
  /** Step: takes what is sold out of its stock. Runs last, because buyers wait here for each other. */
  readonly take: (orderId: number) => Promise<void>;
}

/**
 * Step: stores an order. It is due later if the setting and the customer's credit allow it, and otherwise paid from
 * their balance. A provider delivers it at once if it can. Returns its id.
 * @throws FORBIDDEN, CONFLICT, INSUFFICIENT_BALANCE, and what `take` throws
 */
export async function insertOrder(tx: Tx, caller: KeyHolderPrincipal, draft: CatalogueOrderDraft): Promise<number> {
  const { price, discount, discount_type, currency } = draft.price;
  const { amount, total } = discounted({
    price: parseDecimal(price),
    discount: parseDecimal(discount),
    discountType: discount_type,
    currency,
  });
  if (draft.expectedPrice !== undefined && parseDecimal(draft.expectedPrice) !== total)
    throw new DomainError("CONFLICT", "The price has changed.");
  const product = {
    topUpId: null,
    serviceId: null,
    campaignId: null,
    cardId: null,
    cardServiceId: null,
    ...draft.product,
  };
  const customerId = await admitOrder(tx, caller, product.cardId !== null && !draft.isInstant);
  const isOnCredit = setting("catalogue_payment") === "postpaid" && (await takeCredit(tx, customerId, currency, total));
  const payment = isOnCredit ? "postpaid" : "prepaid";
  const asksProvider = draft.isInstant && product.topUpId !== null && deliversInstantly();

  const [order] = await tx.query<{ id: number }>(
    `INSERT INTO catalogue_orders (customer_id, top_up_id, service_id, campaign_id, card_id, card_service_id, product_name,
       service_name, payment, currency, price, discount, discount_type, discounted_amount, total, order_information,
       next_try_at, due_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, CASE WHEN $17 THEN now() END,
       CASE WHEN $18 THEN now() + interval '${creditDays} days' END)
     RETURNING id`,
    [
      customerId,
      product.topUpId,
      product.serviceId,
      product.campaignId,
      product.cardId,
      product.cardServiceId,
      draft.productName,
      draft.serviceName,
      payment,
      currency,
      price,
      discount,
      discount_type,
      formatDecimal(amount),
      formatDecimal(total),
      JSON.stringify(draft.input),
      asksProvider,
      isOnCredit && total > 0n,
    ],
  );
  const { id } = order!;
  if (asksProvider) await tx.enqueue(fulfilJob, { order_id: id });
  if (!isOnCredit) await payOrder(tx, caller, caller.userId, { id, currency, total });
  await draft.take(id);
  return id;
}
