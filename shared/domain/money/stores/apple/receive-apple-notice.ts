import { createHash } from "node:crypto";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { recordEvent } from "#shared/domain/money/payments/receive-webhook.ts";
import { reverseRefunds } from "#shared/domain/money/purchases/refund-purchase.ts";
import { extendSold } from "#shared/domain/money/store/vip-periods.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { logger } from "#shared/kernel/logger.ts";
import { appleStore } from "../stores.config.ts";
import { type AppleRenewal, type AppleTransaction, recordTransaction, takeBack } from "./apple-transaction.ts";
import { consumptionJob } from "./send-consumption.ts";

/** Text that Apple has chosen, as it is stored. */
const plain = (text: string | undefined): string => (text ?? "").replaceAll(/[^\w.:-]/g, "").slice(0, 100);

/**
 * Receives a notice of Apple's server (version 2): records it by its UUID, and its transaction, so that a purchase is
 * credited although the app never came back. Notices may come in any order and more than once. One of an unknown kind
 * still says how its transaction is.
 * @throws PAYMENT_SIGNATURE_INVALID, NOT_FOUND (not configured), ENGINE_UNAVAILABLE
 */
export async function receiveAppleNotice(body: Buffer): Promise<void> {
  const store = appleStore();
  const signedPayload = signedPayloadOf(body);
  const notice = await store.notice(signedPayload);
  const { signedTransactionInfo: signed, signedRenewalInfo, status } = notice.data ?? {};
  const transaction = signed ? { signed, payload: await store.transaction(signed) } : undefined;
  const renewal = signedRenewalInfo
    ? { status, renewal: await store.renewal(signedRenewalInfo), at: notice.signedDate }
    : undefined;

  const [id, type] = [plain(notice.notificationUUID), plain(notice.notificationType) || "unnamed"];
  const { transactionId, productId } = transaction?.payload ?? {};
  const summary = {
    payment: { order_id: plain(transactionId), product_id: plain(productId) },
    subtype: plain(notice.subtype),
  };
  // Apple may sign each delivery again, so that the UUID says what was seen.
  const key = createHash("sha256")
    .update(id || signedPayload)
    .digest();
  const outcome = await inTransaction((tx) =>
    recordEvent(tx, "apple", { id: id || key.toString("hex"), type, summary }, key, () =>
      transaction ? apply(tx, type, { transaction, renewal, at: notice.signedDate }) : Promise.resolve("ignored"),
    ),
  );
  if (outcome === "unknown_product") logger.error({ id, type, productId }, "a notice of Apple could not be applied");
}

/** Returns what Apple has signed. @throws MALFORMED_JSON, PAYMENT_SIGNATURE_INVALID (nothing is signed) */
function signedPayloadOf(body: Buffer): string {
  let notice: { signedPayload?: unknown } | null;
  try {
    notice = JSON.parse(body.toString("utf8"));
  } catch {
    throw new DomainError("MALFORMED_JSON");
  }
  if (typeof notice?.signedPayload === "string") return notice.signedPayload;
  throw new DomainError("PAYMENT_SIGNATURE_INVALID");
}

interface Told {
  readonly transaction: AppleTransaction;
  readonly renewal: AppleRenewal | undefined;
  readonly at: number;
}

async function apply(tx: Tx, type: string, { transaction, renewal, at }: Told): Promise<string> {
  const { environment } = appleStore();
  const { outcome } = await recordTransaction(tx, transaction, { environment, claimant: null, renewal });
  const { transactionId, revocationDate, expiresDate } = transaction.payload;
  if (outcome === "unknown_product") return outcome;
  switch (type) {
    case "REFUND":
    case "REVOKE":
      if (revocationDate === undefined) await takeBack(tx, transaction, expiresDate !== undefined);
      return "refunded";
    case "RENEWAL_EXTENDED":
      // `purchaseOf` has checked the time.
      if (expiresDate) await extendSold(tx, "apple", transactionId!, new Date(expiresDate).toISOString());
      return outcome;
    case "REFUND_REVERSED":
      return reverseRefunds(tx, "apple", transactionId!, new Date(at).toISOString());
    case "CONSUMPTION_REQUEST":
      await tx.enqueue(consumptionJob, { transaction_id: transactionId! });
      return "taken";
    default:
      return outcome;
  }
}
