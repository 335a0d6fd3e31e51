import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from "jose";
import { clock, minutesMs, secondsMs } from "#shared/kernel/clock.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { logger } from "#shared/kernel/logger.ts";
import { isSecureAddress } from "#shared/kernel/secure-address.ts";
import { boundedFetch, deadlineMs } from "./bounded-fetch.ts";

/** How long keys and the address of the key set are used before they are read again. */
const keysMaxAgeMs = minutesMs(10);
const discoveryMaxAgeMs = minutesMs(60);
/**
 * How long an unknown key, or a failed request, causes no other request: forged tokens can't make us call a provider.
 */
const pauseMs = secondsMs(30);
const pauseAfterFailureMs = secondsMs(5);

/** What a provider says of itself. */
interface Discovered {
  readonly document: Readonly<Record<string, unknown>>;
  readonly keySet: JWTVerifyGetKey;
}

/**
 * The keys that an OpenID provider signs with: found by its discovery document, cached, and read again when a token
 * names another one. Concurrent callers share a request.
 */
export class ProviderKeys {
  readonly #issuer: string;
  #found: { readonly at: Promise<Discovered>; readonly endsMs: number } | undefined;
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
      return await (await this.#discovered()).keySet(header, token);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
      if (error instanceof DomainError) throw error;
      throw this.#unavailable(error);
    }
  };

  /** Returns the address of one of the provider's services. @throws Error when it names none */
  async endpoint(name: "token_endpoint" | "revocation_endpoint"): Promise<string> {
    const address = (await this.#discovered()).document[name];
    if (typeof address !== "string" || !isSecureAddress(address)) throw new Error(`${this.#issuer} has no ${name}`);
    return address;
  }

  #discovered(): Promise<Discovered> {
    if (this.#found && this.#found.endsMs > clock.now()) return this.#found.at;
    const found = { at: this.#discover(), endsMs: clock.now() + discoveryMaxAgeMs };
    this.#found = found;
    found.at.catch(() => {
      if (this.#found === found) this.#found = undefined;
    });
    return found.at;
  }

  async #discover(): Promise<Discovered> {
    const address = `${this.#issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
    const document = (await (await this.#fetch(address)).json()) as Record<string, unknown>;
    const { issuer, jwks_uri } = document;
    if (issuer !== this.#issuer) throw new Error("its discovery document names another issuer");
    if (typeof jwks_uri !== "string" || !isSecureAddress(jwks_uri)) throw new Error("its keys have no secure address");
    const keySet = createRemoteJWKSet(new URL(jwks_uri), {
      timeoutDuration: deadlineMs,
      cooldownDuration: pauseMs,
      cacheMaxAge: keysMaxAgeMs,
      [customFetch]: (url, options) => this.#fetch(url, options.signal),
    });
    return { document, keySet };
  }

  #fetch(url: string, signal?: AbortSignal): Promise<Response> {
    if (this.#failedUntilMs > clock.now()) throw new DomainError("ENGINE_UNAVAILABLE", unreachable);
    return boundedFetch(url, signal ? { signal } : {});
  }

  #unavailable(cause: unknown): DomainError {
    this.#failedUntilMs = clock.now() + pauseAfterFailureMs;
    logger.warn({ issuer: this.#issuer, err: cause }, "an OpenID provider can't be read");
    return new DomainError("ENGINE_UNAVAILABLE", unreachable);
  }
}

const unreachable = "The provider of this login can't be reached. Try again later.";
