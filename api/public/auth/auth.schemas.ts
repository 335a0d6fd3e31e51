import Joi from "joi";
import { atLeast, date, type Infer, id, line, object, optional } from "#shared/contracts/fields.ts";
import { me } from "#shared/contracts/views.ts";

const username = () =>
  Joi.string()
    .lowercase()
    .pattern(/^[a-z0-9_.]{3,30}$/, "username")
    .description("3 to 30 of a-z, 0-9, `_` and `.`; capitals are lowered. Some names are reserved.")
    .example("ada");

const email = () =>
  Joi.string()
    .lowercase()
    .email({ tlds: false, allowUnicode: false })
    .max(254)
    .description("Kept in lower case.")
    .example("ada@example.com");

const mobile = () =>
  Joi.string()
    .pattern(/^\+[1-9]\d{6,14}$/, "E.164")
    .description("E.164.")
    .example("+919876543210");

const newPassword = () =>
  Joi.string()
    .min(8)
    .custom(atLeast(8))
    .max(128)
    .description("Common passwords are refused; so are your username and e-mail address.")
    .example("correct horse battery");

const registration = object({
  full_name: line(1, 80),
  username: username(),
  email: email(),
  mobile: optional(mobile()),
  password: newPassword(),
  confirm_password: Joi.string().max(128).example("correct horse battery"),
  date_of_birth: optional(date().description("When given, it must make you as old as the setting `minimum_age` asks.")),
  terms_accepted: Joi.boolean().strict().valid(true).example(true),
});
export type RegisterBody = Infer<typeof registration>;

export const registerBody = registration
  .custom((body: RegisterBody, helpers) =>
    body.confirm_password === body.password
      ? body
      : helpers.error("any.only", { valids: ["the password"] }, helpers.state.localize!(["confirm_password"])),
  )
  .description("`confirm_password` repeats `password`.");

export const loginBody = object({
  identifier: line(1, 254, "ada").lowercase().description("Username or e-mail."),
  password: Joi.string().min(1).max(128).example("correct horse battery"),
});
export type LoginBody = Infer<typeof loginBody>;

const refreshToken = () => Joi.string().min(1).max(512).example("m7S0t3pV1uXkqYcZ8e2JrWb4nHdLgAfT5oPiQxK9yMs");

export const refreshTokenBody = object({ refreshToken: refreshToken() });
export type RefreshTokenBody = Infer<typeof refreshTokenBody>;

const code = () =>
  Joi.string()
    .pattern(/^\d{6}$/, "code")
    .description("The 6 digits that were sent: good for 10 minutes and 5 tries.")
    .example("314159");

export const verifyEmailBody = object({ email: email(), code: code() });
export type VerifyEmailBody = Infer<typeof verifyEmailBody>;

export const verifyMobileBody = object({ mobile: mobile(), code: code() });
export type VerifyMobileBody = Infer<typeof verifyMobileBody>;

export type ResendBody = { email: string } | { mobile: string };

export const resendBody: Joi.ObjectSchema = object({ email: optional(email()), mobile: optional(mobile()) })
  .xor("email", "mobile")
  .description("One of the two.")
  .example({ email: "ada@example.com" });

export const forgotPasswordBody = object({ email: email() });
export type ForgotPasswordBody = Infer<typeof forgotPasswordBody>;

export const resetPasswordBody = object({
  token: Joi.string()
    .min(1)
    .max(128)
    .description("The `token` of the link in the mail: good for 30 minutes and one use.")
    .example("Xk7n0c3pV1uYkqWcZ8e2JrQb4nHdLgAfT5oPiSxK9yM"),
  password: newPassword(),
});
export type ResetPasswordBody = Infer<typeof resetPasswordBody>;

export const sessionParams = object({ id: id() });
export type SessionParams = Infer<typeof sessionParams>;

const tokenMembers = {
  accessToken: Joi.string().description("A JWT, good for 15 minutes.").example("eyJhbGciOiJIUzI1NiJ9.e30.c2ln"),
  refreshToken: refreshToken().description("Good for 30 days and for one refresh, which gives the next."),
};

export const tokens = object(tokenMembers).meta({ name: "Tokens" });
export const loggedIn = object({ user: me, ...tokenMembers }).meta({ name: "LoggedIn" });
