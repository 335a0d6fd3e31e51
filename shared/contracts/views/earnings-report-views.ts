import Joi from "joi";
import { exampleIds } from "../examples.ts";
import { count, flag, type Infer, id, listOf, nullable, object } from "../fields.ts";

/** Reports on earnings to administrators. */

const edgeFields = {
  accounts: count(3).description(
    "How many accounts give each other gifts in a circle; 2 if only the device or network is shared.",
  ),
  from_id: id(exampleIds.ada),
  from: Joi.string().example("ada").description("The username of who gave."),
  to_id: id(exampleIds.grace),
  to: Joi.string().example("grace"),
  coins: count(12_000),
  bought: count(12_000).description("How many of the coins were bought. Only these earn."),
  gifts: count(40),
  same_device: flag(true).description("Both were logged in on one device."),
  same_network: flag(true).description("Both were logged in from one IP address."),
};

export const giftCircleEdge = object({
  circle: count(1).description("Edges with the same number belong together."),
  ...edgeFields,
}).meta({ name: "GiftCircleEdge" });
export type GiftCircleEdge = Infer<typeof giftCircleEdge>;

export const giftGraph = object({
  circle: count(1).description("Its number in `GET /admin/earnings/circles` for the same period and bounds."),
  coins: count(24_000).description("All coins that its accounts gave each other."),
  nodes: listOf(
    object({
      id: id(exampleIds.ada),
      username: Joi.string().example("ada"),
      sent: count(12_000).description("Coins, to others of the graph."),
      received: count(12_000),
    }),
  ),
  edges: listOf(object(edgeFields)).description("Those with the most coins first."),
  left_out: count(0).description("Further edges, which aren't shown."),
}).meta({ name: "GiftGraph" });
export type GiftGraph = Infer<typeof giftGraph>;

const amount = (example: number) => Joi.number().integer().required().example(example);

export const earningsLiability = object({
  currency: Joi.string().example("INR"),
  earnings: count(1200).description("What users have."),
  mature: count(900).description("What could be paid out now."),
  maturing: count(300),
  held: count(100).description("Earnings of payouts that aren't settled."),
  owed_by_users: amount(0).description("Earnings that refunds called for and users no longer had."),
  rate: nullable(count(80)).description(
    "The most that a payout method of the currency pays for 10,000 earnings, in minor units. Null: none pays in it.",
  ),
  owed: nullable(count(10)).description(
    "What users have and what is held, at this rate, as if all were paid in this currency.",
  ),
  received: count(990_000).description("Payments for coins, in minor units."),
  refunded: count(0),
  paid_out: count(1000).description("Payouts that are settled."),
  cover: amount(989_000).description("What was received, less refunds and payouts."),
  covered: flag(true).description("Whether it covers what is owed."),
}).meta({ name: "EarningsLiability" });
export type EarningsLiability = Infer<typeof earningsLiability>;
