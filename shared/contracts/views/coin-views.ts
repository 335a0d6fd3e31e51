import Joi from "joi";
import { coins, id, integer, line, nullable, oneOf, text, time, url, view } from "#shared/contracts/fields.ts";
import { type UserCard, userCard } from "./user-views.ts";

/** Views of gifts and coins. */

export interface Gift {
  id: string;
  name: string;
  image_url: string;
  animation_url: string | null;
  price: number;
  category_id: string;
}

export const gift = view<Gift>({
  id: id(),
  name: line(1, 60, "Rose"),
  image_url: url(),
  animation_url: nullable(url()),
  price: coins(10),
  category_id: id(),
}).meta({ name: "Gift" });

export interface GiftTransaction {
  id: string;
  gift: Gift;
  quantity: number;
  total_coins: number;
  sender: UserCard;
  recipient: UserCard;
  room_id: string;
  created_at: string;
}

export const giftTransaction = view<GiftTransaction>({
  id: id(),
  gift,
  quantity: integer(1, 999, 3),
  total_coins: coins(30),
  sender: userCard,
  recipient: userCard,
  room_id: id(),
  created_at: time(),
}).meta({ name: "GiftTransaction" });

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
] as const;
export type LedgerType = (typeof ledgerTypes)[number];

export interface LedgerEntry {
  id: string;
  type: LedgerType;
  direction: "credit" | "debit";
  /** Coins, positive. */
  amount: number;
  balance_after: number;
  reference: { type: string; id: string };
  description: string;
  created_at: string;
}

export const ledgerEntry = view<LedgerEntry>({
  id: id(),
  type: oneOf(...ledgerTypes),
  direction: oneOf("credit", "debit"),
  amount: coins(),
  balance_after: coins(400),
  reference: view({ type: Joi.string().example("gift_transaction"), id: id() }),
  description: text(0, 200, "Rose × 3"),
  created_at: time(),
}).meta({ name: "LedgerEntry" });
