import { createPrivateKey } from "node:crypto";
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

/** Reads a P-256 key, as PEM or base64 of it. Returns it as PEM, or undefined if it is invalid. */
export function privateKeyOf(text: string): string | undefined {
  const plain = text.replaceAll("\\n", "\n");
  const pem = plain.includes("-----BEGIN") ? plain : Buffer.from(text, "base64").toString();
  try {
    return createPrivateKey(pem).asymmetricKeyDetails?.namedCurve === "prime256v1" ? pem : undefined;
  } catch {
    return undefined;
  }
}

/** Environment variables of the ways to log in. */
export const signInVariables = {
  GOOGLE_CLIENT_IDS: ids("Google", "1234-web.apps.googleusercontent.com,1234-ios.apps.googleusercontent.com"),
  APPLE_CLIENT_IDS: ids("Apple", "com.example.app,com.example.web"),
  APPLE_TEAM_ID: about(Joi.string().pattern(/^[A-Z0-9]{10}$/), {
    purpose:
      "Your team at Apple. With it, APPLE_KEY_ID, and APPLE_PRIVATE_KEY, the service revokes its access at Apple when an account is deleted.",
    wanted: "10 capital letters and digits",
    example: "AB12CD34EF",
  }),
  APPLE_KEY_ID: about(Joi.string().pattern(/^[A-Z0-9]{10}$/), {
    purpose: "ID of the key for Sign in with Apple.",
    wanted: "10 capital letters and digits",
    example: "CD34EF56GH",
  }),
  APPLE_PRIVATE_KEY: about(
    passing((text) => privateKeyOf(text) !== undefined),
    {
      purpose: "That key.",
      wanted: "contents of the .p8 file, as plain text or in base64",
      example: "output of: base64 -w0 AuthKey_CD34EF56GH.p8",
      secrecy: "secret",
    },
  ),
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

export interface ConfiguredProvider {
  readonly name: string;
  readonly issuer: string;
  readonly clientIds: readonly string[];
  /** What signs requests to Apple. */
  readonly secret?: { readonly teamId: string; readonly keyId: string; readonly privateKey: string };
}

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
  readonly APPLE_TEAM_ID?: string;
  readonly APPLE_KEY_ID?: string;
  readonly APPLE_PRIVATE_KEY?: string;
}): ConfiguredProvider[] {
  const own = read.OPENID_PROVIDERS ? (providersOf(read.OPENID_PROVIDERS) ?? []) : [];
  const listed = own.map(({ name, issuer, client_ids }) => ({ name, issuer, clientIds: client_ids }));
  const named = Object.entries(issuers).flatMap(([name, issuer]) => {
    const clientIds = read[`${name.toUpperCase() as Uppercase<keyof typeof issuers>}_CLIENT_IDS`];
    return clientIds && !listed.some((provider) => provider.name === name) ? [{ name, issuer, clientIds }] : [];
  });
  const { APPLE_TEAM_ID: teamId, APPLE_KEY_ID: keyId, APPLE_PRIVATE_KEY: key } = read;
  const secret = teamId && keyId && key && { teamId, keyId, privateKey: privateKeyOf(key)! };
  return [...named, ...listed].map((one) => (one.name === "apple" && secret ? { ...one, secret } : one));
}
