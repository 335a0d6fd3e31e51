import Joi from "joi";
import { flag, integer, line, listOf } from "#shared/contracts/fields.ts";

/** What an administrator may set while the service runs. */
export interface Settings {
  app_name: string;
  maintenance_mode: boolean;
  /** The oldest version of the app that clients should let people use, `major.minor.patch`. */
  min_client_version: string;
  /** Youngest age in full years, asked when a date of birth is given. */
  minimum_age: number;
  /** Coins given at registration; 0 gives none. */
  signup_bonus: number;
  /** Percent of a gift's price that its receiver gets, rounded down. */
  gift_receiver_percent: number;
  /** Conversations that one person may begin in 24 hours. */
  new_conversations_per_day: number;
  /** Keys of the categories that a room may be in. */
  room_categories: string[];
  /** Codes of the languages that a room may be in: ISO 639-1. */
  languages: string[];
}

interface KnownSetting<T> {
  readonly schema: Joi.Schema<T>;
  readonly fallback: T;
}

const key = (example: string) =>
  Joi.string()
    .pattern(/^[a-z0-9_]{2,30}$/, "key")
    .example(example);

/** Every setting there is: what it may be, and what it is until somebody sets it. */
export const knownSettings: { readonly [K in keyof Settings]: KnownSetting<Settings[K]> } = {
  app_name: { schema: line(1, 40, "Hubbub"), fallback: "Hubbub" },
  maintenance_mode: { schema: flag(false), fallback: false },
  min_client_version: {
    schema: Joi.string()
      .pattern(/^\d{1,5}\.\d{1,5}\.\d{1,5}$/, "version")
      .example("1.0.0"),
    fallback: "1.0.0",
  },
  minimum_age: { schema: integer(0, 99, 13), fallback: 13 },
  signup_bonus: { schema: integer(0, 1_000_000, 100), fallback: 100 },
  gift_receiver_percent: { schema: integer(0, 100, 50), fallback: 50 },
  new_conversations_per_day: { schema: integer(0, 100_000, 100), fallback: 100 },
  room_categories: {
    schema: listOf(key("music")).min(1).max(50).unique(),
    fallback: ["chat", "music", "games", "dating", "education", "sports", "news", "comedy", "spiritual", "other"],
  },
  languages: {
    schema: listOf(
      Joi.string()
        .pattern(/^[a-z]{2}$/, "language")
        .example("en"),
    )
      .min(1)
      .max(100)
      .unique(),
    fallback: ["en", "hi", "ar", "bn", "es", "fr", "gu", "id", "kn", "ml", "mr", "pa", "pt", "ta", "te", "tr", "ur"],
  },
};

export type SettingKey = keyof Settings;

export const settingKeys = Object.keys(knownSettings) as SettingKey[];

export const defaultSettings: Settings = Object.fromEntries(
  settingKeys.map((name) => [name, knownSettings[name].fallback]),
) as unknown as Settings;
