import Joi from "joi";
import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import {
  coins,
  type Infer,
  id,
  integer,
  line,
  nullable,
  object,
  oneOf,
  text,
  time,
  url,
} from "#shared/contracts/fields.ts";
import { userCard } from "./user-views.ts";

/** Views of gifts and coins. */

export const gift = object({
  id: id(exampleIds.gift),
  name: line(1, 60, "Rose"),
  image_url: url("https://cdn.example.com/gifts/rose.png"),
  animation_url: nullable(url("https://cdn.example.com/gifts/rose.json")),
  price: coins(10),
  category_id: id(exampleIds.giftCategory),
}).meta({ name: "Gift" });
export type Gift = Infer<typeof gift>;

export const giftTransaction = object({
  id: id(exampleIds.giftTransaction),
  gift,
  quantity: integer(1, 999, 3),
  total_coins: coins(30),
  sender: userCard,
  recipient: userCard,
  room_id: id(exampleIds.room),
  created_at: time(exampleTime(exampleIds.giftTransaction)),
}).meta({ name: "GiftTransaction" });
export type GiftTransaction = Infer<typeof giftTransaction>;

export const ledgerTypes = [
  "signup_bonus",
  "coin_purchase",
  "gift_sent",
  "gift_received",
  "frame_purchase",
  "admin_adjustment",
  "refund",
  "game_entry",
  "game_prize",
  "gift_share",
  "earnings_exchange",
  "gift_refund",
  "payout",
  "extension",
  "salary",
  "commission",
  "seller_transfer",
  "seller_refund",
  "debt_payment",
] as const;
export type LedgerType = (typeof ledgerTypes)[number];

/** What money in prepaid balances moves for. */
export const moneyTypes = ["deposit", "catalogue_order", "catalogue_refund", "admin_adjustment", "refund"] as const;
export type MoneyType = (typeof moneyTypes)[number];

export const ledgerEntry = object({
  id: id(exampleIds.ledgerEntry),
  type: oneOf(...ledgerTypes).example("gift_sent"),
  direction: oneOf("credit", "debit").example("debit"),
  amount: coins(30),
  balance_after: coins(370),
  reference: object({ type: Joi.string().example("gift_transaction"), id: id(exampleIds.giftTransaction) }).description(
    "What caused the entry.",
  ),
  description: text(0, 200, "Rose × 3"),
  created_at: time(exampleTime(exampleIds.ledgerEntry)),
}).meta({ name: "LedgerEntry" });
export type LedgerEntry = Infer<typeof ledgerEntry>;
