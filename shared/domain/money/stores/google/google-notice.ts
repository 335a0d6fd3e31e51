import type { IncomingHttpHeaders } from "node:http";
import Joi from "joi";
import { type Infer, object, optional } from "#shared/contracts/fields.ts";
import { ProviderKeys } from "#shared/domain/identity/sign-in/provider-keys.ts";
import { verifyIssued } from "#shared/domain/identity/sign-in/verify-id-token.ts";
import { signatureInvalid } from "#shared/domain/money/payments/payments.errors.ts";
import { headerOf, providerUnavailable } from "#shared/domain/money/payments/providers/provider.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";

/** Who may tell us of purchases: the push subscription's service account, with a token for its audience. */
export interface NoticeSender {
  readonly audience: string;
  readonly email: string;
  /** Default: Google's; tests set their own. */
  readonly issuer?: string;
}

/** What a notice asks us to look at. It proves nothing itself. */
export type NoticeSubject =
  | { readonly kind: "product" | "subscription"; readonly token: string }
  | { readonly kind: "voided"; readonly token: string; readonly orderId: string }
  /** `why` is stored as the outcome. */
  | { readonly kind: "none"; readonly why: "ignored" | "malformed" };

export interface GoogleNotice {
  /** Pub/Sub's ID of the message; undefined without one. */
  readonly id: string | undefined;
  /** Such as `subscription.2`, with Google's number of the type. */
  readonly type: string;
  readonly subject: NoticeSubject;
}

/** Verifies that Google's Pub/Sub has sent a notice: issuer, audience, times, and the service account. */
export class NoticeSenderCheck {
  readonly #email: string;
  readonly #from: Parameters<typeof verifyIssued>[0];

  constructor({ audience, email, issuer = "https://accounts.google.com" }: NoticeSender) {
    this.#email = email;
    this.#from = { issuer, clientIds: [audience], keys: new ProviderKeys(issuer) };
  }

  /** @throws PAYMENT_SIGNATURE_INVALID, ENGINE_UNAVAILABLE when Google's keys can't be read */
  async assert(headers: IncomingHttpHeaders): Promise<void> {
    const [, token] = /^Bearer ([\w.-]{1,8192})$/i.exec(headerOf(headers, "authorization") ?? "") ?? [];
    if (token === undefined) throw signatureInvalid();
    const { email, email_verified } = await verifyIssued(this.#from, token, ["exp", "iat", "email"]).catch(
      (error: unknown) => {
        if (!(error instanceof DomainError)) throw error;
        throw error.code === "INVALID_CREDENTIALS" ? signatureInvalid() : providerUnavailable();
      },
    );
    if (email !== this.#email || email_verified !== true) throw signatureInvalid();
  }
}

const id = () => Joi.string().max(1000);
const type = Joi.number().integer().min(0).max(999);

/** The body of a Pub/Sub push; https://cloud.google.com/pubsub/docs/push */
const envelope = object({
  message: object({
    data: Joi.string().base64({ paddingRequired: false }),
    messageId: optional(Joi.string().pattern(/^[\w.:-]{1,100}$/)),
  }).unknown(),
}).unknown();

/** A `DeveloperNotification`; https://developer.android.com/google/play/billing/rtdn-reference */
const notification = object({
  packageName: id(),
  oneTimeProductNotification: optional(object({ notificationType: type, purchaseToken: id() }).unknown()),
  subscriptionNotification: optional(object({ notificationType: type, purchaseToken: id() }).unknown()),
  voidedPurchaseNotification: optional(object({ purchaseToken: id(), orderId: id() }).unknown()),
  testNotification: optional(Joi.object().unknown()),
}).unknown();

/**
 * Reads a notice about an app. What isn't one, or is of another app, is ignored: sending it again would change nothing.
 * @throws MALFORMED_JSON when the body is no JSON object
 */
export function readGoogleNotice(body: Buffer, packageName: string): GoogleNotice {
  const pushed = envelope.validate(parsed(body), { convert: false });
  if (pushed.error) return { id: undefined, ...unread("unnamed", "malformed") };
  const { data, messageId } = pushed.value.message;

  const { error, value } = notification.required().validate(decoded(data), { convert: false });
  return { id: messageId, ...(error ? unread("unnamed", "malformed") : subjectOf(value, packageName)) };
}

const unread = (type: string, why: "ignored" | "malformed"): Omit<GoogleNotice, "id"> => ({
  type,
  subject: { kind: "none", why },
});

function subjectOf(told: Infer<typeof notification>, packageName: string): Omit<GoogleNotice, "id"> {
  const { oneTimeProductNotification: product, subscriptionNotification: subscription } = told;
  const { voidedPurchaseNotification: voided, testNotification: test } = told;
  if (told.packageName !== packageName) return unread("other app", "ignored");
  if (product)
    return {
      type: `product.${product.notificationType}`,
      subject: { kind: "product", token: product.purchaseToken },
    };
  if (subscription)
    return {
      type: `subscription.${subscription.notificationType}`,
      subject: { kind: "subscription", token: subscription.purchaseToken },
    };
  if (voided)
    return { type: "voided", subject: { kind: "voided", token: voided.purchaseToken, orderId: voided.orderId } };
  return unread(test ? "test" : "unnamed", "ignored");
}

function parsed(body: Buffer): object {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch {
    // The same answer as to other nonsense.
  }
  throw new DomainError("MALFORMED_JSON");
}

function decoded(data: string): unknown {
  try {
    return JSON.parse(Buffer.from(data, "base64").toString("utf8"));
  } catch {
    return undefined;
  }
}
