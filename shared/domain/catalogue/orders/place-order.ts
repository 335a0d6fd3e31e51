import Joi from "joi";
import type { OrderField } from "#shared/contracts/catalogue-views.ts";
import { line } from "#shared/contracts/fields.ts";
import type { KeyHolderPrincipal } from "#shared/contracts/principal.ts";
import type { IdempotentCall } from "#shared/db/idempotency.ts";
import { queryOne } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import {
  isRunning,
  isShown,
  isSold,
  type ServiceRow,
  serviceJson,
  servicesAndCampaigns,
} from "#shared/domain/catalogue/products/catalogue-rows.ts";
import { assert } from "#shared/kernel/assert.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { Form } from "./form.ts";
import { insertOrder } from "./insert-order.ts";
import { FormReader, formId } from "./order-form.ts";

const answer = line(1, 255).required();

interface OrderedTopUp {
  readonly name: string;
  readonly instant_delivery: number;
  readonly order_information: readonly OrderField[];
}

interface Draft {
  readonly topUpId: number;
  readonly topUp: OrderedTopUp;
  readonly service: ServiceRow;
  readonly expectedPrice: string | undefined;
  readonly input: readonly { field_name: string; field_value: string; value: string }[];
}

/**
 * Places an order of a service of a top-up, at the price in force when it is placed; that of a campaign while one runs.
 * Returns the id of the order. The same order with the same key is placed once.
 * @throws VALIDATION_ERROR, CONFLICT when the campaign is sold out meanwhile or the price isn't the expected one,
 *   INSUFFICIENT_BALANCE of a prepaid order, IDEMPOTENCY_CONFLICT
 */
export async function placeOrder(
  caller: KeyHolderPrincipal,
  form: Form,
  idempotency?: IdempotentCall,
): Promise<number> {
  const { orderId } = await inTransaction(async (tx) => {
    const { topUpId, topUp, service, expectedPrice, input } = await checkForm(tx, form);
    const { campaign } = service;
    const orderId = await insertOrder(tx, caller, {
      product: { topUpId, serviceId: service.id, ...(campaign && { campaignId: campaign.id }) },
      productName: topUp.name,
      serviceName: service.name,
      price: { ...(campaign ?? service), currency: service.currency },
      input,
      expectedPrice,
      isInstant: topUp.instant_delivery === 1,
      // Last, because the campaign's row is locked until the commit.
      take: async () => {
        if (campaign) await takeFromCampaign(tx, campaign.id);
      },
    });
    return { orderId };
  }, idempotency);
  return orderId;
}

/** Step: reads the form, and locks the service. @throws VALIDATION_ERROR */
async function checkForm(tx: Tx, form: Form): Promise<Draft> {
  const reader = new FormReader(form);
  const topUpId = reader.read("topUpId", formId);
  const topUp = topUpId === undefined ? undefined : await findTopUp(topUpId);
  if (topUpId !== undefined && !topUp) reader.refuse("topUpId");
  const serviceId = reader.read("serviceId", formId);
  const service = topUp && serviceId !== undefined ? await findService(tx, topUpId!, serviceId) : undefined;
  if (topUp && serviceId !== undefined && !service) reader.refuse("serviceId");
  const input = (topUp?.order_information ?? []).map((field) => ({
    field_name: field.field_name,
    field_value: field.field_value,
    value: reader.read(field.field_name, schemaOf(field), field.field_value) ?? "",
  }));
  const expectedPrice = reader.readExpectedPrice();
  reader.end();
  assert(topUp && service, "a form without errors names a service of a top-up");
  return { topUpId: topUpId!, topUp, service, expectedPrice, input };
}

/** Numbers are taken for their digits: a JSON client may send a player ID as one. */
const schemaOf = ({ field_type, option = {} }: OrderField): Joi.Schema<string> => {
  const given =
    field_type === "select"
      ? Joi.string()
          .valid(...Object.keys(option))
          .required()
      : answer;
  return Joi.any()
    .custom((value: unknown) =>
      Joi.attempt(typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value, given),
    )
    .required() as unknown as Joi.Schema<string>;
};

const findTopUp = (topUpId: number): Promise<OrderedTopUp | undefined> =>
  queryOne<OrderedTopUp>(
    `SELECT name, instant_delivery, order_information FROM catalogue_top_ups p WHERE id = $1 AND ${isShown}`,
    [topUpId],
  );

/** Step: locks a service as the order's reference to it will, so that it isn't deleted in between. */
async function findService(tx: Tx, topUpId: number, serviceId: number): Promise<ServiceRow | undefined> {
  const [found] = await tx.query<{ service: ServiceRow }>(
    `SELECT ${serviceJson} AS service FROM ${servicesAndCampaigns} WHERE s.id = $1 AND s.top_up_id = $2 AND ${isSold}
     FOR KEY SHARE OF s`,
    [serviceId, topUpId],
  );
  return found?.service;
}

/** Step: counts one sale of a campaign that still runs. Of concurrent buyers, only as many get one as are left. */
async function takeFromCampaign(tx: Tx, campaignId: number): Promise<void> {
  const taken = await tx.query(
    `UPDATE catalogue_campaigns AS c SET offered_sell = offered_sell + 1, updated_at = now()
     WHERE id = $1 AND ${isRunning} RETURNING 1`,
    [campaignId],
  );
  if (taken.length === 0)
    throw new DomainError("CONFLICT", "The campaign has ended or is sold out. Order again at the regular price.");
}
