import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from "jose";
import { clock, minutesMs, secondsMs } from "#shared/kernel/clock.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { logger } from "#shared/kernel/logger.ts";
import { isSecureAddress } from "#shared/kernel/secure-address.ts";

/** How long one request to a provider may take. */
const deadlineMs = secondsMs(3);
/** The largest document that is read. Google's key set has 1.5 KB. */
const documentBytesMax = 128 * 1024;
/** How long keys and the address of the key set are used before they are read again. */
const keysMaxAgeMs = minutesMs(10);
const discoveryMaxAgeMs = minutesMs(60);
/**
 * How long an unknown key, or a failed request, causes no other request: forged tokens can't make us call a provider.
 */
const pauseMs = secondsMs(30);
const pauseAfterFailureMs = secondsMs(5);

/**
 * The keys that an OpenID provider signs with: found by its discovery document, cached, and read again when a token
 * names another one. Concurrent callers share a request.
 */
export class ProviderKeys {
  readonly #issuer: string;
  #found: { readonly keySet: Promise<JWTVerifyGetKey>; readonly endsMs: number } | undefined;
  #failedUntilMs = 0;

  constructor(issuer: string) {
    this.#issuer = issuer;
  }

  /**
   * Returns the key that a token names.
   * @throws ENGINE_UNAVAILABLE when the provider can't be read, JWKSNoMatchingKey when it has no such key
   */
  readonly keyOf: JWTVerifyGetKey = async (header, token) => {
    try {
      return await (await this.#keySet())(header, token);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
      if (error instanceof DomainError) throw error;
      throw this.#unavailable(error);
    }
  };

  #keySet(): Promise<JWTVerifyGetKey> {
    if (this.#found && this.#found.endsMs > clock.now()) return this.#found.keySet;
    const found = { keySet: this.#discover(), endsMs: clock.now() + discoveryMaxAgeMs };
    this.#found = found;
    found.keySet.catch(() => {
      if (this.#found === found) this.#found = undefined;
    });
    return found.keySet;
  }

  async #discover(): Promise<JWTVerifyGetKey> {
    const address = `${this.#issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
    const { issuer, jwks_uri } = (await (await this.#fetch(address)).json()) as Record<string, unknown>;
    if (issuer !== this.#issuer) throw new Error("its discovery document names another issuer");
    if (typeof jwks_uri !== "string" || !isSecureAddress(jwks_uri)) throw new Error("its keys have no secure address");
    return createRemoteJWKSet(new URL(jwks_uri), {
      timeoutDuration: deadlineMs,
      cooldownDuration: pauseMs,
      cacheMaxAge: keysMaxAgeMs,
      [customFetch]: (url, options) => this.#fetch(url, options.signal),
    });
  }

  #fetch(url: string, signal?: AbortSignal): Promise<Response> {
    if (this.#failedUntilMs > clock.now()) throw new DomainError("ENGINE_UNAVAILABLE", unreachable);
    return boundedFetch(url, signal);
  }

  #unavailable(cause: unknown): DomainError {
    this.#failedUntilMs = clock.now() + pauseAfterFailureMs;
    logger.warn({ issuer: this.#issuer, err: cause }, "an OpenID provider can't be read");
    return new DomainError("ENGINE_UNAVAILABLE", unreachable);
  }
}

const unreachable = "The provider of this login can't be reached. Try again later.";

/** Fetches a document, which may neither redirect, nor be huge or slow. */
async function boundedFetch(url: string, signal = AbortSignal.timeout(deadlineMs)): Promise<Response> {
  const response = await fetch(url, { redirect: "error", signal, headers: { accept: "application/json" } });
  if (!response.ok || !response.body) throw new Error(`${url} responded ${response.status}`);
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body) {
    bytes += part.length;
    if (bytes > documentBytesMax) throw new Error(`${url} sent more than ${documentBytesMax} bytes`);
    parts.push(part);
  }
  return new Response(Buffer.concat(parts), { headers: { "content-type": "application/json" } });
}
