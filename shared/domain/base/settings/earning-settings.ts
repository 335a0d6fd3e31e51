import { flag, integer, line, oneOf } from "#shared/contracts/fields.ts";
import { setting } from "./define-setting.ts";

/** Which coins earn, and what becomes of earnings. */
export const earningSettings = {
  granted_coins_first: setting(
    flag(true),
    true,
    "Whether users spend the coins that they were granted (bonuses, adjustments, exchanged earnings) before those that they bought. Only bought coins earn.",
  ),
  granted_gifts_pay: setting(
    flag(true),
    true,
    "Whether gifts of granted coins pay users their shares in coins, which are granted again. Off: the house keeps them. They never pay earnings.",
  ),
  offer_bonus_granted: setting(
    flag(true),
    true,
    "Whether the bonus coins of offers are granted. Off: they count as bought, and earn.",
  ),
  refund_clawback: setting(
    oneOf("house", "shares"),
    "house",
    "Who bears it if a purchase is refunded whose coins were spent on gifts, or passed on by a coin seller: the house, to whom the buyer owes them (`house`), or also those who got shares of the gifts, in proportion, and who still holds the seller's coins (`shares`).",
  ),
  earnings_name: setting(line(1, 30, "Diamonds"), "Diamonds", "What the app calls earnings."),
  earnings_maturing_days: setting(
    integer(0, 365, 7),
    7,
    "For how many days earnings mature before they can be exchanged, so that refunds come first.",
  ),
  earnings_exchange_rate: setting(
    integer(0, 1_000_000, 10_000),
    10_000,
    "How many coins users get for 10,000 earnings, rounded down; 0 if earnings can't be exchanged.",
  ),
  earnings_exchange_min: setting(
    integer(1, 1_000_000_000, 1),
    1,
    "The least earnings that a user can exchange at once.",
  ),
  earnings_exchange_daily_max: setting(
    integer(0, 1_000_000_000, 0),
    0,
    "How many earnings a user can exchange in 24 hours; 0 for no limit.",
  ),
  contract_notice_days: setting(
    integer(0, 365, 30),
    30,
    "How many days after its host or agency gives notice a contract ends.",
  ),
  seller_coins_bought: setting(
    flag(true),
    false,
    "Whether the coins that users get from sellers count as bought, and earn.",
  ),
  payout_open_max: setting(
    integer(1, 100, 3),
    3,
    "How many payouts a user can have at the same time that aren't over.",
  ),
  payout_approval_above: setting(
    integer(0, 1_000_000_000_000, 1_000_000),
    1_000_000,
    "The earnings above which a second administrator must approve what a user is paid out in 24 hours.",
  ),
} as const;
