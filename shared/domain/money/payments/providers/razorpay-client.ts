import type Joi from "joi";
import { assert } from "#shared/kernel/assert.ts";
import { logger } from "#shared/kernel/logger.ts";
import { isSecureAddress } from "#shared/kernel/secure-address.ts";
import { providerUnavailable } from "./provider.ts";

export interface RazorpayCredentials {
  readonly keyId: string;
  /** The first authenticates calls of the API; all are accepted in signatures. */
  readonly keySecrets: readonly string[];
  readonly webhookSecrets: readonly string[];
  /** Without `/v1`; https, or http to this machine. */
  readonly baseUrl: string;
}

/** Razorpay has rejected a request. */
export class RazorpayError extends Error {
  override name = "RazorpayError";
  readonly status: number;

  constructor(status: number, description: string) {
    super(`Razorpay answered ${status}: ${description}`);
    this.status = status;
  }
}

/**
 * A client of Razorpay's REST API. Validates each response by a schema. Never retries: callers know what may be
 * repeated.
 */
export class RazorpayClient {
  readonly #baseUrl: string;
  readonly #authorization: string;
  readonly #timeoutMs: number;

  constructor({ baseUrl, keyId, keySecrets }: RazorpayCredentials, timeoutMs: number) {
    assert(isSecureAddress(baseUrl), "Razorpay's secret is sent over https, or to this machine");
    this.#baseUrl = baseUrl.replace(/\/+$/, "");
    this.#authorization = `Basic ${Buffer.from(`${keyId}:${keySecrets[0]}`).toString("base64")}`;
    this.#timeoutMs = timeoutMs;
  }

  get<T>(path: string, schema: Joi.Schema<T>): Promise<T> {
    return this.#ask("GET", path, undefined, schema);
  }

  post<T>(path: string, body: object, schema: Joi.Schema<T>, headers: Record<string, string> = {}): Promise<T> {
    return this.#ask("POST", path, JSON.stringify(body), schema, headers);
  }

  /** @throws RazorpayError for a 4xx; ENGINE_UNAVAILABLE when it is unknown what Razorpay has done */
  async #ask<T>(
    method: string,
    path: string,
    body: string | undefined,
    schema: Joi.Schema<T>,
    headers: Record<string, string> = {},
  ): Promise<T> {
    let answer: unknown;
    try {
      const response = await fetch(`${this.#baseUrl}/v1${path}`, {
        method,
        headers: {
          authorization: this.#authorization,
          ...(body && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body && { body }),
        redirect: "error",
        signal: AbortSignal.timeout(this.#timeoutMs),
      });
      answer = await response.json();
      if (response.status >= 400) throw errorOf(response.status, answer);
    } catch (error) {
      if (error instanceof RazorpayError && error.status !== 429 && error.status < 500) throw error;
      logger.warn({ err: error, method, path: patternOf(path) }, "Razorpay is unreachable");
      throw providerUnavailable();
    }
    const { error, value } = schema.validate(answer, { convert: false, stripUnknown: true });
    if (!error) return value as T;
    logger.error({ method, path: patternOf(path), reason: error.message }, "Razorpay sent an invalid response");
    throw providerUnavailable();
  }
}

function errorOf(status: number, answer: unknown): RazorpayError {
  const { description = "no reason given" } = (answer as { error?: { description?: string } } | null)?.error ?? {};
  return new RazorpayError(status, String(description).slice(0, 300));
}

/** Returns a path without its ids, for the log. */
const patternOf = (path: string): string =>
  path.replace(/\?.*$/, "").replace(/\b(disp|order|pay|pout|rfnd)_\w+/g, ":id");
