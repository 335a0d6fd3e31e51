import { ownFields, reservedNames } from "#shared/contracts/catalogue-fields.ts";
import { type OrderField, orderFields } from "#shared/contracts/catalogue-views.ts";
import { count } from "#shared/contracts/fields.ts";
import { query } from "#shared/db/query.ts";
import type { ManagedResource } from "#shared/domain/base/managed/managed-resource.ts";
import { parseDecimal } from "#shared/kernel/decimal.ts";
import { ServiceModel, TopUpModel } from "./catalogue.models.ts";
import {
  productDefaults,
  productFields,
  queryBit,
  queryReference,
  reference,
  serviceDefaults,
  serviceFields,
  type Values,
  wrongCategory,
  wrongPrice,
} from "./managed-fields.ts";
import { isPayable } from "./money.ts";

/** Each field becomes a field of the order's form, which has others beside them. */
function wrongFields(fields: readonly OrderField[]) {
  const names = [...ownFields, ...reservedNames, ...fields.map(({ field_name }) => field_name)];
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    return {
      field: "order_information",
      text: "order_information: {{name}} is used twice, or is reserved",
      values: { name: twice },
    };
  return fields.some(({ field_type, option }) => (field_type === "select") !== (option !== undefined))
    ? { field: "order_information", text: "order_information: each select needs options; a text has none" }
    : undefined;
}

export const managedTopUps: ManagedResource = {
  resource: "catalogue_top_ups",
  path: "/catalogue/top-ups",
  name: "catalogue_top_up",
  one: "a top-up",
  many: "top-ups",
  model: TopUpModel,
  fields: { ...productFields("Star Raiders"), order_information: orderFields() },
  defaults: { ...productDefaults, order_information: [] },
  shown: { total_review: count(1) },
  check: async (values) =>
    wrongFields(values.order_information as readonly OrderField[]) ?? (await wrongCategory(values, "top_up")),
  search: ["name", "slug"],
  filters: { category_id: queryReference(), status: queryBit() },
  sorts: ["id", "name", "created_at", "updated_at"],
  exampleId: 1,
};

/** The currency of a service with campaigns to come is that of their prices. */
async function wrongCurrency({ id, currency }: Values) {
  const campaigns = await query<{ price: string }>(
    `SELECT trim_scale(price)::text AS price FROM catalogue_campaigns
     WHERE service_id = $1 AND ended_at IS NULL AND ends_at > now()`,
    [id ?? null],
  );
  return campaigns.some(({ price }) => !isPayable(parseDecimal(price), String(currency)))
    ? { field: "currency", text: "currency must be one in which the price of its campaign can be paid" }
    : undefined;
}

export const managedServices: ManagedResource = {
  resource: "catalogue_services",
  path: "/catalogue/services",
  name: "catalogue_service",
  one: "a service",
  many: "services of top-ups",
  model: ServiceModel,
  fields: { top_up_id: reference(), ...serviceFields },
  defaults: serviceDefaults,
  check: async (values) => wrongPrice(values, String(values.currency)) ?? (await wrongCurrency(values)),
  search: ["name"],
  filters: { top_up_id: queryReference(), status: queryBit() },
  sorts: ["id", "name", "price", "created_at", "updated_at"],
  exampleId: 1,
};
