import { readFileSync } from "node:fs";
import { assert } from "#shared/kernel/assert.ts";
import type { Values } from "#shared/kernel/domain-error.ts";
import { escapeHtml } from "#shared/kernel/escape-html.ts";
import { directionOf, type Language } from "#shared/kernel/languages.ts";
import { textOf } from "#shared/kernel/translate.ts";

/** The placeholders of each kind of mail, besides `app_name`, in its two files. */
export interface MailValues {
  "verify-email": { username: string; code: string; minutes: string };
  "reset-password": { username: string; link: string; minutes: string };
  "password-changed": object;
  "deletion-requested": { date: string };
  "deletion-cancelled": object;
  "export-ready": { link: string; date: string };
  "payment-overdue": { due: string };
  "ticket-answered": { ticket_subject: string; message: string };
  notification: { title: string; body: string };
  "kept-out": { username: string; reason: string; link: string };
  "kept-out-until": { username: string; reason: string; link: string; date: string };
  "appeal-overturned": { username: string; answer: string };
  "appeal-upheld": { username: string; answer: string };
}
export type MailName = keyof MailValues;

/** The placeholders of text messages. */
export interface SmsValues {
  "verify-mobile": { username: string; code: string; minutes: string };
  "log-in": { code: string; minutes: string };
}
export type SmsName = keyof SmsValues;

/** A rendered mail. */
export interface MailContent {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const read = (file: string): string => readFileSync(new URL(`templates/${file}`, import.meta.url), "utf8").trimEnd();

export const mailNames: readonly MailName[] = [
  "verify-email",
  "reset-password",
  "password-changed",
  "deletion-requested",
  "deletion-cancelled",
  "export-ready",
  "payment-overdue",
  "ticket-answered",
  "notification",
  "kept-out",
  "kept-out-until",
  "appeal-overturned",
  "appeal-upheld",
];

const layout = read("layout.html");
const mails = Object.fromEntries(mailNames.map((name) => [name, readMail(name)])) as Record<MailName, MailContent>;
const texts: Record<SmsName, string> = {
  "verify-mobile": read("verify-mobile.txt"),
  "log-in": read("log-in.txt"),
};

/**
 * A mail is two files: the text, whose first line is `Subject: …`, and the HTML for the layout. Their words are in
 * `languages`.
 */
function readMail(name: MailName): MailContent {
  const [, subject, text] = /^Subject: ([^\n]+)\n\n(.+)$/s.exec(read(`${name}.txt`)) ?? [];
  assert(subject && text, `${name}.txt begins with its subject`);
  return { subject, text, html: read(`${name}.html`) };
}

/** Renders a mail with its values, escaped in HTML. */
export function renderMail<N extends MailName>(
  language: Language,
  name: N,
  values: MailValues[N] & { app_name: string },
): MailContent {
  const { subject, text, html } = mails[name];
  const plain = withAccount(values as unknown as Values, (account) => account);
  const escaped = withAccount(
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, escapeHtml(String(value))])),
    (account) => `<strong dir="ltr">${account}</strong>`,
  );
  const filledSubject = fill(language, name, subject, plain);
  const page = layout.replace('lang="en" dir="ltr"', `lang="${language}" dir="${directionOf(language)}"`);
  return {
    subject: filledSubject,
    text: `${fill(language, name, text, plain)}\n`,
    html: `${fill(language, name, page, { ...escaped, subject: escapeHtml(filledSubject), content: fill(language, name, html, escaped) })}\n`,
  };
}

/** Renders a text message with its values. */
export const renderSms = <N extends SmsName>(
  language: Language,
  name: N,
  values: SmsValues[N] & { app_name: string },
): string =>
  fill(
    language,
    name,
    texts[name],
    withAccount(values, (account) => account),
  );

/**
 * Adds what several texts show in their own way: the account's name, and the number of minutes, which chooses a plural.
 */
const withAccount = (values: Values, show: (account: string) => string): Values => ({
  ...values,
  account: show(`@${values.username}`),
  count: Number(values.minutes),
});

/** Replaces `{{text.key}}` by the words of this mail, and `{{name}}` by a value. */
const fill = (language: Language, mail: MailName | SmsName, template: string, values: Values): string =>
  template.replace(/\{\{(?:text\.)?(\w+)\}\}/g, (placeholder, name: string) => {
    if (placeholder.startsWith("{{text.")) return textOf(language, "mails", `${mail}.${name}`, values);
    const value = values[name];
    assert(value !== undefined, `the value ${name} of a template is given`);
    return String(value);
  });
