import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { inTransaction } from "#shared/db/transaction.ts";
import { recordEvent } from "#shared/domain/money/payments/receive-webhook.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { googlePlay } from "./google.config.ts";
import { type NoticeSubject, readGoogleNotice } from "./google-notice.ts";
import type { Looked } from "./look-at-order.ts";
import { lookAtProduct } from "./look-at-product.ts";
import { lookAtSubscription } from "./look-at-subscription.ts";
import { lookAtVoided } from "./look-at-voided.ts";

/**
 * Receives a notice of Google Play's. It only says where to look: what is true, Google's API says. So notices that are
 * late, repeated, or out of order do no harm.
 * @throws NOT_FOUND (no notices are configured), PAYMENT_SIGNATURE_INVALID, MALFORMED_JSON, ENGINE_UNAVAILABLE (Google
 *   sends it again)
 */
export async function receiveGoogleNotice(body: Buffer, headers: IncomingHttpHeaders): Promise<void> {
  const { sender, packageName } = googlePlay();
  if (!sender) throw new DomainError("NOT_FOUND", "This payment provider isn't available.");
  await sender.assert(headers);
  const { id, type, subject } = readGoogleNotice(body, packageName);
  const { outcome, transactionId } = await look(subject);
  const summary = transactionId === null ? {} : { payment: { order_id: transactionId } };
  const hash = createHash("sha256").update(body).digest();
  await inTransaction((tx) =>
    recordEvent(tx, "google", { id: id ?? hash.toString("hex"), type, summary }, hash, async () => outcome),
  );
}

async function look(subject: NoticeSubject): Promise<Pick<Looked, "transactionId"> & { readonly outcome: string }> {
  switch (subject.kind) {
    case "product":
      return lookAtProduct(subject.token);
    case "subscription":
      return lookAtSubscription(subject.token);
    case "voided":
      return lookAtVoided(subject.token, subject.orderId);
    case "none":
      return { outcome: subject.why, transactionId: null };
  }
}
