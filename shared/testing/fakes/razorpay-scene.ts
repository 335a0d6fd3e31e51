import { service } from "#shared/contracts/principal.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { toUnavailableError } from "#shared/db/unavailable.ts";
import { checkLedger } from "#shared/domain/money/ledger/check-ledger.ts";
import { grantCoins } from "#shared/domain/money/ledger/grant-coins.ts";
import { orderCoins } from "#shared/domain/money/payments/create-order.ts";
import { configurePayments } from "#shared/domain/money/payments/payments.config.ts";
import { accessOrder } from "#shared/domain/money/payments/payments.policy.ts";
import { getWallet } from "#shared/domain/money/payments/payments.queries.ts";
import { receiveWebhook } from "#shared/domain/money/payments/receive-webhook.ts";
import { verifyPayment } from "#shared/domain/money/payments/verify-payment.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { callerOf } from "#shared/testing/people.ts";
import { buildPackage } from "#shared/testing/sales.ts";
import { FakeRazorpay, type FakeWebhook } from "./fake-razorpay.ts";
import type { FakePayment } from "./razorpay-records.ts";
import { useSandbox } from "./sandbox-payments.ts";

/** Transfers coins from the house, or to it if `amount` is negative. */
export async function giveCoins({ id }: BuiltUser, amount: number): Promise<void> {
  await inTransaction((tx) =>
    grantCoins(tx, { by: service, kind: "adjustment", userId: id, coins: amount, reason: "A test" }),
  );
}

/** Returns the errors of a ledger check that mention one of these. */
export const differencesOf = async (...ids: string[]): Promise<string[]> =>
  (await checkLedger()).filter((sentence) => ids.some((id) => sentence.includes(id)));

/** A user with an order of coins at a provider. */
export interface Scene {
  readonly user: BuiltUser;
  readonly orderId: string;
  /** The provider's ID of the order. */
  readonly at: string;
  /** Returns the order's status, the wallet's balance, and the debt. */
  shown(): Promise<[status: string, balance: number, debt: number]>;
}

/** Orders coins at the chosen provider. */
export async function ordered({
  coins = 100,
  price = 9_900,
  by = undefined as BuiltUser | undefined,
} = {}): Promise<Scene> {
  const [user, pack] = await Promise.all([by ?? buildUser(), buildPackage({ coins, price })]);
  const { order } = await orderCoins(callerOf(user), pack.id);
  const shown: Scene["shown"] = async () => {
    const { balance, debt } = await getWallet(user.id);
    return [(await accessOrder(callerOf(user), order.id)).status, balance, debt];
  };
  return { user, orderId: order.id, at: order.provider_order_id!, shown };
}

/** Retries a call that failed because the machine is busy, like a client. */
export async function untilServed<T>(call: () => Promise<T>): Promise<T> {
  for (let left = 20; ; left -= 1) {
    try {
      return await call();
    } catch (error) {
      if (left === 0 || !(toUnavailableError(error) ?? isAway(error))) throw error;
    }
  }
}
const isAway = (error: unknown): boolean => error instanceof DomainError && error.code === "ENGINE_UNAVAILABLE";

/** Timeout of calls to the fake, milliseconds. Generous, because the machine may be busy. */
export const patienceMs = 15_000;

/** Makes a fake Razorpay the provider of new orders for the tests of a `describe`. Each test has its own. */
export function useRazorpay() {
  let fake: FakeRazorpay;
  const bePatient = (timeoutMs: number) =>
    configurePayments({ provider: "razorpay", razorpay: fake.credentials, timeoutMs });
  beforeEach(async () => {
    fake = await FakeRazorpay.start();
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
    /** Makes a call without a response from Razorpay. */
    async unanswered<T>(call: () => Promise<T>): Promise<T> {
      bePatient(200);
      return call().finally(() => bePatient(patienceMs));
    },
    ordered,
    /** Delivers Razorpay's webhook. */
    tell: ({ body, headers }: FakeWebhook): Promise<void> => receiveWebhook("razorpay", Buffer.from(body), headers),
    /** Verifies the payment with the values from the checkout. */
    verify: (user: BuiltUser, payment: FakePayment) => {
      const { razorpay_order_id, razorpay_payment_id, razorpay_signature } = fake.proof(payment);
      const proof = { orderId: razorpay_order_id, paymentId: razorpay_payment_id, signature: razorpay_signature };
      return verifyPayment(callerOf(user), proof);
    },
  };
}
