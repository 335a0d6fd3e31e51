import { readFileSync } from "node:fs";
import { assert } from "#shared/kernel/assert.ts";
import { escapeHtml } from "#shared/kernel/escape-html.ts";

/** The placeholders of each kind of mail, besides `app_name`, in its two files. */
export interface MailValues {
  "verify-email": { username: string; code: string; minutes: string };
  "reset-password": { username: string; link: string; minutes: string };
  "password-changed": object;
  "deletion-requested": { date: string };
  "deletion-cancelled": object;
  "ticket-answered": { ticket_subject: string; message: string };
  notification: { title: string; body: string };
}
export type MailName = keyof MailValues;

/** The placeholders of text messages. */
export interface SmsValues {
  "verify-mobile": { username: string; code: string; minutes: string };
}
export type SmsName = keyof SmsValues;

/** A rendered mail. */
export interface MailContent {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

type Values = Readonly<Record<string, string>>;

const read = (file: string): string => readFileSync(new URL(`templates/${file}`, import.meta.url), "utf8").trimEnd();

export const mailNames: readonly MailName[] = [
  "verify-email",
  "reset-password",
  "password-changed",
  "deletion-requested",
  "deletion-cancelled",
  "ticket-answered",
  "notification",
];

const layout = read("layout.html");
const mails = Object.fromEntries(mailNames.map((name) => [name, readMail(name)])) as Record<MailName, MailContent>;
const texts: Record<SmsName, string> = { "verify-mobile": read("verify-mobile.txt") };

/** A mail is two files: the text, whose first line is `Subject: …`, and the HTML for the layout. */
function readMail(name: MailName): MailContent {
  const [, subject, text] = /^Subject: ([^\n]+)\n\n(.+)$/s.exec(read(`${name}.txt`)) ?? [];
  assert(subject && text, `${name}.txt begins with its subject`);
  return { subject, text, html: read(`${name}.html`) };
}

/** Renders a mail with its values, escaped in HTML. */
export function renderMail<N extends MailName>(name: N, values: MailValues[N] & { app_name: string }): MailContent {
  const { subject, text, html } = mails[name];
  const plain: Values = values as unknown as Values;
  const filledSubject = fill(subject, plain);
  const escaped = Object.fromEntries(Object.entries(plain).map(([key, value]) => [key, escapeHtml(value)]));
  const content = fill(html, escaped);
  return {
    subject: filledSubject,
    text: `${fill(text, plain)}\n`,
    html: `${fill(layout, { ...escaped, subject: escapeHtml(filledSubject), content })}\n`,
  };
}

/** Renders a text message with its values. */
export function renderSms<N extends SmsName>(name: N, values: SmsValues[N] & { app_name: string }): string {
  return fill(texts[name], values);
}

function fill(template: string, values: Values): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_placeholder, name: string) => {
    const value = values[name];
    assert(value !== undefined, `the value ${name} of a template is given`);
    return value;
  });
}
