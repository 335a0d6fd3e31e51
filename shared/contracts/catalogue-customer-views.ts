import { currencyCode, decimal } from "./catalogue-balance-views.ts";
import { idMax } from "./catalogue-fields.ts";
import { exampleIds, exampleTime } from "./examples.ts";
import { extend, flag, type Infer, id, integer, listOf, nullable, object, oneOf, time } from "./fields.ts";

/** Customers of the catalogue: the users whom an administrator has approved as resellers. */

export const customerStatus = () => oneOf("applied", "approved", "suspended");

export const catalogueCustomer = object({
  id: integer(1, idMax, 1),
  status: customerStatus().description("Only `approved` customers make keys and place orders."),
  created_at: time(exampleTime(exampleIds.ada)),
}).meta({ name: "CatalogueCustomer" });
export type CatalogueCustomer = Infer<typeof catalogueCustomer>;
export type CustomerStatus = CatalogueCustomer["status"];

const credit = object({
  currency: currencyCode(),
  credit_limit: decimal("500.00"),
  due: decimal("17.98").description("The total of orders on credit that aren't paid yet."),
}).meta({ name: "CatalogueCredit" });

export const customerRecord = extend(catalogueCustomer, {
  user_id: id(exampleIds.ada),
  credit: listOf(credit),
  is_overdue: flag(false).description("Whether an order on credit wasn't paid in time, which blocks further orders."),
  reminded_at: nullable(time(exampleTime(exampleIds.ada)))
    .description("When the customer was last reminded of overdue orders.")
    .example(null),
  version: integer(1, idMax, 1),
}).meta({ name: "CatalogueCustomerRecord" });
export type CustomerRecord = Infer<typeof customerRecord>;
