import Joi from "joi";
import { id, input, line, nullable, text, url } from "#shared/contracts/fields.ts";
import { userSettings } from "#shared/contracts/views.ts";
import { countries } from "#shared/domain/users/countries.ts";
import type { MeChanges } from "#shared/domain/users/update-me.ts";

export interface UserParams {
  id: string;
}
export const userParams = input<UserParams>({ id: id().required() });

/** The same members as the view has, none of them required: only those sent are changed. */
const someOf = (group: "privacy" | "notifications") =>
  (userSettings.extract(group) as Joi.ObjectSchema).options({ presence: "optional" });

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
  settings: input({ privacy: someOf("privacy"), notifications: someOf("notifications") }),
}).description("Only what is sent is changed; null takes a value away. Settings merge key by key.");
