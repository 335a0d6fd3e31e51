import Joi from "joi";
import { flag, integer, line, listOf, oneOf, text } from "#shared/contracts/fields.ts";
import { extended } from "#shared/kernel/extended.ts";
import { bandSetting, protectionSetting } from "./age-settings.ts";
import { catalogueSettings } from "./catalogue-settings.ts";
import { setting } from "./define-setting.ts";
import { earningSettings } from "./earning-settings.ts";
import { retentionSettings } from "./retention-settings.ts";

const key = (example: string) =>
  Joi.string()
    .pattern(/^[a-z0-9_]{2,30}$/, "2 to 30 characters from a-z, 0-9, and _")
    .example(example);

const countryCode = () =>
  Joi.string()
    .pattern(/^[A-Z]{2}$/, "a country code of two capital letters")
    .example("IN");

/** Where people speak the languages that the service speaks. */
const defaultTextCountries = (
  "AE AR AU BH BO BR CA CL CO CR DO DZ EC EG ES GB GT HN ID IE IN IQ JO KW LB LY MA MX NI NZ OM PA PE PT PY QA SA SG SV " +
  "TN US UY VE ZA"
).split(" ");

/** All settings. Administrators change them while the service runs. */
export const knownSettings = extended("settings", {
  app_name: setting(line(1, 40, "Hubbub"), "Hubbub", "The app's name, shown by clients."),
  maintenance_mode: setting(flag(false), false, "While on, requests of users fail with MAINTENANCE."),
  maintenance_message: setting(
    text(0, 300, "We'll be back at 18:00 UTC."),
    "",
    "What users are told during maintenance; empty for the usual message.",
  ),
  min_client_version: setting(
    Joi.string()
      .pattern(/^\d{1,5}\.\d{1,5}\.\d{1,5}$/, "a version such as 1.0.0")
      .example("1.0.0"),
    "1.0.0",
    "The minimum supported version of the app: `major.minor.patch`.",
  ),
  minimum_age: setting(
    integer(0, 99, 13),
    13,
    "The minimum age in years, checked if a user gives their date of birth.",
  ),
  minimum_ages: setting(
    listOf(
      Joi.string()
        .pattern(/^[A-Z]{2}:\d{1,2}$/, "a country code, a colon, and an age")
        .example("ES:14"),
    )
      .max(250)
      .unique((one: string, other: string) => one.slice(0, 2) === other.slice(0, 2)),
    [],
    "Other minimum ages, by country: entries such as `ES:14`. The country is that of the profile or of the mobile number.",
  ),
  under_13_may: bandSetting("younger than 13"),
  from_13_to_15_may: bandSetting("from 13 to 15"),
  from_16_to_17_may: bandSetting("of 16 and 17"),
  under_13_protections: protectionSetting("younger than 13", ["stranger_messages", "gifts", "search"]),
  from_13_to_15_protections: protectionSetting("from 13 to 15", ["stranger_messages", "search"]),
  from_16_to_17_protections: protectionSetting("of 16 and 17", []),
  network_sanction_days_max: setting(
    integer(1, 365, 7),
    7,
    "For how many days a sanction can cover networks. Many people can have one address.",
  ),
  terms_version: setting(
    text(0, 40, "2026-11"),
    "",
    "The version of the terms and the privacy policy that users must have accepted. Whenever it changes, they are asked again. Empty: they aren't asked.",
  ),
  signup_bonus: setting(integer(0, 1_000_000, 100), 100, "How many coins a new account gets; 0 for none."),
  signup_bonus_requires_verification: setting(
    flag(true),
    true,
    "Whether the signup bonus is credited when an email address or mobile number is verified, instead of at registration. On by default; off in development.",
  ),
  signup_bonuses_per_network_per_day: setting(
    integer(0, 1_000_000, 50),
    50,
    "How many signup bonuses one network (IPv4 /24, IPv6 /56) can receive per day; 0 for no limit, which is the default in development.",
  ),
  reactions: setting(
    listOf(line(1, 16, "❤️"))
      .min(1)
      .max(20)
      .unique(),
    ["❤️", "👍", "👎", "😂", "😮", "😢", "😡", "🙏", "👏", "🔥", "🎉", "🌹"],
    "The reactions that people can give to messages, in the order in which clients offer them.",
  ),
  upload_megabytes_per_day: setting(
    integer(0, 100_000, 200),
    200,
    "How many megabytes of pictures, sounds, and files a user can upload in 24 hours.",
  ),
  foreign_addresses_allowed: setting(
    flag(true),
    true,
    "Whether pictures of users, rooms, and posts may have addresses outside of this service. Off: only what was uploaded is shown.",
  ),
  emails_per_day: setting(
    integer(0, 100_000_000, 50_000),
    50_000,
    "How many codes, reset links, and notifications can be emailed in 24 hours; 0 for no limit.",
  ),
  texts_per_day: setting(
    integer(0, 100_000_000, 5_000),
    5_000,
    "How many text messages can be sent in 24 hours; 0 for no limit. Each message costs money.",
  ),
  texts_per_country_per_day: setting(
    integer(0, 100_000_000, 2_000),
    2_000,
    "How many text messages with login codes can be sent to one country per day; 0 for no limit.",
  ),
  text_countries: setting(
    listOf(countryCode()).max(250).unique(),
    defaultTextCountries,
    "The countries that text messages with login codes are sent to: ISO 3166-1 alpha-2 codes. Text messages to other countries are the usual way to make an operator pay for nothing.",
  ),
  guests_enabled: setting(
    flag(false),
    false,
    "Whether people can use the app as guests, without an account of their own.",
  ),
  guests_may: setting(
    listOf(oneOf("chat")).max(1).unique(),
    [],
    "What guests may do besides listening: `chat` in rooms.",
  ),
  gift_receiver_percent: setting(
    integer(0, 100, 50),
    50,
    "The recipient's share of a gift's price, in percent, rounded down to whole coins.",
  ),
  ...earningSettings,
  lowest_coin_prices: setting(
    listOf(
      Joi.string()
        .pattern(/^[A-Z]{3}:\d{1,9}(\.\d{1,4})?$/, "a currency code, a colon, and a price")
        .example("INR:12.5"),
    )
      .max(200)
      .unique((one: string, other: string) => one.slice(0, 3) === other.slice(0, 3)),
    [],
    "What a coin costs at least in an offer, in the smallest unit of a currency: entries such as `INR:12.5`. Offers that would sell coins for less are refused, and left out of orders. Currencies that aren't listed have no limit.",
  ),
  seller_name: setting(line(0, 120, "Hubbub Ltd"), "", "Who sells, on receipts; empty for the app's name."),
  seller_address: setting(text(0, 300, "1 Main Street, Pune"), "", "The seller's address on receipts."),
  seller_tax_id: setting(line(0, 40, "27AAAAA0000A1Z5"), "", "The seller's tax number on receipts."),
  tax_rates: setting(
    listOf(
      Joi.string()
        .pattern(/^[A-Z]{2}:\d{1,4}$/, "a country code, a colon, and a rate in hundredths of a percent")
        .example("IN:1800"),
    )
      .max(250)
      .unique((one: string, other: string) => one.slice(0, 2) === other.slice(0, 2)),
    [],
    "The tax that prices include, by the buyer's country, in hundredths of a percent: entries such as `IN:1800`. Countries that aren't listed have none. Receipts keep the rate of their time.",
  ),
  new_account_days: setting(
    integer(0, 3650, 7),
    0,
    "For how many days an account is new, so that `new_account_daily_purchases` holds; 0 for none.",
  ),
  new_account_daily_purchases: setting(
    listOf(
      Joi.string()
        .pattern(/^[A-Z]{3}:\d{1,12}$/, "a currency code, a colon, and an amount")
        .example("INR:500000"),
    )
      .max(200)
      .unique((one: string, other: string) => one.slice(0, 3) === other.slice(0, 3)),
    [],
    "What a new account can spend in 24 hours, in the smallest unit of each currency: entries such as `INR:500000`. Currencies that aren't listed have no limit.",
  ),
  purchase_refunds_max: setting(
    integer(0, 1000, 3),
    0,
    "After how many refunds and chargebacks within `purchase_refund_days` a user can't buy; 0 for no limit.",
  ),
  purchase_refund_days: setting(integer(1, 3650, 30), 30, "For how many days a refund counts."),
  subscription_grace_days: setting(
    integer(0, 30, 3),
    3,
    "For how many days a subscription at Stripe keeps VIP after its period, while Stripe asks for the money again; 0 for none. At the stores, the store says it.",
  ),
  gift_hold_hours: setting(
    integer(0, 8760, 24),
    0,
    "For how many hours bought coins can't be sent as gifts; 0 for none.",
  ),
  new_conversations_per_day: setting(
    integer(0, 100_000, 100),
    100,
    "How many conversations a user can open in 24 hours.",
  ),
  shadow_spam: setting(
    flag(false),
    false,
    "Whether rules about repetitions and floods may shadow messages: the author sees them as sent, and no other user does until a review has released them. Off: such rules hold.",
  ),
  judge_failure: setting(
    oneOf("hold", "allow"),
    "hold",
    "What becomes of texts and pictures that wait for a judge that can't say: `hold` keeps texts for a review and refuses pictures, `allow` shows them.",
  ),
  ...retentionSettings,
  voice_evidence: setting(
    flag(false),
    false,
    "Whether what is said on seats is kept for five minutes, encrypted, so that a report can seal it for administrators. Apps must tell their users. It requires LiveKit's egress service; see the guide to voice.",
  ),
  group_members_per_day: setting(
    integer(0, 100_000, 500),
    500,
    "How many users a user can add to groups in 24 hours. Those who join by an invitation don't count.",
  ),
  admin_mfa_required: setting(
    flag(false),
    false,
    "While on, administrators who haven't set up a second factor can only do that.",
  ),
  adjustment_approval_above: setting(
    integer(0, 1_000_000_000, 1_000_000),
    1_000_000,
    "The number of coins that an administrator can give and take back within 24 hours, over all users. A second administrator must approve further adjustments of balances.",
  ),
  ...catalogueSettings,
  room_capacity: setting(
    integer(1, 100_000, 2_000),
    2_000,
    "How many members a room can have, besides its host and moderators.",
  ),
  merged_gift_coins: setting(
    integer(0, 1_000_000, 100),
    100,
    "In a room of more than 300 members, gifts of the same kind to the same user that cost up to so many coins each are shown together, at most four times a second; 0 for none.",
  ),
  room_categories: setting(
    listOf(key("music")).min(1).max(50).unique(),
    ["chat", "music", "games", "dating", "education", "sports", "news", "comedy", "spiritual", "other"],
    "The available categories of rooms.",
  ),
  languages: setting(
    listOf(
      Joi.string()
        .pattern(/^[a-z]{2}$/, "a two-letter language code")
        .example("en"),
    )
      .min(1)
      .max(100)
      .unique(),
    ["en", "hi", "ar", "bn", "es", "fr", "gu", "id", "kn", "ml", "mr", "pa", "pt", "ta", "te", "tr", "ur"],
    "The available languages of rooms: ISO 639-1 codes.",
  ),
} as const);

export type SettingKey = keyof typeof knownSettings;
export type Settings = { [Key in SettingKey]: (typeof knownSettings)[Key]["fallback"] };

export const settingKeys = Object.keys(knownSettings) as SettingKey[];

/** Defaults outside production, so that the first minutes need no mailbox. */
export const developmentSettings: Partial<Settings> = {
  signup_bonus_requires_verification: false,
  signup_bonuses_per_network_per_day: 0,
  catalogue_auto_approval: true,
  catalogue_auto_credit: 100,
  guests_enabled: true,
};

export const defaultSettings = Object.fromEntries(
  settingKeys.map((name) => [name, knownSettings[name].fallback]),
) as unknown as Settings;
