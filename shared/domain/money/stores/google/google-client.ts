import Joi from "joi";
import { type GoogleAccount, GoogleToken } from "#shared/domain/identity/push/google-token.ts";
import { providerUnavailable } from "#shared/domain/money/payments/providers/provider.ts";
import { assert } from "#shared/kernel/assert.ts";
import { logger } from "#shared/kernel/logger.ts";
import { isSecureAddress } from "#shared/kernel/secure-address.ts";
import {
  type GoogleOrder,
  googleOrder,
  type ProductPurchase,
  productPurchase,
  type SubscriptionPurchase,
  subscriptionPurchase,
  type VoidedPurchases,
  voidedPurchases,
} from "./google-shapes.ts";

/** An app at Google Play, and the service account that may see its purchases. */
export interface GooglePlayApp {
  readonly packageName: string;
  readonly account: Omit<GoogleAccount, "scope">;
  /** Without `/androidpublisher`; https, or http to this machine. */
  readonly baseUrl: string;
}

const scope = "https://www.googleapis.com/auth/androidpublisher";
/** Tokens have about 150 characters; no other character is in them. */
const plainToken = /^[A-Za-z0-9_.-]{1,1000}$/;
/** What Google responds about a token that it doesn't know, of another app, or too old. */
const unknownStatuses: readonly number[] = [400, 404, 410];
const nothing = Joi.any();

/**
 * A client of Google Play's Developer API, v3. Validates each response by a schema. Never retries: callers know what
 * may be repeated. Each method throws ENGINE_UNAVAILABLE when it is unknown what Google has done, or when Google
 * doesn't let the service account do it.
 */
export class GooglePlayClient {
  readonly #url: string;
  readonly #token: GoogleToken;
  readonly #timeoutMs: number;

  constructor({ packageName, account, baseUrl }: GooglePlayApp, timeoutMs: number) {
    assert(isSecureAddress(baseUrl), "Google's access token is sent over https, or to this machine");
    const root = baseUrl.replace(/\/+$/, "");
    this.#url = `${root}/androidpublisher/v3/applications/${encodeURIComponent(packageName)}`;
    this.#token = new GoogleToken({ ...account, scope }, timeoutMs);
    this.#timeoutMs = timeoutMs;
  }

  /** Returns a purchase of a one-time product. Undefined for a token that is none of this app. */
  product(token: string): Promise<ProductPurchase | undefined> {
    return this.#ofToken(token, (at) => this.#ask("GET", `/purchases/productsv2/tokens/${at}`, productPurchase));
  }

  /** Returns a subscription. Undefined for a token that is none of this app, or expired for more than 60 days. */
  subscription(token: string): Promise<SubscriptionPurchase | undefined> {
    return this.#ofToken(token, (at) =>
      this.#ask("GET", `/purchases/subscriptionsv2/tokens/${at}`, subscriptionPurchase),
    );
  }

  /** Consumes a product, which acknowledges it, so that it can be bought again. Returns false if Google refuses. */
  consume(productId: string, token: string): Promise<boolean> {
    return this.#done(
      `/purchases/products/${encodeURIComponent(productId)}/tokens/${encodeURIComponent(token)}:consume`,
    );
  }

  /** Acknowledges a subscription, which Google takes back otherwise after three days. Returns false if it refuses. */
  acknowledge(productId: string, token: string): Promise<boolean> {
    const path = `${encodeURIComponent(productId)}/tokens/${encodeURIComponent(token)}`;
    return this.#done(`/purchases/subscriptions/${path}:acknowledge`, {});
  }

  /** Stops a subscription from renewing; it goes on to its end. Returns false if Google refuses. */
  cancel(token: string): Promise<boolean> {
    return this.#done(`/purchases/subscriptionsv2/tokens/${encodeURIComponent(token)}:cancel`, {
      cancellationContext: { cancellationType: "USER_REQUESTED_STOP_RENEWAL" },
    });
  }

  /** Returns what was paid by an order, and what was refunded of it. Undefined for an unknown order. */
  order(orderId: string): Promise<GoogleOrder | undefined> {
    return this.#ask("GET", `/orders/${encodeURIComponent(orderId)}`, googleOrder);
  }

  /** Returns a page of what was refunded or charged back since a time, of both kinds, with partial refunds. */
  async voided(sinceMs: number, pageToken: string | undefined): Promise<VoidedPurchases> {
    const search = new URLSearchParams({
      startTime: String(sinceMs),
      type: "1",
      includeQuantityBasedPartialRefund: "true",
      maxResults: "1000",
      ...(pageToken && { token: pageToken }),
    });
    const page = await this.#ask("GET", `/purchases/voidedpurchases?${search}`, voidedPurchases);
    if (!page) throw providerUnavailable();
    return page;
  }

  async #ofToken<T>(token: string, ask: (at: string) => Promise<T>): Promise<T | undefined> {
    return plainToken.test(token) ? ask(encodeURIComponent(token)) : undefined;
  }

  async #done(path: string, body?: object): Promise<boolean> {
    return (await this.#ask("POST", path, nothing, body)) !== undefined;
  }

  async #ask<T>(method: string, path: string, schema: Joi.Schema<T>, body?: object): Promise<T | undefined> {
    const about = { method, path: patternOf(path) };
    let answer: unknown;
    try {
      const response = await fetch(`${this.#url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${await this.#token.get()}`,
          ...(body && { "content-type": "application/json" }),
        },
        ...(body && { body: JSON.stringify(body) }),
        redirect: "error",
        signal: AbortSignal.timeout(this.#timeoutMs),
      });
      const text = await response.text();
      if (unknownStatuses.includes(response.status)) {
        logger.info(
          { ...about, status: response.status, reason: reasonOf(text) },
          "Google Play knows no such purchase",
        );
        return undefined;
      }
      if (response.status === 401) this.#token.drop();
      if (!response.ok) throw new Error(`Google Play responded ${response.status}: ${reasonOf(text)}`);
      answer = text === "" ? {} : JSON.parse(text);
    } catch (error) {
      logger.warn({ err: error, ...about }, "Google Play is unreachable, or refuses the service account");
      throw providerUnavailable();
    }
    const { error, value } = schema.required().validate(answer, { convert: false, stripUnknown: true });
    if (!error) return value as T;
    logger.error({ ...about, reason: error.message }, "Google Play sent an invalid response");
    throw providerUnavailable();
  }
}

/** Returns what Google says of an error, shortened. */
function reasonOf(text: string): string {
  try {
    const { message = "" } = (JSON.parse(text) as { error?: { message?: unknown } }).error ?? {};
    return String(message).slice(0, 300);
  } catch {
    return "";
  }
}

/** Returns a path without its IDs, for the log: who knows a token may present it. */
const patternOf = (path: string): string =>
  path.replace(/\?.*$/, "").replace(/\/(tokens|orders|products|subscriptions)\/[^/:]+/g, "/$1/:id");
