import type { KeyHolderPrincipal } from "#shared/contracts/principal.ts";
import type { IdempotentCall } from "#shared/db/idempotency.ts";
import { queryOne } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { reserveCode } from "#shared/domain/catalogue/codes/codes.ts";
import { isShown, isSold } from "#shared/domain/catalogue/products/catalogue-rows.ts";
import type { DiscountType } from "#shared/domain/catalogue/products/money.ts";
import { missingFields } from "./form.ts";
import { insertOrder } from "./insert-order.ts";
import { completeOrder } from "./order-steps.ts";

interface CardOrder {
  readonly cardId: number;
  readonly serviceId: number;
  readonly expected_price?: string | undefined;
}

interface OrderedService {
  readonly card_name: string;
  readonly name: string;
  readonly instant_delivery: number;
  readonly currency: string;
  readonly price: string;
  readonly discount: string;
  readonly discount_type: DiscountType;
}

/**
 * Places an order of a service of a card, and reserves a code for it. The order of a card with instant delivery is
 * completed at once. Returns the id of the order. The same order with the same key is placed once.
 * @throws VALIDATION_ERROR, CONFLICT when no code is left or the price isn't the expected one, INSUFFICIENT_BALANCE of
 * a prepaid order, IDEMPOTENCY_CONFLICT
 */
export async function orderCard(
  caller: KeyHolderPrincipal,
  order: CardOrder,
  idempotency?: IdempotentCall,
): Promise<number> {
  const { orderId } = await inTransaction(async (tx) => {
    const { cardId, serviceId: cardServiceId } = order;
    const service = await getService(tx, order);
    const orderId = await insertOrder(tx, caller, {
      product: { cardId, cardServiceId },
      productName: service.card_name,
      serviceName: service.name,
      price: service,
      input: [],
      expectedPrice: order.expected_price,
      isInstant: service.instant_delivery === 1,
      take: async (id) => {
        await reserveCode(tx, cardServiceId, id);
        await tx.query("UPDATE catalogue_cards SET sell_count = sell_count + 1 WHERE id = $1", [cardId]);
      },
    });
    if (service.instant_delivery === 1) await completeOrder(tx, orderId, {});
    return { orderId };
  }, idempotency);
  return orderId;
}

/** Step: finds what is ordered. @throws VALIDATION_ERROR */
async function getService(tx: Tx, { cardId, serviceId }: CardOrder): Promise<OrderedService> {
  const card = await queryOne(`SELECT 1 FROM catalogue_cards p WHERE p.id = $1 AND ${isShown}`, [cardId]);
  if (!card) throw missingFields("cardId");
  const service = await findService(tx, cardId, serviceId);
  if (!service) throw missingFields("serviceId");
  return service;
}

/** Step: locks a service as the order's reference to it will, so that it isn't deleted in between. */
async function findService(tx: Tx, cardId: number, serviceId: number): Promise<OrderedService | undefined> {
  const [found] = await tx.query<OrderedService>(
    `SELECT p.name AS card_name, s.name, p.instant_delivery, s.currency, trim_scale(s.price)::text AS price,
       trim_scale(s.discount)::text AS discount, s.discount_type
     FROM catalogue_card_services s JOIN catalogue_cards p ON p.id = s.card_id
     WHERE s.id = $1 AND s.card_id = $2 AND ${isSold}
     FOR KEY SHARE OF s`,
    [serviceId, cardId],
  );
  return found;
}
