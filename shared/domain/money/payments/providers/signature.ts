import { createHmac, timingSafeEqual } from "node:crypto";
import { signatureInvalid } from "../payments.errors.ts";

/** Returns the HMAC-SHA256 in lower-case hex. */
export const sign = (secret: string, message: string | Buffer): string =>
  createHmac("sha256", secret).update(message).digest("hex");

/** Returns what a provider signs for a client that has paid. Ids contain no `|`, so each pair has its own message. */
export const paymentMessage = (providerOrderId: string, paymentId: string): string => `${providerOrderId}|${paymentId}`;

/** Returns whether one of the secrets has signed the message, in constant time. */
export function isSigned(secrets: readonly string[], message: string | Buffer, signature: string): boolean {
  const given = Buffer.from(signature, "utf8");
  const fits = secrets.map((secret) => {
    const expected = Buffer.from(sign(secret, message), "utf8");
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  return fits.includes(true);
}

/** @throws PAYMENT_SIGNATURE_INVALID when none of the secrets has signed the message */
export function assertSigned(secrets: readonly string[], message: Buffer, signature: string | undefined): void {
  if (signature === undefined || !isSigned(secrets, message, signature)) throw signatureInvalid();
}
