import { isSigned } from "#shared/kernel/hmac.ts";
import { signatureInvalid } from "../payments.errors.ts";

/** Returns what a provider signs for a client that has paid. Ids contain no `|`, so each pair has its own message. */
export const paymentMessage = (providerOrderId: string, paymentId: string): string => `${providerOrderId}|${paymentId}`;

/** @throws PAYMENT_SIGNATURE_INVALID when none of the secrets has signed the message */
export function assertSigned(secrets: readonly string[], message: Buffer, signature: string | undefined): void {
  if (signature === undefined || !isSigned(secrets, message, signature)) throw signatureInvalid();
}
