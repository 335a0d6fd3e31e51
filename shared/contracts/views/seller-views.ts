import { exampleIds, exampleTime } from "../examples.ts";
import { coins, count, flag, type Infer, id, integer, nullable, object, time } from "../fields.ts";

/** Views of coin sellers, who buy coins at a discount and pass them on. */

export const sellerTerms = {
  is_active: flag(true).description("Whether the seller may order and pass on coins."),
  daily_limit: integer(1, 1_000_000_000_000, 100_000).description("Coins that the seller may pass on in 24 hours."),
  recipient_daily_limit: integer(0, 1_000_000_000_000, 10_000).description("The same for one recipient; 0: no limit."),
  discount_basis_points: integer(0, 9000, 1500).description("Off the price of coin packages, in parts of 10,000."),
};

export const seller = object({
  ...sellerTerms,
  stock: count(50_000).description("Coins that you can pass on."),
  debt: count(0).description(
    "Coins of refunded orders that your stock no longer held. What you order next pays them first.",
  ),
  passed_on: count(20_000).description("Coins that you have passed on in the last 24 hours."),
}).meta({ name: "Seller" });
export type Seller = Infer<typeof seller>;

export const sellerTransfer = object({
  id: id(exampleIds.sellerTransfer),
  seller_id: id(exampleIds.ada),
  recipient_id: id(exampleIds.grace),
  coins: coins(500),
  reversed_at: nullable(time(exampleTime(exampleIds.sellerTransfer, 3600)))
    .example(null)
    .description("When an administrator took them back."),
  created_at: time(exampleTime(exampleIds.sellerTransfer)),
}).meta({ name: "SellerTransfer" });
export type SellerTransfer = Infer<typeof sellerTransfer>;

/** What servers of the operator see of a transfer. */
export const sellerMoveFields = {
  transfer_id: id(exampleIds.sellerTransfer),
  seller_id: id(),
  recipient_id: id(exampleIds.grace),
  coins: coins(500),
};
