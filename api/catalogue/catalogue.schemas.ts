import Joi from "joi";
import { formDecimal, idMax } from "#shared/contracts/catalogue-fields.ts";
import { anyObject, describedBy, line, object, optional, text, withDefault } from "#shared/contracts/fields.ts";

/** An integer of a form or a query, where it is text. Forms send what isn't filled in as empty text. */
const formInteger = (min: number, max: number, example: number = min) =>
  Joi.number().integer().min(min).max(max).empty("").example(example);
const id = () => formInteger(1, idMax);
const page = () => withDefault(formInteger(1, 1_000_000), 1);

export const topUpListQuery = object({ category_id: optional(id()), page: page() });
export const pageQuery = object({ page: page() });
export const topUpDetailsQuery = object({ slug: line(1, 200, "star-raiders") });
export const servicesQuery = object({ top_up_id: optional(id()) });
export const reviewsQuery = object({ top_up_id: id(), page: page() });
export const cardsQuery = object({ category_id: optional(id()) });
export const cardQuery = object({ card_id: id() });
export const orderParams = object({ id: id() });

/** The field of forms that may carry the idempotency key. */
export const idempotencyField = "idempotency_key";

const formKey = (example: string) =>
  optional(line(1, 255, example).description("Extension: makes retries safe, like the header `Idempotency-Key`."));

const expected_price = optional(
  formDecimal(
    "4.49",
    "Extension: the total that you have seen. If the price has changed, such as when a campaign ends, the order is refused.",
  ),
);

/** The command checks the form, because the top-up says which fields it has. */
export const makeOrderBody = describedBy(
  anyObject(),
  object({
    topUpId: id(),
    serviceId: id(),
    expected_price,
    idempotency_key: formKey("order-1001"),
  })
    .pattern(Joi.string(), line(1, 255, "1234 5678"))
    .example({ topUpId: 1, serviceId: 1, Player_Id: "1234 5678", idempotency_key: "order-1001" })
    .description("And a field for each entry of the top-up's `order_information`, called by its `field_name`.")
    .meta({ name: "MakeOrderBody" }),
);

export const orderCardBody = object({
  cardId: id(),
  serviceId: id(),
  expected_price,
  idempotency_key: formKey("order-1002"),
})
  .example({ cardId: 1, serviceId: 1, idempotency_key: "order-1002" })
  .meta({ name: "OrderCardBody" });

export const showCodeBody = object({ idempotency_key: formKey("show-1002") }).meta({ name: "ShowCodeBody" });

export const addReviewBody = object({
  topUpId: id(),
  rating: formInteger(1, 5, 5),
  comment: text(1, 1000, "Fast and friendly."),
}).meta({ name: "AddReviewBody" });
