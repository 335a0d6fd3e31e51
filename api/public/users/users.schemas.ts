import Joi from "joi";
import {
  type Infer,
  id,
  line,
  nullable,
  object,
  oneOf,
  optional,
  pageQuery,
  partial,
  text,
  url,
} from "#shared/contracts/fields.ts";
import { notificationSettings, privacySettings } from "#shared/contracts/views.ts";
import { countries } from "#shared/domain/users/countries.ts";
import type { MeChanges } from "#shared/domain/users/update-me.ts";

export const userParams = object({ id: id() });
export type UserParams = Infer<typeof userParams>;

export const searchQuery = object({
  ...pageQuery,
  q: line(2, 60, "ada").description("The beginning of a username or name, or something like it."),
});

export const listQuery = object(pageQuery);

export type SettingsChanges = NonNullable<MeChanges["settings"]>;

export const settingsChanges = object({
  privacy: optional(partial(privacySettings)),
  notifications: optional(partial(notificationSettings)),
}).description("Only what is sent is changed: settings merge key by key.");

export const meChanges = object({
  full_name: optional(line(1, 80)),
  bio: optional(text(0, 500, "Poet of numbers.")),
  country: optional(
    nullable(
      Joi.string()
        .valid(...countries)
        .description("ISO 3166-1 alpha-2.")
        .example("IN"),
    ),
  ),
  avatar_url: optional(nullable(url())),
  cover_url: optional(nullable(url())),
  settings: optional(settingsChanges),
}).description("Only what is sent is changed; null takes a value away. Settings merge key by key.");

/** Visible characters: what apps and push services make such names of. */
const token = (max: number, example: string) =>
  Joi.string()
    .pattern(/^[\x21-\x7e]+$/, "visible ASCII characters")
    .max(max)
    .example(example);

export const deviceBody = object({
  platform: oneOf("android", "ios", "web"),
  device_uid: token(128, "8f14e45f-ceea-467f").description(
    "What the app calls its installation; the same after an update of the app.",
  ),
  push_token: token(1024, "fcm-token-of-this-installation").description("Of the push service."),
});
