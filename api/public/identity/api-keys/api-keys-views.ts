import type { ApiKey, NewApiKey } from "#shared/contracts/views.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { formTokenOf } from "#shared/domain/identity/sessions/page-token.ts";
import type { Language } from "#shared/kernel/languages.ts";
import { type Html, html } from "../../../web/html.ts";
import { barePage, formStyle } from "../../../web/layout.ts";
import type { Words } from "../../../web/words.ts";

export const pagePath = "/account/api-keys";

const page = (words: Words, main: Html): string => {
  const { t } = words;
  const title = t("API keys");
  return barePage(
    words,
    `${title} · ${setting("app_name")}`,
    formStyle,
    html`<main class="form"><h1>${title}</h1>\n${main}</main>`,
  );
};

const formToken = (cookie: string): Html =>
  html`<input type="hidden" name="form_token" value="${formTokenOf(cookie)}">`;

const problemOf = (problem: string | undefined): Html[] =>
  problem ? [html`<p class="problem" role="alert">${problem}</p>`] : [];

/** Returns the page for a browser without a login. */
export function loginPage(words: Words, cookie: string, problem?: string): string {
  const { t } = words;
  return page(
    words,
    html`<p class="lead">${t("Log in to manage the keys of your programs.")}</p>
<form method="post" action="${pagePath}/login">
${formToken(cookie)}
${problemOf(problem)}
<label>${t("Username or email address")}<input name="identifier" autocomplete="username" autocapitalize="none" required></label>
<label>${t("Password")}<input type="password" name="password" autocomplete="current-password" required></label>
<label>${t("Code of your second factor, if you have one")}<input name="code" autocomplete="one-time-code"></label>
<button>${t("Log in")}</button>
</form>`,
  );
}

interface Shown {
  readonly problem?: string | undefined;
  /** A key that was just made. */
  readonly made?: NewApiKey;
}

/** Returns the page with a user's keys, and a form for a new one. */
export function keysPage(words: Words, cookie: string, keys: readonly ApiKey[], { problem, made }: Shown): string {
  const { t } = words;
  const items = keys.map((key) => keyItem(words, cookie, key));
  return page(
    words,
    html`<p class="lead">${t("With a key pair, a program gets tokens for the catalogue API.")}
<a href="/docs/catalogue">${t("Read its documentation.")}</a></p>
${problemOf(problem)}
${made ? [secretOf(words, made)] : []}
<section aria-labelledby="keys"><h2 id="keys">${t("Your keys")}</h2>
${items.length > 0 ? html`<ul class="keys">${items}</ul>` : html`<p>${t("You have no keys.")}</p>`}
</section>
<section aria-labelledby="new"><h2 id="new">${t("New key")}</h2>
<form method="post" action="${pagePath}">
${formToken(cookie)}
<label>${t("Name")}<input name="name" maxlength="60" placeholder="${t("Shop server")}" autocomplete="off" required></label>
<label>${t("IP addresses and networks that it works from, if not from any")}
<textarea name="allowed_addresses" rows="2" maxlength="1300" placeholder="203.0.113.0/24" dir="ltr"></textarea></label>
<button>${t("Create key")}</button>
</form></section>
<form method="post" action="${pagePath}/logout" class="logout">${formToken(cookie)}<button class="plain">${t("Log out")}</button></form>`,
  );
}

const secretOf = (
  { t }: Words,
  { name, public_key, secret_key }: NewApiKey,
): Html => html`<section class="made" role="status">
<h2>${t("{{name}} was created", { name })}</h2>
<p>${t("Copy the secret key now. It isn't shown again.")}</p>
<dl><div><dt>${t("Public key")}</dt><dd><code>${public_key}</code></dd></div>
<div><dt>${t("Secret key")}</dt><dd><code>${secret_key}</code></dd></div></dl>
</section>`;

/** `31 January 2026, 12:00 UTC` */
const timeOf = (language: Language, time: string): Html => {
  const format = new Intl.DateTimeFormat(language === "en" ? "en-GB" : language, {
    ...{ day: "numeric", month: "long", year: "numeric", hour: "2-digit", minute: "2-digit" },
    ...{ timeZone: "UTC", timeZoneName: "short" },
  });
  return html`<time datetime="${time}">${format.format(new Date(time)).replace(" at ", ", ")}</time>`;
};

function keyItem({ t, language }: Words, cookie: string, key: ApiKey): Html {
  const { name, allowed_addresses: addresses, last_used_at: usedAt } = key;
  return html`<li>
<h3>${name}</h3>
<dl><div><dt>${t("Public key")}</dt><dd><code>${key.public_key}</code></dd></div>
<div><dt>${t("Created")}</dt><dd>${timeOf(language, key.created_at)}</dd></div>
<div><dt>${t("Last used")}</dt><dd>${usedAt ? html`${timeOf(language, usedAt)} · <bdi>${key.last_used_ip ?? ""}</bdi>` : t("Never")}</dd></div>
<div><dt>${t("Works from")}</dt><dd>${addresses.length > 0 ? html`<bdi>${addresses.join(", ")}</bdi>` : t("Any address")}</dd></div></dl>
<form method="post" action="${pagePath}/revoke">${formToken(cookie)}<input type="hidden" name="id" value="${key.id}">
<button class="plain" aria-label="${t("Revoke {{name}}", { name })}">${t("Revoke")}</button></form>
</li>`;
}
