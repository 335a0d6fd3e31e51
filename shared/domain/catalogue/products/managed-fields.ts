import Joi from "joi";
import { idMax } from "#shared/contracts/catalogue-fields.ts";
import { type Fields, integer, line, nullable, oneOf, text, url } from "#shared/contracts/fields.ts";
import { parseDecimal } from "#shared/kernel/decimal.ts";
import { CategoryModel } from "./catalogue.models.ts";
import { type DiscountType, isPayable } from "./money.ts";
import { sanitized } from "./sanitize.ts";

/** Fields of the catalogue's records, as administrators write them. */

export const reference = (example = 1) => integer(1, idMax, example);
/** A reference in a query, where it is text. */
export const queryReference = (example = 1) => Joi.number().integer().min(1).max(idMax).example(example);
export const bit = (example: 0 | 1 = 1) => integer(0, 1, example);
export const queryBit = () => Joi.number().valid(0, 1).example(1);
export const image = (name: string) => url(`https://cdn.example.com/catalogue/${name}.png`);

/** A decimal as text, exact: up to 12 digits, and 4 decimal places. */
export const decimal = (example: string) =>
  Joi.string()
    .pattern(/^\d{1,12}(\.\d{1,4})?$/, "a decimal with up to 4 places, such as 4.99")
    .example(example);

const currencies = new Set(Intl.supportedValuesOf("currency"));

/** ISO 4217. */
export const currency = () =>
  Joi.string()
    .pattern(/^[A-Z]{3}$/, "an ISO 4217 currency code")
    .custom((value: string, helpers) =>
      currencies.has(value) ? value : helpers.error("string.pattern.name", { name: "an ISO 4217 currency code" }),
    )
    .example("USD");

/** HTML, sanitised as it comes in: scripts, styles, forms, frames, and event handlers are removed. */
const html = (max: number, example: string) =>
  text(0, max, example)
    .custom((value: string, helpers) => {
      const safe = sanitized(value);
      return safe.length > max ? helpers.error("string.max", { limit: max }) : safe;
    })
    .description("HTML. Scripts, styles, forms, frames, and event handlers are removed.");

const slug = () =>
  Joi.string()
    .max(80)
    .pattern(/^[a-z0-9]+(-[a-z0-9]+)*$/, "lower-case words and digits, joined by hyphens")
    .example("star-raiders");

const sortBy = () => integer(0, 100, 1).description("The order of its services. 1: by date. 2: by price.");

/** Fields of top-ups and cards. */
export const productFields = (name: string): Fields => ({
  category_id: reference(),
  name: line(1, 80, name),
  slug: slug(),
  region: line(1, 60, "Global"),
  note: nullable(text(1, 500, "Delivered within minutes.")),
  status: bit().description("1: shown. 0: hidden."),
  instant_delivery: bit(),
  image_url: image("star-raiders"),
  preview_url: image("star-raiders-preview"),
  description: html(20_000, "<p>Gems for Star Raiders.</p>"),
  guide: html(20_000, "<ol><li>Enter your player ID.</li></ol>"),
  sort_by: sortBy(),
});

export const productDefaults = {
  note: null,
  status: 1,
  instant_delivery: 0,
  description: "",
  guide: "",
  sort_by: 1,
};

export const pricedFields: Fields = {
  price: decimal("4.99").description("In the currency of the service."),
  discount: decimal("10").description("A percentage or an amount."),
  discount_type: oneOf("percentage", "flat"),
};

export const pricedDefaults = { discount: "0", discount_type: "percentage" };

/** Fields of the services of top-ups and of cards. */
export const serviceFields: Fields = {
  name: line(1, 60, "100 gems"),
  image_url: image("gems"),
  currency: currency(),
  ...pricedFields,
  status: bit().description("1: sold. 0: hidden."),
  sort_by: sortBy(),
};

export const serviceDefaults = { ...pricedDefaults, status: 1, sort_by: 1 };

export type Values = Readonly<Record<string, unknown>>;

/** Returns what is wrong with a price and its discount. */
export function wrongPrice(values: Values, inCurrency: string) {
  const [price, discount] = [parseDecimal(String(values.price)), parseDecimal(String(values.discount))];
  if (price === 0n) return { field: "price", text: "price must be above 0" };
  if (!isPayable(price, inCurrency))
    return {
      field: "price",
      text: "price must be an amount that can be paid in {{currency}}",
      values: { currency: inCurrency },
    };
  const type = values.discount_type as DiscountType;
  return type === "percentage" && discount > parseDecimal("100")
    ? { field: "discount", text: "discount must be at most 100 percent" }
    : undefined;
}

/** Returns what is wrong with the category of a product. One that doesn't exist is left to the database. */
export async function wrongCategory({ category_id }: Values, type: "top_up" | "card") {
  const category = await CategoryModel.read({ id: Number(category_id) }, ["type"]);
  return category && category.type !== type
    ? { field: "category_id", text: "category_id must name a category of the type {{type}}", values: { type } }
    : undefined;
}
