import { setting } from "#shared/domain/base/settings/settings.ts";
import { chosenLanguage } from "#shared/domain/identity/users/user-language.ts";
import type { Language } from "#shared/kernel/languages.ts";
import { logger } from "#shared/kernel/logger.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import type { MailCarrier, SmsCarrier } from "./carriers.ts";
import { type KeptMessage, keepMessage } from "./outbox.ts";
import { webhookCarrier } from "./sms-webhook.ts";
import { smtpCarrier } from "./smtp.ts";
import { type MailName, type MailValues, renderMail, renderSms, type SmsName, type SmsValues } from "./templates.ts";

/** The carriers of messages. Without one, messages of its kind are kept or dropped. */
export interface MailConfig {
  readonly smtp?: { readonly url: string; readonly from: string };
  readonly smsWebhook?: { readonly url: string; readonly token?: string };
  /** Keeps messages without a carrier for `GET /dev/outbox`, with their codes and links; otherwise they are dropped. */
  readonly keepsUnsent: boolean;
}

/** The user whom a message is about, and where it goes. */
interface Recipient {
  /** Null for an address without an account. */
  readonly userId: string | null;
  /** An email address, or a number in E.164. */
  readonly address: string;
  /** Of an address without an account. Default: English. */
  readonly language?: Language;
}

let mail: MailCarrier | undefined;
let sms: SmsCarrier | undefined;
let keepsUnsent = false;

/** Sets the carriers; closes the previous ones. */
export function configureMail(config: MailConfig): void {
  closeMail();
  mail = config.smtp && smtpCarrier(config.smtp);
  sms = config.smsWebhook && webhookCarrier(config.smsWebhook);
  keepsUnsent = config.keepsUnsent;
}

/** Closes the connections to the mail server. */
export function closeMail(): void {
  mail?.close();
  mail = undefined;
}

/** Returns a check of each carrier; undefined for one that isn't configured. */
export function checkCarriers(): Record<"mail" | "sms", (() => Promise<void>) | undefined> {
  const [ofMail, ofSms] = [mail, sms];
  return { mail: ofMail && (() => ofMail.check()), sms: ofSms && (() => ofSms.check()) };
}

/**
 * Sends a mail now. Called by jobs only, which retry.
 * @throws Error when the mail server does not accept it
 */
export async function sendMail<N extends MailName>(to: Recipient, name: N, values: MailValues[N]): Promise<void> {
  const content = renderMail(await languageOf(to), name, { ...values, app_name: setting("app_name") });
  const carrier = mail;
  await deliver(carrier && (() => carrier.send({ to: to.address, ...content })), to, {
    channel: "mail",
    recipient: to.address,
    ...content,
  });
}

/**
 * Sends a text message now. Called by jobs only, which retry. Returns the carrier's name for its price, if it tells
 * one.
 * @throws Error when the provider does not accept it
 */
export async function sendSms<N extends SmsName>(
  to: Recipient,
  name: N,
  values: SmsValues[N],
): Promise<string | undefined> {
  const text = renderSms(await languageOf(to), name, { ...values, app_name: setting("app_name") });
  const carrier = sms;
  return deliver(carrier && (() => carrier.send({ to: to.address, text })), to, {
    channel: "sms",
    recipient: to.address,
    subject: null,
    text,
    html: null,
  });
}

/** Returns the language that the recipient has chosen, else that of their request. */
const languageOf = async ({ userId, language = "en" }: Recipient): Promise<Language> =>
  (userId && (await chosenLanguage(userId))) || language;

async function deliver<Said>(
  send: (() => Promise<Said>) | undefined,
  to: Recipient,
  message: Omit<KeptMessage, "id" | "created_at">,
): Promise<Said | undefined> {
  const { channel } = message;
  if (send) {
    const said = await send();
    metrics.messages.inc({ channel, outcome: "sent" });
    return said;
  }
  if (keepsUnsent) {
    await keepMessage(to.userId, message);
    metrics.messages.inc({ channel, outcome: "kept" });
  } else {
    metrics.messages.inc({ channel, outcome: "dropped" });
    logger.warn({ channel }, "message dropped: no carrier is configured");
  }
  return undefined;
}
