import { configurePayments } from "#shared/domain/money/payments/payments.config.ts";
import { sign } from "#shared/kernel/hmac.ts";

/** The secrets of the sandbox in tests. */
export const sandboxSecrets = {
  keySecrets: ["the tests sign payments with this"],
  webhookSecrets: ["the tests sign webhooks with this"],
};

/** Makes the sandbox the provider of new orders, the default in tests. */
export const useSandbox = (): void => configurePayments({ provider: "sandbox", sandbox: sandboxSecrets });

useSandbox();

/** Returns the headers of a webhook of the sandbox. */
export const sandboxHeaders = (body: string, eventId: string, secret = sandboxSecrets.webhookSecrets[0]!) => ({
  "content-type": "application/json",
  "x-sandbox-signature": sign(secret, body),
  "x-sandbox-event-id": eventId,
});
