import Joi from "joi";
import { date, extend, line, nullable, object, optional } from "#shared/contracts/fields.ts";
import { ageSignalFields, language, signedIn } from "#shared/contracts/views.ts";
import { code, device, mobile, newPassword, username } from "./auth.schemas.ts";

const profile = () =>
  object({
    full_name: optional(line(1, 80)),
    username: optional(username()),
    date_of_birth: optional(date()),
    language: optional(language()),
  }).description(
    "Used if the call registers an account. Without a username, one is made, which its owner may change once.",
  );

const more = () => ({ device: optional(device()), profile: optional(profile()) });

const ascii = () => Joi.string().pattern(/^[\x21-\x7e]+$/, "visible ASCII characters without spaces");

const idToken = {
  id_token: ascii()
    .min(16)
    .max(8192)
    .description("The ID token that the provider's library returned.")
    .example("eyJhbGciOiJSUzI1NiJ9.e30.c2ln"),
  nonce: ascii()
    .min(8)
    .max(200)
    .description(
      "The random value that the app made for this login. The token's `nonce` must be this, or its SHA-256 in hexadecimal. Single use.",
    )
    .example("n-0S6_WzA2Mj8fK1"),
};

const authorizationCode = () =>
  optional(
    ascii()
      .min(8)
      .max(2048)
      .description(
        "The code that Apple returned beside the token. It lets the service revoke its access when the account is deleted, as Apple demands.",
      )
      .example("c5f1e0d2b3a49.0.rrty.Xk7n0c3pV1uYkqWc"),
  );

export const tokenSignInBody = object({ ...idToken, authorization_code: authorizationCode(), ...more() }).meta({
  name: "TokenSignInBody",
});

export const appleNoticeBody = object({
  payload: ascii().min(16).max(16_384).description("A JWS.").example("eyJhbGciOiJSUzI1NiJ9.e30.c2ln"),
}).meta({ name: "AppleNoticeBody" });

export const ageSignalBody = object(ageSignalFields)
  .custom((signal: { range: { lower: number | null; upper: number | null } }, helpers) => {
    const { lower, upper } = signal.range;
    return lower !== null && upper !== null && lower > upper ? helpers.error("any.invalid") : signal;
  })
  .meta({ name: "AgeSignalBody" });

export const providerParams = object({
  provider: Joi.string()
    .pattern(/^[a-z][a-z0-9-]{1,29}$/, "2 to 30 characters from a-z, 0-9, and -")
    .example("line"),
});

export const phoneCodeBody = object({ mobile: mobile(), device: optional(device()) }).meta({ name: "PhoneCodeBody" });
export const phoneSignInBody = object({ mobile: mobile(), code: code(), ...more() }).meta({ name: "PhoneSignInBody" });

const guestSecret = () => ascii().min(16).max(128).example("Xk7n0c3pV1uYkqWcZ8e2JrQb4nHdLgAfT5oPiSxK9yM");

export const guestSignInBody = object({
  guest_secret: optional(guestSecret().description("Logs that guest in again. Without it, a new guest is registered.")),
  ...more(),
}).meta({ name: "GuestSignInBody" });

export const guestSignedIn = extend(signedIn, {
  guest_secret: nullable(guestSecret()).description(
    "Of a new guest: the only way to log in as them again. It is shown once. Otherwise null.",
  ),
}).meta({ name: "GuestSignedIn" });

export const linkIdentityBody = object({
  id_token: optional(idToken.id_token),
  nonce: optional(idToken.nonce),
  authorization_code: authorizationCode(),
  mobile: optional(mobile()),
  code: optional(code()),
  password: optional(newPassword()),
})
  .and("id_token", "nonce")
  .and("mobile", "code")
  .xor("id_token", "mobile", "password")
  .description("`id_token` and `nonce`, `mobile` and `code`, or `password`.")
  .example({ id_token: "eyJhbGciOiJSUzI1NiJ9.e30.c2ln", nonce: "n-0S6_WzA2Mj8fK1" })
  .meta({ name: "LinkIdentityBody" });
