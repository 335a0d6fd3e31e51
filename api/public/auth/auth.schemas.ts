import Joi from "joi";
import { atLeast, date, id, input, line, view } from "#shared/contracts/fields.ts";
import { me } from "#shared/contracts/views.ts";
import type { LoggedIn, Registration } from "#shared/domain/accounts/register.ts";
import type { Tokens } from "#shared/domain/sessions/open-session.ts";

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

export interface RegisterBody extends Registration {
  confirm_password: string;
  terms_accepted: true;
}

export const registerBody = input<RegisterBody>({
  full_name: line(1, 80).required(),
  username: username().required(),
  email: email().required(),
  mobile: mobile(),
  password: newPassword().required(),
  confirm_password: Joi.string().max(128).required().example("correct horse battery"),
  date_of_birth: date().description("When given, it must make you as old as the setting `minimum_age` asks."),
  terms_accepted: Joi.boolean().strict().valid(true).required().example(true),
})
  .custom((body: RegisterBody, helpers) =>
    body.confirm_password === body.password
      ? body
      : helpers.error("any.only", { valids: ["the password"] }, helpers.state.localize!(["confirm_password"])),
  )
  .description("`confirm_password` repeats `password`.");

export interface LoginBody {
  identifier: string;
  password: string;
}

export const loginBody = input<LoginBody>({
  identifier: line(1, 254, "ada").lowercase().required().description("Username or e-mail."),
  password: Joi.string().min(1).max(128).required().example("correct horse battery"),
});

export interface RefreshTokenBody {
  refreshToken: string;
}

const refreshToken = () => Joi.string().min(1).max(512).example("m7S0t3pV1uXkqYcZ8e2JrWb4nHdLgAfT5oPiQxK9yMs");

export const refreshTokenBody = input<RefreshTokenBody>({ refreshToken: refreshToken().required() });

const code = () =>
  Joi.string()
    .pattern(/^\d{6}$/, "code")
    .description("The 6 digits that were sent: good for 10 minutes and 5 tries.")
    .example("314159");

export interface VerifyEmailBody {
  email: string;
  code: string;
}

export const verifyEmailBody = input<VerifyEmailBody>({ email: email().required(), code: code().required() });

export interface VerifyMobileBody {
  mobile: string;
  code: string;
}

export const verifyMobileBody = input<VerifyMobileBody>({ mobile: mobile().required(), code: code().required() });

export type ResendBody = { email: string } | { mobile: string };

export const resendBody = input<{ email: string; mobile: string }>({ email: email(), mobile: mobile() })
  .xor("email", "mobile")
  .description("One of the two.")
  .example({ email: "ada@example.com" });

export interface ForgotPasswordBody {
  email: string;
}

export const forgotPasswordBody = input<ForgotPasswordBody>({ email: email().required() });

export interface ResetPasswordBody {
  token: string;
  password: string;
}

export const resetPasswordBody = input<ResetPasswordBody>({
  token: Joi.string()
    .min(1)
    .max(128)
    .required()
    .description("The `token` of the link in the mail: good for 30 minutes and one use.")
    .example("Xk7n0c3pV1uYkqWcZ8e2JrQb4nHdLgAfT5oPiSxK9yM"),
  password: newPassword().required(),
});

export interface SessionParams {
  id: string;
}

export const sessionParams = input<SessionParams>({ id: id().required() });

const tokenMembers = {
  accessToken: Joi.string().description("A JWT, good for 15 minutes.").example("eyJhbGciOiJIUzI1NiJ9.e30.c2ln"),
  refreshToken: refreshToken().description("Good for 30 days and for one refresh, which gives the next."),
};

export const tokens = view<Tokens>(tokenMembers).meta({ name: "Tokens" });
export const loggedIn = view<LoggedIn>({ user: me, ...tokenMembers }).meta({ name: "LoggedIn" });
