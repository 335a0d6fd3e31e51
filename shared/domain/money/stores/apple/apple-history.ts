import { APIError, APIException, type NotificationHistoryResponse } from "@apple/app-store-server-library";
import { inTransaction } from "#shared/db/transaction.ts";
import {
  type HistoryEntry,
  type ProviderHistory,
  providerUnavailable,
  secondsOf,
} from "#shared/domain/money/payments/providers/provider.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { logger } from "#shared/kernel/logger.ts";
import { appleStore } from "../stores.config.ts";
import { type AppleTransaction, purchaseOf, recordTransaction, refundOf } from "./apple-transaction.ts";

/** More pages than this in a day is Apple's list going round in a circle. */
const pagesMax = 50_000;
/** What Apple responds about an ID that it doesn't know, or that is none of its own. */
const unknownIds: readonly unknown[] = [APIError.TRANSACTION_ID_NOT_FOUND, APIError.INVALID_TRANSACTION_ID];

/**
 * Apple's books: it lists no transactions of a day, but all notices that it sent, or tried to, for 180 days. Each names
 * a transaction.
 */
export const appleHistory: ProviderHistory = {
  async *historyOf(day) {
    const { from, to } = secondsOf(day);
    const request = { startDate: from * 1000, endDate: to * 1000 - 1 };
    let token: string | null = null;
    for (let pages = 0; pages === 0 || token; pages += 1) {
      if (pages > pagesMax) throw new Error("Apple's list of notices doesn't end");
      const before: string | null = token;
      const page: NotificationHistoryResponse = (await asked(() => client().getNotificationHistory(before, request)))!;
      const entries = new Map<string, HistoryEntry>();
      for (const { signedPayload } of page.notificationHistory ?? [])
        for (const entry of await entriesOf(signedPayload)) entries.set(entry.id, entry);
      yield [...entries.values()];
      token = page.hasMore ? (page.paginationToken ?? null) : null;
    }
  },
  async entryOf({ kind, id, paymentId }) {
    const transaction = await transactionNow(paymentId);
    if (!transaction) return undefined;
    if (kind === "payment") return paymentIn(transaction);
    const refund = refundIn(transaction);
    if (refund?.id === id) return refund;
    // Apple has taken it back, and no longer says how much it was.
    return { ...paymentIn(transaction), kind, id, amount: null, currency: null, stands: false };
  },
};

function client() {
  const { client: known } = appleStore();
  if (!known) throw providerUnavailable();
  return known;
}

/** Returns undefined for an unknown ID. @throws ENGINE_UNAVAILABLE */
async function asked<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof APIException && unknownIds.includes(error.apiError)) return undefined;
    logger.warn({ err: error }, "Apple is unreachable, or refuses the key");
    throw providerUnavailable();
  }
}

/** Returns what a notice names: of what was returned, how it is now, since that may have been taken back. */
async function entriesOf(signedPayload: string | undefined): Promise<HistoryEntry[]> {
  const transaction = signedPayload && (await transactionIn(signedPayload));
  if (!transaction) return [];
  const { transactionId, revocationDate } = transaction.payload;
  const now = revocationDate === undefined ? transaction : ((await transactionNow(transactionId!)) ?? transaction);
  const refund = refundIn(now);
  return [paymentIn(now), ...(refund ? [refund] : [])];
}

async function transactionIn(signedPayload: string): Promise<AppleTransaction | undefined> {
  const store = appleStore();
  try {
    const signed = (await store.notice(signedPayload)).data?.signedTransactionInfo;
    return signed ? { signed, payload: await store.transaction(signed) } : undefined;
  } catch (error) {
    // What isn't for this app was refused when it came, too.
    if (error instanceof DomainError && error.code === "PAYMENT_SIGNATURE_INVALID") return undefined;
    throw error;
  }
}

/** Returns a transaction as it is now. */
async function transactionNow(id: string): Promise<AppleTransaction | undefined> {
  const signed = (await asked(() => client().getTransactionInfo(id)))?.signedTransactionInfo;
  return signed ? { signed, payload: await appleStore().transaction(signed) } : undefined;
}

function paymentIn(transaction: AppleTransaction): HistoryEntry {
  const { environment } = appleStore();
  const { transactionId: id, price } = purchaseOf(transaction, environment);
  return {
    kind: "payment",
    id,
    paymentId: id,
    providerOrderId: id,
    orderId: null,
    amount: price?.amount ?? null,
    currency: price?.currency ?? null,
    stands: true,
    settle: () => inTransaction((tx) => recordTransaction(tx, transaction, { environment, claimant: null })),
  };
}

function refundIn(transaction: AppleTransaction): HistoryEntry | undefined {
  if (transaction.payload.revocationDate === undefined) return undefined;
  const payment = paymentIn(transaction);
  const { refundId, share = 1 } = refundOf(transaction, transaction.payload.expiresDate !== undefined);
  const amount = payment.amount === null ? null : Math.round(payment.amount * share);
  return { ...payment, kind: "refund", id: refundId, amount };
}
