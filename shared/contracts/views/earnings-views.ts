import Joi from "joi";
import { exampleIds, exampleTime } from "../examples.ts";
import {
  count,
  type Infer,
  id,
  integer,
  line,
  listOf,
  nullable,
  object,
  oneOf,
  optional,
  text,
  time,
} from "../fields.ts";

/** Views of earnings, and of how gifts are split. */

export const shareTakers = ["receiver", "owner", "agency", "house"] as const;

const splitShare = object({
  to: oneOf(...shareTakers)
    .example("receiver")
    .description(
      "`receiver`: of the gift. `owner`: the room's host. `agency`: of the receiver, if they have a contract: its owner. What has no taker, or would go to the sender, stays with the `house`.",
    ),
  basis_points: integer(0, 10_000, 4500).description("Parts of 10,000 of the price."),
  asset: optional(
    oneOf("coins", "earnings").description(
      "In what it is paid; `coins` by default. Only bought coins pay `earnings`. The house gets `coins`.",
    ),
  ),
});
export type SplitShare = Infer<typeof splitShare>;

export const splitShares = () =>
  listOf(splitShare)
    .min(1)
    .max(7)
    .unique(
      (one: SplitShare, other: SplitShare) =>
        one.to === other.to && (one.asset ?? "coins") === (other.asset ?? "coins"),
    )
    .description("They add up to 10,000 basis points. No two have the same `to` and `asset`.")
    .example([
      { to: "receiver", basis_points: 4500, asset: "earnings" },
      { to: "owner", basis_points: 500, asset: "earnings" },
      { to: "house", basis_points: 5000, asset: "coins" },
    ]);

/** How gifts are split, as everyone sees it. */
const splitPlanFields = {
  name: line(1, 60, "Hosts earn, from January"),
  shares: splitShares(),
  gift_ids: listOf(id(exampleIds.gift)).description(
    "The gifts that it splits, besides those of `category_ids`. Both empty: all.",
  ),
  category_ids: listOf(id(exampleIds.giftCategory)),
  countries: listOf(Joi.string().example("IN")).description("The recipient's countries. Empty: all."),
};

export const splitPlan = object({
  id: id(exampleIds.splitPlan),
  ...splitPlanFields,
  starts_at: time("2027-01-01T00:00:00.000Z"),
  ends_at: nullable(time("2027-02-01T00:00:00.000Z")).description("Exclusive.").example(null),
}).meta({ name: "SplitPlan" });
export type SplitPlan = Infer<typeof splitPlan>;

export const currentSplitPlan = object({
  id: nullable(id(exampleIds.splitPlan)).description("Null: no plan, but the settings split gifts."),
  ...splitPlanFields,
  starts_at: nullable(time("2027-01-01T00:00:00.000Z")),
  ends_at: nullable(time("2027-02-01T00:00:00.000Z")).description("Exclusive.").example(null),
}).meta({ name: "CurrentSplitPlan" });

const exchangeRate = () =>
  integer(0, 1_000_000, 10_000).description("Coins for 10,000 earnings; 0: earnings can't be exchanged.");

export const earningsBalance = object({
  name: line(1, 30, "Diamonds").description("What the app calls them."),
  balance: count(1200).description("All earnings: those that are available, and those that are maturing."),
  available: count(900).description("What can be exchanged now."),
  maturing: count(300).description("Earnings of late, which refunds could still concern."),
  debt: count(0).description(
    "What refunds of gifts call for and the balance didn't hold. Earnings that you get later pay it first.",
  ),
  maturing_days: integer(0, 365, 7).description("How long earnings mature."),
  exchange_rate: exchangeRate(),
  exchange_min: count(1).description("The least that can be exchanged at once."),
  exchange_daily_max: count(0).description("How many earnings can be exchanged in 24 hours; 0: no limit."),
}).meta({ name: "EarningsBalance" });
export type EarningsBalance = Infer<typeof earningsBalance>;

export const earningsTypes = [
  "gift_received",
  "gift_share",
  "earnings_exchange",
  "gift_refund",
  "payout",
  "salary",
  "commission",
] as const;

export const earningsEntry = object({
  id: id(exampleIds.ledgerEntry),
  type: oneOf(...earningsTypes).description(
    "`gift_received`: for a gift. `gift_share`: for a gift in a room of yours, or to a host of your agency. `earnings_exchange`: to coins. `salary`, `commission`: of a run, for a host and for the owner of their agency. `gift_refund`: taken back, or given back, because what had paid for gifts was refunded. `payout`: as money, or back.",
  ),
  direction: oneOf("credit", "debit"),
  amount: count(9),
  balance_after: count(1200),
  reference: object({ type: Joi.string().example("gift_transaction"), id: id(exampleIds.giftTransaction) }).description(
    "What caused the entry.",
  ),
  description: text(0, 200, "Rose × 3"),
  created_at: time(exampleTime(exampleIds.ledgerEntry)),
}).meta({ name: "EarningsEntry" });
export type EarningsEntry = Infer<typeof earningsEntry>;

export const earningsExchange = object({
  id: id(exampleIds.earningsExchange),
  amount: count(500).description("The earnings that were exchanged."),
  coins: count(500),
  exchange_rate: exchangeRate(),
  created_at: time(exampleTime(exampleIds.earningsExchange)),
}).meta({ name: "EarningsExchange" });
export type EarningsExchange = Infer<typeof earningsExchange>;
