import type { ApiKey, NewApiKey } from "#shared/contracts/views.ts";
import { formTokenOf } from "#shared/domain/sessions/page-token.ts";
import { setting } from "#shared/domain/settings/settings.ts";
import { type Html, html } from "../../web/html.ts";
import { barePage } from "../../web/layout.ts";

export const pagePath = "/account/api-keys";

const page = (title: string, main: Html): string =>
  barePage(`${title} · ${setting("app_name")}`, `${pagePath}/assets/account.css`, main);

const formToken = (cookie: string): Html =>
  html`<input type="hidden" name="form_token" value="${formTokenOf(cookie)}">`;

const problemOf = (problem: string | undefined): Html[] =>
  problem ? [html`<p class="problem" role="alert">${problem}</p>`] : [];

/** Returns the page for a browser without a login. */
export const loginPage = (cookie: string, problem?: string): string =>
  page(
    "API keys",
    html`<main class="account">
<h1>API keys</h1>
<p class="lead">Log in to manage the keys of your programs.</p>
<form method="post" action="${pagePath}/login">
${formToken(cookie)}
${problemOf(problem)}
<label>Username or email address<input name="identifier" autocomplete="username" autocapitalize="none" required></label>
<label>Password<input type="password" name="password" autocomplete="current-password" required></label>
<button>Log in</button>
</form>
</main>`,
  );

interface Shown {
  readonly problem?: string | undefined;
  /** A key that was just made. */
  readonly made?: NewApiKey;
}

/** Returns the page with a user's keys, and a form for a new one. */
export const keysPage = (cookie: string, keys: readonly ApiKey[], { problem, made }: Shown): string =>
  page(
    "API keys",
    html`<main class="account">
<h1>API keys</h1>
<p class="lead">With a key pair, a program gets tokens for the <a href="/docs/catalogue">catalogue API</a>.</p>
${problemOf(problem)}
${made ? [secretOf(made)] : []}
<section aria-labelledby="keys"><h2 id="keys">Your keys</h2>
${keys.length > 0 ? html`<ul class="keys">${keys.map((key) => keyItem(cookie, key))}</ul>` : html`<p>You have no keys.</p>`}
</section>
<section aria-labelledby="new"><h2 id="new">New key</h2>
<form method="post" action="${pagePath}">
${formToken(cookie)}
<label>Name<input name="name" maxlength="60" placeholder="Shop server" autocomplete="off" required></label>
<label>IP addresses and networks that it works from, if not from any
<textarea name="allowed_addresses" rows="2" maxlength="1300" placeholder="203.0.113.0/24"></textarea></label>
<button>Create key</button>
</form></section>
<form method="post" action="${pagePath}/logout" class="logout">${formToken(cookie)}<button class="plain">Log out</button></form>
</main>`,
  );

const secretOf = ({ name, public_key, secret_key }: NewApiKey): Html => html`<section class="made" role="status">
<h2>${name} was created</h2>
<p>Copy the secret key now. It isn't shown again.</p>
<dl><div><dt>Public key</dt><dd><code>${public_key}</code></dd></div>
<div><dt>Secret key</dt><dd><code>${secret_key}</code></dd></div></dl>
</section>`;

/** `31 January 2026, 12:00 UTC` */
const timeFormat = new Intl.DateTimeFormat("en-GB", {
  ...{ day: "numeric", month: "long", year: "numeric", hour: "2-digit", minute: "2-digit" },
  ...{ timeZone: "UTC", timeZoneName: "short" },
});
const timeOf = (time: string): Html =>
  html`<time datetime="${time}">${timeFormat.format(new Date(time)).replace(" at ", ", ")}</time>`;

const keyItem = (cookie: string, key: ApiKey): Html => html`<li>
<h3>${key.name}</h3>
<dl><div><dt>Public key</dt><dd><code>${key.public_key}</code></dd></div>
<div><dt>Created</dt><dd>${timeOf(key.created_at)}</dd></div>
<div><dt>Last used</dt><dd>${key.last_used_at ? html`${timeOf(key.last_used_at)} from ${key.last_used_ip ?? ""}` : "Never"}</dd></div>
<div><dt>Works from</dt><dd>${key.allowed_addresses.join(", ") || "Any address"}</dd></div></dl>
<form method="post" action="${pagePath}/revoke">${formToken(cookie)}<input type="hidden" name="id" value="${key.id}">
<button class="plain" aria-label="Revoke ${key.name}">Revoke</button></form>
</li>`;
