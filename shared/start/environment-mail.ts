import Joi from "joi";
import { isSecureAddress } from "#shared/kernel/secure-address.ts";
import { about, address, passing } from "./environment-fields.ts";

/** Returns a schema for a secure URL without a fragment, because codes and reset tokens are sent to it. */
const privateAddress = () => passing((value) => isSecureAddress(value) && !value.includes("#"));

/** In production, links need a public URL: the address that the process listens on is useless in a mail. */
const neededForLinks = {
  not: "production",
  otherwise: Joi.when("SMTP_URL", {
    not: Joi.exist(),
    otherwise: Joi.when("PUBLIC_URL", { is: Joi.exist(), otherwise: Joi.required() }),
  }),
};

const mailbox = /^(?:[^<>@,;:"\\\r\n]{1,60} <([^<>\s]+)>|([^<>\s]+))$/;
const addressPart = Joi.string().email({ tlds: false });

/** Environment variables of mail and text messages. */
export const mailVariables = {
  SMTP_URL: about(address("smtp:", "smtps:"), {
    purpose:
      "Mail server. If not set, emails are kept for GET /dev/outbox, or discarded in production. A server on another machine must support TLS, unless the URL ends with ?requireTLS=false.",
    wanted: "smtps://user:password@host:port or smtp://…; requires MAIL_FROM",
    example: "smtps://hubbub:password@mail.example.com",
    secrecy: "address",
  }),
  MAIL_FROM: about(
    passing((value) => {
      const [, named, bare] = mailbox.exec(value) ?? [];
      return !addressPart.required().validate(named ?? bare).error;
    }),
    {
      purpose: "Sender of emails.",
      wanted: "an email address, or Name <address>; requires SMTP_URL",
      example: "Hubbub <no-reply@example.com>",
    },
  ),
  RESET_PASSWORD_URL: about(privateAddress().when("NODE_ENV", neededForLinks), {
    purpose:
      "The app's page for choosing a new password, which password reset emails link to with ?token=. Default: the service's own page, under PUBLIC_URL. In production, SMTP_URL requires one of the two.",
    wanted: "an https URL, or an http URL on this machine",
    example: "https://app.example.com/reset-password",
  }),
  SMS_WEBHOOK_URL: about(privateAddress(), {
    purpose:
      'URL to which text messages are posted as {"to","text"}. If not set, they are kept for GET /dev/outbox, or discarded in production.',
    wanted: "an https URL, or an http URL on this machine",
    example: "https://sms.example.com/send",
  }),
  SMS_WEBHOOK_TOKEN: about(Joi.string().pattern(/^[\x21-\x7e]+$/), {
    purpose: "Token sent to SMS_WEBHOOK_URL as `Authorization: Bearer …`.",
    wanted: "visible ASCII characters",
    example: "xxxxxxxxxxxxxxxxxxxx",
    secrecy: "secret",
  }),
};
