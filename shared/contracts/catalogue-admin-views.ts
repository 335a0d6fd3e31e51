import Joi from "joi";
import { id, idMax } from "./catalogue-fields.ts";
import { codeState, orderInput, orderPayment, orderStatus } from "./catalogue-order-views.ts";
import { exampleIds, exampleTime } from "./examples.ts";
import {
  count,
  flag,
  type Infer,
  integer,
  line,
  listOf,
  nullable,
  object,
  oneOf,
  text,
  time,
  id as userId,
} from "./fields.ts";

/** What administrators see of the orders of the catalogue, and of the stock of codes. Never a code. */

export const codeImport = object({
  accepted: count(2),
  duplicate: count(1),
  malformed: count(0),
  lines: listOf(
    object({
      line: count(1),
      outcome: oneOf("accepted", "duplicate", "malformed").description(
        "`duplicate`: the code is already in the file, in the stock of a card, or sold.",
      ),
    }).meta({ name: "ImportedLine" }),
  ),
}).meta({ name: "CodeImport" });
export type CodeImport = Infer<typeof codeImport>;

const decimal = (example: string) =>
  Joi.string()
    .pattern(/^\d+(\.\d+)?$/)
    .example(example);
const created = exampleTime(exampleIds.coinOrder);

const recordFields = {
  id: id(),
  version: integer(1, idMax, 1),
  user_id: userId(exampleIds.ada).description("The owner of the keys that the order was placed with."),
  top_up_id: nullable(id()),
  card_id: nullable(id()).example(null),
  service_id: id(),
  campaign_id: nullable(id()),
  product_name: line(1, 80, "Star Raiders"),
  service_name: line(1, 60, "100 gems"),
  status: orderStatus(),
  reason: nullable(text(1, 500, "The player ID doesn't exist.")).example(null),
  delivery: nullable(text(1, 500, "Sent to player 1234 5678.")).example(null),
  code: nullable(codeState()).example(null),
  payment: orderPayment(),
  currency: Joi.string().length(3).example("USD"),
  price: decimal("4.99"),
  discounted_amount: decimal("0.5"),
  total: decimal("4.49"),
  provider: nullable(line(1, 40, "sandbox")).description("The provider that was asked to deliver it."),
  tries: count(1).description("How often the provider was asked."),
  problem: nullable(text(1, 200, "Error: The sandbox doesn't answer.")).description(
    "Why the provider's outcome is unknown.",
  ),
  next_try_at: nullable(time(created)).description("When the provider is asked next."),
  created_at: time(created),
  updated_at: time(created),
  completed_at: nullable(time(created)).example(null),
};

/** An order in a list: without what the buyer entered. */
export const catalogueOrderItem = object(recordFields).meta({ name: "CatalogueOrderItem" });
export type CatalogueOrderItem = Infer<typeof catalogueOrderItem>;

export const catalogueOrderRecord = object({ ...recordFields, order_information: listOf(orderInput) }).meta({
  name: "CatalogueOrderRecord",
});
export type CatalogueOrderRecord = Infer<typeof catalogueOrderRecord>;

/** The stock of a service of a card. */
export const codeStock = object({
  id: id().description("ID of the card's service."),
  card_id: id(),
  card_name: line(1, 80, "Moonbeam Store"),
  service_name: line(1, 60, "USD 10"),
  is_active: flag(),
  available: count(42).description("Codes that can be sold, counted up to 10,000."),
  reserved: count(1).description("Codes of orders that aren't completed."),
  is_low: flag(false).description("Whether fewer codes are available than the setting `catalogue_low_stock` says."),
}).meta({ name: "CodeStock" });
export type CodeStock = Infer<typeof codeStock>;
