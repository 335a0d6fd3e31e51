import Joi from "joi";
import { ageBands } from "#shared/contracts/age-rights.ts";
import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import {
  extend,
  flag,
  type Infer,
  id,
  integer,
  listOf,
  nullable,
  object,
  oneOf,
  time,
} from "#shared/contracts/fields.ts";
import { me } from "./user-views.ts";

/** Views of logging in and of leaving for good. */

export const refreshToken = () => Joi.string().min(1).max(512).example("m7S0t3pV1uXkqYcZ8e2JrWb4nHdLgAfT5oPiQxK9yMs");

const tokenFields = {
  accessToken: Joi.string()
    .description("A JWT to send as `Authorization: Bearer <token>`. Expires after 15 minutes.")
    .example("eyJhbGciOiJIUzI1NiJ9.e30.c2ln"),
  refreshToken: refreshToken().description("Single use: each refresh returns the next one. Expires after 30 days."),
};

export const tokens = object(tokenFields).meta({ name: "Tokens" });
export type Tokens = Infer<typeof tokens>;

export const loggedIn = object({ user: me, ...tokenFields }).meta({ name: "LoggedIn" });
export type LoggedIn = Infer<typeof loggedIn>;

/** The answer of a way in that may register an account. */
export const signedIn = extend(loggedIn, {
  is_new: flag(false).description("Whether this call registered the account."),
  missing: listOf(oneOf("username", "date_of_birth")).description(
    "What the profile still needs; set it with `PATCH /users/me`. A username is missing while it is a made one.",
  ),
}).meta({ name: "SignedIn" });
export type SignedIn = Infer<typeof signedIn>;

export const identity = object({
  provider: Joi.string()
    .description("`password`, `phone`, `google`, `apple`, `facebook`, `guest`, or the name of an OpenID provider.")
    .example("google"),
  email: nullable(Joi.string().example("ada@example.com")).description("What the provider said of the email address."),
  email_verified: flag().description("Whether the provider has verified it."),
  linked_at: time(exampleTime(exampleIds.ada)),
  last_used_at: nullable(time(exampleTime(exampleIds.adaSession))),
}).meta({ name: "Identity" });
export type Identity = Infer<typeof identity>;

const years = (example: number) => nullable(integer(0, 150, example));

/** What a client sends of an age signal. */
export const ageSignalFields = {
  source: oneOf("apple", "google").description("The store that the signal is from."),
  range: object({
    lower: years(13).description("The lowest age in years; null if the store doesn't say."),
    upper: years(15).description("The highest age in years; null if there is none."),
  }),
  method: oneOf("self_declared", "guardian_declared", "checked", "unknown").description(
    "How the store knows: the user or their guardian has said so, or it has checked (a card, a document).",
  ),
  consent: oneOf("not_needed", "given", "withdrawn").description(
    "A guardian's consent to the use of the app. While it is withdrawn, the account is frozen.",
  ),
};

export const ageSignal = object({
  ...ageSignalFields,
  is_frozen: flag(false).description("Whether the account can only be left, deleted, or freed by another signal."),
  band: nullable(oneOf(...ageBands)).description("Null for adults, and while the account is frozen."),
}).meta({ name: "AgeSignal" });
export type AgeSignal = Infer<typeof ageSignal>;

export const pendingDeletion = object({
  status: oneOf("deletion_pending"),
  delete_at: time(exampleTime(exampleIds.ticket, 1_209_660)).description(
    "When the account will be erased, unless its owner logs in before.",
  ),
}).meta({ name: "PendingDeletion" });
export type PendingDeletion = Infer<typeof pendingDeletion>;

export const dataExport = object({
  id: id(exampleIds.ticket),
  state: oneOf("queued", "running", "ready", "failed").description("After `failed`, request another one."),
  progress: integer(0, 100, 40).description("Percent."),
  bytes: nullable(integer(0, Number.MAX_SAFE_INTEGER, 48_213)).description("The size of the zip, once it is ready."),
  requested_at: time(exampleTime(exampleIds.ticket)),
  ready_at: nullable(time(exampleTime(exampleIds.ticket, 12))),
  expires_at: time(exampleTime(exampleIds.ticket, 86_412)).description("When the export is deleted."),
  url: nullable(
    Joi.string().example("https://api.example.com/exports/01980a5e-7c2b-7c51-9f6e-0e3a5b9d2c41/q3Yp0w"),
  ).description("Where the zip is downloaded, without a login, at most 20 times. Null until it is ready."),
}).meta({ name: "DataExport" });
export type DataExport = Infer<typeof dataExport>;
