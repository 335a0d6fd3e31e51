import Joi from "joi";
import { idMax, type OrderField } from "#shared/contracts/catalogue-views.ts";
import { line } from "#shared/contracts/fields.ts";
import type { KeyHolderPrincipal } from "#shared/contracts/principal.ts";
import { hashRequest, type IdempotentCall } from "#shared/db/idempotency.ts";
import { queryOne } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { setting } from "#shared/domain/settings/settings.ts";
import { formatDecimal, parseDecimal } from "#shared/kernel/decimal.ts";
import { DomainError, type FieldError } from "#shared/kernel/domain-error.ts";
import { isRunning, isShown, type ServiceRow, serviceJson, servicesAndCampaigns } from "./catalogue-rows.ts";
import { customerOf } from "./customers.ts";
import { type Form, invalidForm, isNotAccepted, isRequired, labelOf } from "./form.ts";
import { discounted } from "./money.ts";

/** Fields of an order that no entry of `order_information` may be called. */
const ownFields = ["topUpId", "serviceId", "idempotency_key"] as const;

const id = Joi.number().integer().min(1).max(idMax).required();
const key = line(1, 255).required();
const answer = line(1, 255).required();

interface OrderedTopUp {
  readonly name: string;
  readonly order_information: readonly OrderField[];
}

interface Draft {
  readonly topUpId: number;
  readonly topUpName: string;
  readonly service: ServiceRow;
  readonly input: readonly { field_name: string; field_value: string; value: string }[];
}

/**
 * Places an order of a service of a top-up, at the price in force when it is placed; that of a campaign while one runs.
 * Returns the id of the order. The same order with the same key is placed once.
 * @param scope names the caller and the operation. `header` is the key of the call's header, which comes before the one in
 *   the form field `idempotency_key`
 * @throws VALIDATION_ERROR, CONFLICT when the campaign is sold out meanwhile, IDEMPOTENCY_CONFLICT
 */
export async function placeOrder(
  caller: KeyHolderPrincipal,
  form: Form,
  { scope, header }: { readonly scope: string; readonly header: string | undefined },
): Promise<number> {
  const typed = key.validate(form.idempotency_key);
  const usedKey = header ?? (typed.error ? undefined : typed.value);
  const call: IdempotentCall | undefined =
    usedKey === undefined ? undefined : { scope, key: usedKey, requestHash: hashRequest(asSent(form)) };
  const work = async (tx: Tx) => ({ orderId: await insertOrder(tx, caller, await checkForm(form)) });
  const { orderId } = await inTransaction(work, call);
  return orderId;
}

/** The fields that make an order, the same for each kind of body: a form has digits where JSON has a number. */
function asSent(form: Form): Form {
  const { idempotency_key, ...fields } = form;
  const texts = Object.entries(fields).map(([name, value]) => [name, typeof value === "number" ? `${value}` : value]);
  return Object.fromEntries(texts);
}

/** Checks all fields, so that the error names each that is missing or invalid. @throws VALIDATION_ERROR */
async function checkForm(form: Form): Promise<Draft> {
  const errors: FieldError[] = [];
  function read<T>(name: string, label: string, schema: Joi.Schema<T>): T | undefined {
    const { error, value } = schema.validate(Object.hasOwn(form, name) ? form[name] : undefined);
    if (!error) return value;
    errors.push({ field: name, message: isRequired(label) });
    return undefined;
  }

  const topUpId = read<number>("topUpId", labelOf("topUpId"), id);
  const topUp = topUpId === undefined ? undefined : await findTopUp(topUpId);
  if (topUpId !== undefined && !topUp) errors.push({ field: "topUpId", message: isRequired(labelOf("topUpId")) });
  const serviceId = read<number>("serviceId", labelOf("serviceId"), id);
  const service = topUp && serviceId !== undefined ? await findService(topUpId!, serviceId) : undefined;
  if (topUp && serviceId !== undefined && !service)
    errors.push({ field: "serviceId", message: isRequired(labelOf("serviceId")) });
  const fields = topUp?.order_information ?? [];
  const input = fields.map((field) => ({
    field_name: field.field_name,
    field_value: field.field_value,
    value: read(field.field_name, field.field_value, schemaOf(field)) ?? "",
  }));
  if (Object.hasOwn(form, "idempotency_key")) read("idempotency_key", labelOf("idempotency_key"), key);
  const names = new Set<string>([...ownFields, ...fields.map(({ field_name }) => field_name)]);
  for (const name of Object.keys(form))
    if (!names.has(name)) errors.push({ field: name, message: isNotAccepted(name.slice(0, 100)) });

  if (errors.length > 0 || !topUp || !service) throw invalidForm(errors);
  return { topUpId: topUpId!, topUpName: topUp.name, service, input };
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
  queryOne<OrderedTopUp>(`SELECT name, order_information FROM catalogue_top_ups p WHERE id = $1 AND ${isShown}`, [
    topUpId,
  ]);

async function findService(topUpId: number, serviceId: number): Promise<ServiceRow | undefined> {
  const found = await queryOne<{ service: ServiceRow }>(
    `SELECT ${serviceJson} AS service FROM ${servicesAndCampaigns} WHERE s.id = $1 AND s.top_up_id = $2 AND s.status = 1`,
    [serviceId, topUpId],
  );
  return found?.service;
}

/** Step: stores the order. What a campaign has left is taken last, because its row is locked until the commit. */
async function insertOrder(tx: Tx, caller: KeyHolderPrincipal, draft: Draft): Promise<number> {
  const { service } = draft;
  const customerId = await customerOf(tx, caller.userId);
  const { price, discount, discount_type } = service.campaign ?? service;
  const { amount, total } = discounted({
    price: parseDecimal(price),
    discount: parseDecimal(discount),
    discountType: discount_type,
    currency: service.currency,
  });
  if (service.campaign) await takeFromCampaign(tx, service.campaign.id);

  const [order] = await tx.query<{ id: number }>(
    `INSERT INTO catalogue_orders (customer_id, top_up_id, service_id, campaign_id, top_up_name, service_name, payment,
       currency, price, discount, discount_type, discounted_amount, total, order_information)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) RETURNING id`,
    [
      customerId,
      draft.topUpId,
      service.id,
      service.campaign?.id ?? null,
      draft.topUpName,
      service.name,
      setting("catalogue_payment"),
      service.currency,
      price,
      discount,
      discount_type,
      formatDecimal(amount),
      formatDecimal(total),
      JSON.stringify(draft.input),
    ],
  );
  return order!.id;
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
