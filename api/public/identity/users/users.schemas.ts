import Joi from "joi";
import { exampleIds } from "#shared/contracts/examples.ts";
import {
  date,
  id,
  line,
  nullable,
  object,
  oneOf,
  optional,
  pageQuery,
  partial,
  rareId,
  text,
  url,
} from "#shared/contracts/fields.ts";
import { devicePlatforms, language, notificationSettings, privacySettings } from "#shared/contracts/views.ts";
import { countryCode } from "#shared/domain/identity/users/country-code.ts";
import { username } from "../auth/auth.schemas.ts";

export const userParams = object({ id: id(exampleIds.grace) });

export const listQuery = object(pageQuery);

export const searchQuery = object({
  ...pageQuery,
  q: optional(
    line(1, 60, "gra").description(
      "The beginning of a username or full name, or something similar to one. Leave it out for suggestions.",
    ),
  ),
});

const settingsChanges = object({
  privacy: optional(partial(privacySettings)),
  notifications: optional(partial(notificationSettings)),
}).description("Omitted settings keep their values.");

export const updateSettingsBody = settingsChanges.meta({ name: "UpdateSettingsBody" });

const foreignAddress = "Addresses outside of this service need the setting `foreign_addresses_allowed`.";

export const updateMeBody = object({
  username: optional(
    username().description("Instead of the username that was made for you, once. Otherwise it can't be changed."),
  ),
  date_of_birth: optional(
    date().description("If it isn't known yet. You must be at least as old as the setting `minimum_age` requires."),
  ),
  full_name: optional(line(1, 80)),
  bio: optional(text(0, 500, "Poet of numbers.")),
  country: optional(nullable(countryCode())),
  avatar_url: optional(nullable(url("https://cdn.example.com/avatars/ada.png").description(foreignAddress))),
  cover_url: optional(nullable(url("https://cdn.example.com/covers/ada.jpg").description(foreignAddress))),
  avatar_media_id: optional(
    nullable(
      rareId().description(
        "An upload of yours with the purpose `avatar`, instead of `avatar_url`, which then counts for nothing.",
      ),
    ),
  ),
  cover_media_id: optional(
    nullable(
      rareId().description(
        "An upload of yours with the purpose `cover`, instead of `cover_url`, which then counts for nothing.",
      ),
    ),
  ),
  language: optional(nullable(language())),
  settings: optional(settingsChanges),
})
  .description("Fields you leave out keep their values; null clears a value. Settings merge key by key.")
  .meta({ name: "UpdateMeBody" });

/** Visible ASCII: what apps and push services build such names from. */
const token = (max: number, example: string) =>
  Joi.string()
    .pattern(/^[\x21-\x7e]+$/, "visible ASCII characters without spaces")
    .max(max)
    .example(example);

export const registerDeviceBody = object({
  platform: oneOf(...devicePlatforms),
  device_uid: token(128, "8f14e45f-ceea-467f").description(
    "An ID that the app generates for its installation and keeps across updates.",
  ),
  push_token: token(1024, "fcm-token-of-this-installation").description("The token issued by the push service."),
}).meta({ name: "RegisterDeviceBody" });
