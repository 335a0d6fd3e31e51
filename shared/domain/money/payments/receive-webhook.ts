import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { deleteBatch } from "#shared/db/batches.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { newId } from "#shared/kernel/ids.ts";
import { logger } from "#shared/kernel/logger.ts";
import { orderLifeMinutes } from "./create-order.ts";
import { providerNamed } from "./payments.config.ts";
import type { EventEffect, ProviderEvent } from "./providers/provider.ts";
import { reconcileJob } from "./reconcile-order.ts";
import { refundPayment } from "./refund-payment.ts";
import { endRequestsOf } from "./request-refund.ts";
import { reverseRefund } from "./reverse-refund.ts";
import { failOrder, lockOrder, settlePayment } from "./settle-payment.ts";

/** How long the provider has to capture reserved money by itself before we do. */
const takeReservedAfterSeconds = 60;
/** IDs of events are short and plain; any other is not stored. */
const plainId = /^[\w.:-]{1,100}$/;

/**
 * Receives a webhook: applies its event, once for each body and each payment or refund, and records it in the same
 * transaction. The provider's ID of the event is in a header that nothing signs, so it doesn't decide what was seen.
 * Unknown and unsuitable events are recorded too and are no errors: sending them again would change nothing.
 * @throws NOT_FOUND (no such provider), PAYMENT_SIGNATURE_INVALID, MALFORMED_JSON
 */
export async function receiveWebhook(name: string, body: Buffer, headers: IncomingHttpHeaders): Promise<void> {
  const provider = providerNamed(name);
  const event = await provider.parseWebhook(body, headers);
  const hash = createHash("sha256").update(body).digest();
  const eventId = event.id && plainId.test(event.id) ? event.id : hash.toString("hex");

  const outcome = await inTransaction((tx) =>
    recordEvent(tx, provider.name, { ...event, id: eventId }, hash, () => applyEffect(tx, provider.name, event.effect)),
  );
  if (outcome === "malformed" || outcome === "unknown_order")
    logger.error({ provider: name, eventId, type: event.type, outcome }, "webhook could not be applied");
}

/**
 * Step: records an event of a provider with the outcome of `apply`, once for each hash. Returns the outcome, or `seen`.
 */
export async function recordEvent(
  tx: Tx,
  provider: string,
  event: Pick<ProviderEvent, "type" | "summary"> & { readonly id: string },
  hash: Buffer,
  apply: () => Promise<string>,
): Promise<string> {
  const id = newId();
  // A concurrent delivery of the same body waits here until this one has ended.
  const written = await tx.query(
    `INSERT INTO payment_events (id, provider, event_id, body_sha256, type, summary, outcome)
     VALUES ($1, $2, $3, $4, $5, $6, 'taken') ON CONFLICT (provider, body_sha256) DO NOTHING RETURNING 1`,
    [id, provider, event.id, hash, event.type, JSON.stringify(event.summary)],
  );
  if (written.length === 0) return "seen";

  const outcome = await apply();
  await tx.query("UPDATE payment_events SET outcome = $2 WHERE id = $1", [id, outcome]);
  return outcome;
}

async function applyEffect(tx: Tx, provider: string, effect: EventEffect): Promise<string> {
  switch (effect.kind) {
    case "captured":
      return settlePayment(tx, provider, effect.payment);
    case "refunded": {
      const outcome = await refundPayment(tx, provider, effect.payment, effect.refund);
      await endRequestsOf(tx, provider, effect.payment.id);
      return outcome;
    }
    case "reversed":
      return reversed(tx, provider, effect);
    case "all": {
      const outcomes: string[] = [];
      for (const one of effect.effects) outcomes.push(await applyEffect(tx, provider, one));
      // The last that changed anything.
      return outcomes.findLast((outcome) => outcome !== "seen") ?? "seen";
    }
    case "failed":
      return attemptFailed(tx, provider, effect.providerOrderId);
    case "reserved":
      return moneyReserved(tx, provider, effect.providerOrderId);
    case "none":
      return effect.why;
  }
}

/** A refund that was read from the provider's books before its reversal, but arrives later, must take nothing. */
async function reversed(tx: Tx, provider: string, { payment, refundId }: Reversal): Promise<string> {
  await lockOrder(tx, provider, payment.orderId);
  const outcome = await reverseRefund(tx, provider, refundId);
  if (outcome !== "unknown_refund") return outcome;
  await tx.query("INSERT INTO reversed_refunds (provider, provider_refund_id) VALUES ($1, $2) ON CONFLICT DO NOTHING", [
    provider,
    refundId,
  ]);
  return "seen";
}
type Reversal = Extract<EventEffect, { readonly kind: "reversed" }>;

/** Another attempt may succeed without a webhook, so the provider is asked once when the order expires. */
async function attemptFailed(tx: Tx, provider: string, providerOrderId: string): Promise<string> {
  const orderId = await failOrder(tx, provider, providerOrderId);
  if (!orderId) return "unchanged";
  await tx.enqueue(reconcileJob, { order_id: orderId }, { afterSeconds: orderLifeMinutes * 60 });
  return "failed";
}

async function moneyReserved(tx: Tx, provider: string, providerOrderId: string): Promise<string> {
  const order = await lockOrder(tx, provider, providerOrderId);
  if (!order) return "unknown_order";
  await tx.enqueue(reconcileJob, { order_id: order.id }, { afterSeconds: takeReservedAfterSeconds });
  return "reserved";
}

/** Deletes events older than 90 days, at most `most` of them; their effects stay. Returns how many. Called by a job. */
export const pruneEvents = (most = 5000): Promise<number> =>
  deleteBatch({ from: "payment_events", key: "id", where: "created_at < now() - interval '90 days'" }, most);
