import { configurePayments } from "#shared/domain/money/payments/payments.config.ts";
import { receiveWebhook } from "#shared/domain/money/payments/receive-webhook.ts";
import { verifyPayment } from "#shared/domain/money/payments/verify-payment.ts";
import { makeRenewingStripe } from "#shared/domain/money/subscriptions/record-at-stripe.ts";
import type { BuiltUser } from "#shared/testing/factories.ts";
import { callerOf } from "#shared/testing/people.ts";
import { FakeStripe } from "./fake-stripe.ts";
import { ordered, patienceMs } from "./razorpay-scene.ts";
import { useSandbox } from "./sandbox-payments.ts";

/** Makes a fake Stripe the provider of new orders for the tests of a `describe`. Each test has its own. */
export function useStripe() {
  let fake: FakeStripe;
  const bePatient = (timeoutMs: number) =>
    configurePayments({ provider: "stripe", stripe: makeRenewingStripe(fake.credentials, timeoutMs) });
  beforeEach(async () => {
    fake = await FakeStripe.start();
    bePatient(patienceMs);
  });
  afterEach(async () => {
    useSandbox();
    await fake.stop();
  });
  return {
    get fake() {
      return fake;
    },
    /** Makes a call without a response from Stripe. */
    async unanswered<T>(call: () => Promise<T>): Promise<T> {
      bePatient(200);
      return call().finally(() => bePatient(patienceMs));
    },
    ordered,
    /** Delivers Stripe's webhook. */
    tell: ({ body, headers }: ReturnType<FakeStripe["webhook"]>): Promise<void> =>
      receiveWebhook("stripe", Buffer.from(body), headers),
    /** Verifies the payment with what Stripe gave the client: its ID of the session. */
    verify: (user: BuiltUser, payment: { readonly order_id: string }) =>
      verifyPayment(callerOf(user), { orderId: payment.order_id }),
  };
}
