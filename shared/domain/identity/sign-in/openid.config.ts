import type { CryptoKey } from "jose";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { ProviderKeys } from "./provider-keys.ts";

/** An OpenID provider whose ID tokens log in. */
export interface OpenIdProvider {
  /** Part of paths and of stored identities: 2 to 30 characters from a-z, 0-9, and -. */
  readonly name: string;
  /** The `iss` of its tokens; its discovery document is below it. */
  readonly issuer: string;
  /** Who its tokens may be for: the `aud` of the operator's apps. */
  readonly clientIds: readonly string[];
  /** With what codes are exchanged and tokens revoked. If absent, they aren't. */
  readonly secret?: ClientSecret;
  /** The only key of a provider in development, which publishes none. */
  readonly key?: CryptoKey;
}

/** What Apple gives a developer to sign requests with. */
export interface ClientSecret {
  readonly teamId: string;
  readonly keyId: string;
  /** PKCS #8 PEM of a P-256 key. */
  readonly privateKey: string;
}

export interface Configured extends OpenIdProvider {
  readonly keys: ProviderKeys;
}

let providers: ReadonlyMap<string, Configured> = new Map();

/** Sets the providers. Forgets their keys. */
export function configureOpenId(list: readonly OpenIdProvider[]): void {
  providers = new Map(
    list.map((provider) => [provider.name, { ...provider, keys: new ProviderKeys(provider.issuer) }]),
  );
}

/** Returns the names of the configured providers. */
export const openIdProviders = (): string[] => [...providers.keys()];

/** Returns a provider that is configured with a secret; undefined for others. */
export const providerWithSecret = (name: string): (Configured & { readonly secret: ClientSecret }) | undefined => {
  const provider = providers.get(name);
  return provider?.secret && { ...provider, secret: provider.secret };
};

/** Returns a configured provider. @throws NOT_FOUND */
export function openIdProvider(name: string): Configured {
  const provider = providers.get(name);
  if (!provider)
    throw new DomainError("NOT_FOUND", "This way to log in isn't configured: {{provider}}.", {
      values: { provider: name },
    });
  return provider;
}
