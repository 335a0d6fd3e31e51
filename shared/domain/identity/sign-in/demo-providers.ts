import { type CryptoKey, generateKeyPair, SignJWT } from "jose";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { OpenIdProvider } from "./openid.config.ts";

/** An address that can't exist, so that no other party ever issues tokens in its name. */
const issuer = "https://demo.invalid";
const clientId = "hubbub-demo";
const people = { google: "Mary Jackson", apple: "Katherine Johnson" } as const;

export type DemoProvider = keyof typeof people;
export const demoProviderNames = Object.keys(people) as DemoProvider[];

let signers: ReadonlyMap<string, CryptoKey> = new Map();

/**
 * Returns the configured providers, and stand-ins for those of the demo's buttons that aren't: they sign for anyone, by
 * keys of this process. For development only: never called in production.
 */
export async function withDemoProviders(configured: readonly OpenIdProvider[]): Promise<OpenIdProvider[]> {
  const missing = demoProviderNames.filter((name) => !configured.some((provider) => provider.name === name));
  const made = await Promise.all(missing.map(async (name) => ({ name, ...(await generateKeyPair("ES256")) })));
  signers = new Map(made.map(({ name, privateKey }) => [name, privateKey]));
  const standIns = made.map(({ name, publicKey }) => ({ name, issuer, clientIds: [clientId], key: publicKey }));
  return [...configured, ...standIns];
}

/** Returns the names of the stand-ins. */
export const demoProviders = (): string[] => [...signers.keys()];

/** Returns an ID token of a stand-in's only person. @throws NOT_FOUND when the provider has no stand-in */
export async function demoIdToken(name: DemoProvider, nonce: string): Promise<string> {
  const key = signers.get(name);
  if (!key) throw new DomainError("NOT_FOUND");
  return new SignJWT({ nonce, name: people[name] })
    .setProtectedHeader({ alg: "ES256" })
    .setIssuer(issuer)
    .setAudience(clientId)
    .setSubject("demo")
    .setIssuedAt()
    .setExpirationTime("5m")
    .sign(key);
}
