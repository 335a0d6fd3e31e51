import { configurePayments } from "#shared/domain/payments/payments.config.ts";
import { sign } from "#shared/domain/payments/providers/signature.ts";

/** What the sandbox of the tests signs with. */
export const sandboxSecrets = {
  keySecrets: ["the tests sign payments with this"],
  webhookSecrets: ["the tests sign webhooks with this"],
};

/** Chooses the sandbox for new orders, as the tests find it unless one chooses another. */
export const useSandbox = (): void => configurePayments({ provider: "sandbox", sandbox: sandboxSecrets });

useSandbox();

/** The head of a webhook of the sandbox. */
export const sandboxHeaders = (body: string, eventId: string, secret = sandboxSecrets.webhookSecrets[0]!) => ({
  "content-type": "application/json",
  "x-sandbox-signature": sign(secret, body),
  "x-sandbox-event-id": eventId,
});
