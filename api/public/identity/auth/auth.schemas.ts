import Joi from "joi";
import { exampleIds } from "#shared/contracts/examples.ts";
import { atLeast, date, exactlyOneOf, id, line, object, oneOf, optional } from "#shared/contracts/fields.ts";
import { loggedIn, me, refreshToken, secondFactorCode } from "#shared/contracts/views.ts";
import { canExist } from "#shared/kernel/phone-number.ts";
import { exampleOf, exampleWith } from "../../../docs/example-of.ts";

/** Becomes lower case after the pattern: Joi's `lowercase` comes before it, and makes a "k" of the sign for Kelvin. */
export const username = () =>
  Joi.string()
    .pattern(/^[A-Za-z0-9_.]{3,30}$/, "3 to 30 characters from a-z, 0-9, _, and .")
    .custom((value: string) => value.toLowerCase())
    .description("3 to 30 characters from a-z, 0-9, `_`, and `.`. Stored in lower case. Some names are reserved.")
    .example("ada");

const email = () =>
  Joi.string()
    .lowercase()
    .email({ tlds: false, allowUnicode: false })
    .max(254)
    .description("Stored in lower case.")
    .example("ada@example.com");

export const mobile = () =>
  Joi.string()
    .pattern(/^\+[1-9]\d{6,14}$/, "a number in E.164 format, such as +919876543210")
    .custom((number: string, helpers) =>
      canExist(number)
        ? number
        : helpers.error("string.pattern.name", {
            name: "a number that can exist: check its country code and its length",
          }),
    )
    .description("In E.164 format. Numbers that can't exist are rejected.")
    .example("+919876543210");

export const newPassword = () =>
  Joi.string()
    .min(8)
    .custom(atLeast(8))
    .max(128)
    .description("Common passwords are rejected, and so are your username and email address.")
    .example("correct horse battery");

export const device = () =>
  object({
    id: optional(
      line(1, 200, "a8098c1a-f86e-11da").description(
        "The app's ID of the device: the `device_uid` of `POST /users/me/device`. It limits its logins, and sanctions can cover it. Stored only as a keyed hash.",
      ),
    ),
    name: optional(line(1, 80, "Ada's phone")),
    platform: optional(oneOf("ios", "android", "web")),
  }).description("Shown in the list of the account's sessions, instead of the user agent.");

export const registerBody = object({
  full_name: line(1, 80),
  username: username(),
  email: email(),
  mobile: optional(mobile()),
  password: newPassword(),
  confirm_password: Joi.string().max(128).description("Must equal `password`.").example("correct horse battery"),
  date_of_birth: optional(
    date().description("If present, you must be at least as old as the setting `minimum_age` requires."),
  ),
  terms_accepted: Joi.boolean().strict().valid(true).example(true),
  device: optional(device()),
})
  .custom((body: { password: string; confirm_password: string }, helpers) =>
    body.confirm_password === body.password
      ? body
      : helpers.error("any.only", { valids: ["equal to password"] }, helpers.state.localize!(["confirm_password"])),
  )
  .meta({ name: "RegisterBody" });

export const loginBody = object({
  identifier: line(1, 254, "ada").lowercase().description("Your username or email address."),
  password: Joi.string().min(1).max(128).example("correct horse battery"),
  code: optional(secondFactorCode()),
  device: optional(device()),
}).meta({ name: "LoginBody" });

export const refreshTokenBody = object({ refreshToken: refreshToken() }).meta({ name: "RefreshTokenBody" });

export const code = () =>
  Joi.string()
    .pattern(/^\d{6}$/, "6 digits")
    .description("The 6 digits from the message. A code expires after 10 minutes; you have 5 attempts.")
    .example("314159");

export const verifyEmailBody = object({ email: email(), code: code() }).meta({ name: "VerifyEmailBody" });
export const verifyMobileBody = object({ mobile: mobile(), code: code() }).meta({ name: "VerifyMobileBody" });

export const resendVerificationBody = exactlyOneOf({ email: email(), mobile: mobile() })
  .description("Either `email` or `mobile`.")
  .example({ email: "ada@example.com" })
  .meta({ name: "ResendVerificationBody" });

export const forgotPasswordBody = object({ email: email() }).meta({ name: "ForgotPasswordBody" });

export const resetPasswordBody = object({
  token: Joi.string()
    .min(1)
    .max(128)
    .description("The `token` parameter of the link in the email. Single use, expires after 30 minutes.")
    .example("Xk7n0c3pV1uYkqWcZ8e2JrQb4nHdLgAfT5oPiSxK9yM"),
  password: newPassword(),
}).meta({ name: "ResetPasswordBody" });

export const sessionParams = object({ id: id(exampleIds.adaSession) });

const newAccount = {
  avatar_url: null,
  cover_url: null,
  bio: "",
  country: null,
  is_online: false,
  vip: null,
  frame: null,
  followers_count: 0,
  following_count: 0,
  posts_count: 0,
  current_room: null,
  email_verified: false,
  wallet: { balance: 100 },
} as const;

/** The example with an account as it is right after registration. */
export const registered = exampleWith(loggedIn, () => ({ user: { ...exampleOf(me), ...newAccount } }));

export const enrollFactorBody = object({
  password: Joi.string().min(1).max(128).description("Your current password.").example("correct horse battery"),
}).meta({ name: "EnrollSecondFactorBody" });
export const factorCodeBody = object({ code: secondFactorCode() }).meta({ name: "SecondFactorBody" });
