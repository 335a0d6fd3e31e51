import Joi from "joi";
import { id, input, line, nullable, oneOf, pageQuery, text, url } from "#shared/contracts/fields.ts";
import { userSettings } from "#shared/contracts/views.ts";
import type { DeviceInput } from "#shared/domain/devices/register-device.ts";
import { countries } from "#shared/domain/users/countries.ts";
import type { UserSearch } from "#shared/domain/users/search-users.ts";
import type { MeChanges } from "#shared/domain/users/update-me.ts";
import type { PageQuery } from "#shared/kernel/page.ts";

export interface UserParams {
  id: string;
}
export const userParams = input<UserParams>({ id: id().required() });

export const searchQuery = input<UserSearch>({
  ...pageQuery,
  q: line(2, 60, "ada").required().description("The beginning of a username or name, or something like it."),
});

export const listQuery = input<PageQuery>(pageQuery);

/** The same members as the view has, none of them required: only those sent are changed. */
const someOf = (group: "privacy" | "notifications") =>
  (userSettings.extract(group) as Joi.ObjectSchema).options({ presence: "optional" });

export type SettingsChanges = NonNullable<MeChanges["settings"]>;

export const settingsChanges = input<SettingsChanges>({
  privacy: someOf("privacy"),
  notifications: someOf("notifications"),
}).description("Only what is sent is changed: settings merge key by key.");

export const meChanges = input<MeChanges>({
  full_name: line(1, 80),
  bio: text(0, 500, "Poet of numbers."),
  country: nullable(
    Joi.string()
      .valid(...countries)
      .description("ISO 3166-1 alpha-2.")
      .example("IN"),
  ),
  avatar_url: nullable(url()),
  cover_url: nullable(url()),
  settings: settingsChanges,
}).description("Only what is sent is changed; null takes a value away. Settings merge key by key.");

/** Visible characters: what apps and push services make such names of. */
const token = (max: number, example: string) =>
  Joi.string()
    .pattern(/^[\x21-\x7e]+$/, "visible ASCII characters")
    .max(max)
    .example(example);

export const deviceBody = input<DeviceInput>({
  platform: oneOf("android", "ios", "web").required(),
  device_uid: token(128, "8f14e45f-ceea-467f")
    .required()
    .description("What the app calls its installation; the same after an update of the app."),
  push_token: token(1024, "fcm-token-of-this-installation").required().description("Of the push service."),
});
