import Joi from "joi";
import { object } from "#shared/contracts/fields.ts";
import { isSecureAddress } from "#shared/kernel/secure-address.ts";
import { about, commaList, passing } from "./environment-fields.ts";

/** An OpenID provider, as the operator configures it. */
export interface ProviderSetting {
  readonly name: string;
  readonly issuer: string;
  readonly client_ids: readonly string[];
}

const clientId = /^[\x21-\x7e]{1,255}$/;

const providerList = Joi.array<ProviderSetting[]>()
  .items(
    object({
      name: Joi.string()
        .pattern(/^[a-z][a-z0-9-]{1,29}$/)
        .invalid("password", "phone", "guest"),
      issuer: Joi.string()
        .max(255)
        .uri({ scheme: ["https", "http"] }),
      client_ids: Joi.array().items(Joi.string().pattern(clientId)).min(1).max(20),
    }),
  )
  .unique("name")
  .max(20);

/** Parses the list of OpenID providers. Returns undefined if it is invalid. */
export function providersOf(text: string): readonly ProviderSetting[] | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { value, error } = providerList.required().validate(parsed);
  return error ? undefined : value;
}

const ids = (app: string, example: string) =>
  about(
    commaList((id) => clientId.test(id)),
    {
      purpose: `Client IDs of your apps at ${app}: the audiences of its ID tokens. If not set, logging in with ${app} is disabled.`,
      wanted: "comma-separated client IDs",
      example,
    },
  );

/** Issuers that answer for themselves: https, or http on this machine, which only development may use. */
const areReachable = (production: boolean) => (text: string) =>
  providersOf(text)?.every(({ issuer }) => isSecureAddress(issuer) && (!production || issuer.startsWith("https:"))) ??
  false;

/** Environment variables of the ways to log in. */
export const signInVariables = {
  GOOGLE_CLIENT_IDS: ids("Google", "1234-web.apps.googleusercontent.com,1234-ios.apps.googleusercontent.com"),
  APPLE_CLIENT_IDS: ids("Apple", "com.example.app,com.example.web"),
  FACEBOOK_CLIENT_IDS: ids("Facebook", "1234567890"),
  OPENID_PROVIDERS: about(
    passing(areReachable(false)).when("NODE_ENV", { not: "production", otherwise: passing(areReachable(true)) }),
    {
      purpose:
        "OpenID providers that people can log in with, by `POST /auth/oidc/:name`. One that is named google, apple, or facebook replaces that provider. Issuers use https; in development also http on this machine.",
      wanted: 'a JSON list of { "name", "issuer", "client_ids" }',
      example: '[{"name":"line","issuer":"https://access.line.me","client_ids":["1234567890"]}]',
    },
  ),
};

/** The issuers of the providers that have a variable of their own. */
const issuers = {
  google: "https://accounts.google.com",
  apple: "https://appleid.apple.com",
  facebook: "https://www.facebook.com",
} as const;

/** Returns all configured providers. */
export function openIdProvidersOf(read: {
  readonly GOOGLE_CLIENT_IDS?: readonly string[];
  readonly APPLE_CLIENT_IDS?: readonly string[];
  readonly FACEBOOK_CLIENT_IDS?: readonly string[];
  readonly OPENID_PROVIDERS?: string;
}): { name: string; issuer: string; clientIds: readonly string[] }[] {
  const own = read.OPENID_PROVIDERS ? (providersOf(read.OPENID_PROVIDERS) ?? []) : [];
  const listed = own.map(({ name, issuer, client_ids }) => ({ name, issuer, clientIds: client_ids }));
  const named = Object.entries(issuers).flatMap(([name, issuer]) => {
    const clientIds = read[`${name.toUpperCase() as Uppercase<keyof typeof issuers>}_CLIENT_IDS`];
    return clientIds && !listed.some((provider) => provider.name === name) ? [{ name, issuer, clientIds }] : [];
  });
  return [...named, ...listed];
}
