import Joi from "joi";
import { isSecureAddress } from "#shared/kernel/secure-address.ts";
import { about, address } from "./environment-fields.ts";

/** What the service reads about mail and text messages. */
export interface MailEnvironment {
  SMTP_URL?: string;
  MAIL_FROM?: string;
  RESET_PASSWORD_URL?: string;
  SMS_WEBHOOK_URL?: string;
  SMS_WEBHOOK_TOKEN?: string;
}

/** An address that codes and reset tokens may be sent to, without a fragment. */
const privateAddress = () =>
  Joi.string().custom((value: string, helpers) =>
    isSecureAddress(value) && !value.includes("#") ? value : helpers.error("any.invalid"),
  );

/** A link to the address that a process in production happens to listen on leads nowhere. */
const neededForLinks = {
  not: "production",
  otherwise: Joi.when("SMTP_URL", {
    not: Joi.exist(),
    otherwise: Joi.when("PUBLIC_URL", { is: Joi.exist(), otherwise: Joi.required() }),
  }),
};

const mailbox = /^(?:[^<>@,;:"\\\r\n]{1,60} <([^<>\s]+)>|([^<>\s]+))$/;
const addressPart = Joi.string().email({ tlds: false });

export const mailVariables: { readonly [K in keyof Required<MailEnvironment>]: Joi.Schema } = {
  SMTP_URL: about(address("smtp:", "smtps:"), {
    purpose:
      "Mail server. Without it mail is kept for GET /dev/outbox; in production it is dropped. Another machine must offer TLS, unless the address ends with ?requireTLS=false.",
    wanted: "smtps://user:password@host:port or smtp://…, together with MAIL_FROM",
    example: "smtps://hubbub:password@mail.example.com",
    secrecy: "address",
  }),
  MAIL_FROM: about(
    Joi.string().custom((value: string, helpers) => {
      const [, named, bare] = mailbox.exec(value) ?? [];
      return addressPart.required().validate(named ?? bare).error ? helpers.error("any.invalid") : value;
    }),
    {
      purpose: "Who mail comes from.",
      wanted: "an e-mail address, or Name <address>, together with SMTP_URL",
      example: "Hubbub <no-reply@example.com>",
    },
  ),
  RESET_PASSWORD_URL: about(privateAddress().when("NODE_ENV", neededForLinks), {
    purpose:
      "Page of the app that the link in a mail opens to choose a new password; it gets ?token=. When it is not set: the service's own page, below PUBLIC_URL. In production one of the two is needed with SMTP_URL.",
    wanted: "an https address; http only for this machine itself",
    example: "https://app.example.com/reset-password",
  }),
  SMS_WEBHOOK_URL: about(privateAddress(), {
    purpose:
      'Where text messages are posted as {"to","text"}. Without it they are kept for GET /dev/outbox; in production they are dropped.',
    wanted: "an https address; http only for this machine itself",
    example: "https://sms.example.com/send",
  }),
  SMS_WEBHOOK_TOKEN: about(Joi.string().pattern(/^[\x21-\x7e]+$/), {
    purpose: "Sent to SMS_WEBHOOK_URL as `Authorization: Bearer …`.",
    wanted: "visible ASCII characters",
    example: "xxxxxxxxxxxxxxxxxxxx",
    secrecy: "secret",
  }),
};
