import type Joi from "joi";
import Stripe from "stripe";
import { assert } from "#shared/kernel/assert.ts";
import { logger } from "#shared/kernel/logger.ts";
import { isSecureAddress } from "#shared/kernel/secure-address.ts";
import { providerUnavailable } from "./provider.ts";

export interface StripeCredentials {
  readonly secretKey: string;
  /** All are accepted in signatures. */
  readonly webhookSecrets: readonly string[];
  /** Without `/v1`; https, or http to this machine. */
  readonly baseUrl: string;
  /** Where Stripe sends the user after the payment; it gets `session_id` in its query. Default: our public address. */
  readonly successUrl?: string;
  /** Where Stripe sends a user who doesn't pay. */
  readonly cancelUrl?: string;
}

/** Returns Stripe's own client. It repeats no request: callers know what may be repeated. */
export function makeStripeClient(credentials: StripeCredentials, timeout: number): Stripe {
  assert(isSecureAddress(credentials.baseUrl), "Stripe's key is sent over https, or to this machine");
  const { protocol, hostname, port } = new URL(credentials.baseUrl);
  return new Stripe(credentials.secretKey, {
    host: hostname,
    port: port || (protocol === "https:" ? 443 : 80),
    protocol: protocol === "https:" ? "https" : "http",
    timeout,
    maxNetworkRetries: 0,
    telemetry: false,
    // The timeout of this one is for the whole response.
    httpClient: Stripe.createFetchHttpClient((url, init) => fetch(url, { ...init, redirect: "error" })),
  });
}

/** Stripe has rejected the request itself, so that asking again changes nothing. */
export const isRejected = (error: unknown): error is Stripe.errors.StripeError =>
  error instanceof Stripe.errors.StripeInvalidRequestError ||
  error instanceof Stripe.errors.StripeIdempotencyError ||
  error instanceof Stripe.errors.StripeCardError;

/**
 * Returns what Stripe answers, checked by a schema: only the fields that it names.
 * @throws StripeError for a request that Stripe rejects; ENGINE_UNAVAILABLE when it is unknown what Stripe has done
 */
export async function asked<T>(request: Promise<unknown>, schema: Joi.Schema<T>): Promise<T> {
  const answer = await request.catch((error: unknown) => {
    if (isRejected(error)) throw error;
    logger.warn({ err: withoutBody(error) }, "Stripe is unreachable, or refuses all requests");
    throw providerUnavailable();
  });
  const { error, value } = schema.validate(answer, { convert: false, stripUnknown: true });
  if (!error) return value as T;
  logger.error({ reason: error.message }, "Stripe sent an invalid response");
  throw providerUnavailable();
}

/** As `asked`; undefined for what Stripe doesn't know. */
export const found = <T>(request: Promise<unknown>, schema: Joi.Schema<T>): Promise<T | undefined> =>
  asked(request, schema).catch((error: unknown) => {
    if (isRejected(error) && error.statusCode === 404) return undefined;
    throw error;
  });

/** Runs `work`, whose requests Stripe should not reject: that is the fault of our account or our code. */
export async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isRejected(error)) throw error;
    logger.error({ err: withoutBody(error) }, "Stripe rejected a request");
    throw providerUnavailable();
  }
}

/** What Stripe says of an error may show the payer; the log gets its kind. */
const withoutBody = (error: unknown): unknown =>
  error instanceof Stripe.errors.StripeError
    ? { type: error.type, status: error.statusCode, code: error.code, requestId: error.requestId }
    : error;
