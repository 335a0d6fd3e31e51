import pLimit from "p-limit";
import { service } from "#shared/contracts/principal.ts";
import type { PayoutDetails } from "#shared/contracts/views.ts";
import { defineJob } from "#shared/db/jobs.ts";
import { now } from "#shared/db/model.ts";
import { query } from "#shared/db/query.ts";
import { alone, inTransaction } from "#shared/db/transaction.ts";
import { getKyc } from "#shared/domain/identity/kyc/kyc.queries.ts";
import { assert } from "#shared/kernel/assert.ts";
import { logger } from "#shared/kernel/logger.ts";
import { unseal } from "#shared/kernel/seal.ts";
import { applyOutcome, flagPayout } from "./apply-outcome.ts";
import { movePayout } from "./move-payout.ts";
import { PayoutModel, type PayoutRow } from "./payout.model.ts";
import { payoutProvider, payoutProviderNames } from "./payouts.config.ts";
import { type PayoutProvider, PayoutRejected } from "./providers/payout-provider.ts";
import { sealedFor } from "./request-payout.ts";

/** Sends payouts, and asks again about those that aren't over. Run every minute, and when one is approved. */
export const payoutsJob = defineJob("payouts.send", {
  retries: 1,
  retryMaxSeconds: 60,
  timeoutSeconds: 300,
  exclusive: true,
});

/** How many payouts a run is about, and how many at once. */
const batchSize = 100;
const atOnce = 5;

/** Handles payouts that are due: again after 1, 2, 4 … minutes, at most 6 hours. */
export async function sendDuePayouts(): Promise<void> {
  const due = await alone<{ id: string }>(
    `UPDATE payouts
     SET tries = tries + 1, next_try_at = now() + least(power(2, least(tries, 10)), 360) * interval '1 minute'
     WHERE id IN (
       SELECT id FROM payouts WHERE next_try_at <= now() AND status IN ('approved', 'sent') AND provider = ANY ($1::text[])
       ORDER BY next_try_at LIMIT ${batchSize} FOR UPDATE SKIP LOCKED
     ) RETURNING id`,
    [payoutProviderNames()],
  );
  const limit = pLimit(atOnce);
  const send = ({ id }: { id: string }) =>
    sendPayout(id).catch((error: unknown) => {
      logger.warn({ err: error, payoutId: id }, "the outcome of a payout is unknown; it will be asked again");
    });
  await Promise.all(due.map((one) => limit(send, one)));
}

/**
 * Sends an approved payout, or asks about one that was sent. Before its provider is asked to pay, this is recorded:
 * from then on, the provider is first asked what became of it, and always with the same key.
 * @throws ENGINE_UNAVAILABLE when the outcome is unknown
 */
async function sendPayout(id: string): Promise<void> {
  const payout = await PayoutModel.read({ id });
  if (!payout || payout.flag !== null) return;
  const provider = payoutProvider(payout.provider);
  if (payout.status === "sent" || payout.attempted_at !== null) {
    const found = await provider.find(payout);
    if (found) return applyOutcome(provider.name, found);
  }
  if (payout.status !== "approved") return;

  const sealed = payout.details_sealed;
  const details: PayoutDetails = sealed ? JSON.parse(unseal(sealedFor(id), sealed) ?? "null") : {};
  assert(details, "the details of a payout can be read");
  const first = payout.attempted_at === null;
  if (first && !(await mayBePaid(payout))) return;
  try {
    const account_ref = payout.account_ref ?? (await registered(provider, payout, details));
    if (first && !(await beginAttempt(id))) return;
    const outcome = await provider.send({ ...payout, account_ref }, details);
    await applyOutcome(provider.name, outcome);
  } catch (error) {
    if (!(error instanceof PayoutRejected)) throw error;
    await reject(id, first, error.message);
  }
}

/** Those who are suspended, or aren't known any longer, wait. */
async function mayBePaid({ user_id }: PayoutRow): Promise<boolean> {
  const active = await query("SELECT 1 FROM users WHERE id = $1 AND status = 'active'", [user_id]);
  return active.length > 0 && (await getKyc(user_id)).level > 0;
}

async function registered(provider: PayoutProvider, payout: PayoutRow, details: PayoutDetails): Promise<string | null> {
  const account_ref = await provider.register?.({ ...payout, userId: payout.user_id }, details);
  if (account_ref === undefined) return null;
  await inTransaction((tx) => PayoutModel.change(tx, { id: payout.id }, { account_ref }));
  return account_ref;
}

/** Records that the provider is asked now. Returns false if the payout was declined, or is being sent. */
const beginAttempt = (id: string): Promise<boolean> =>
  inTransaction((tx) => PayoutModel.change(tx, { id, status: "approved", attempted_at: null }, { attempted_at: now }));

/** A rejection of a later attempt says nothing of the first, which may have been paid. */
const reject = (id: string, first: boolean, why: string): Promise<void> =>
  inTransaction(async (tx) => {
    const payout = await PayoutModel.lock(tx, { id, status: "approved" });
    if (!payout) return;
    if (!first) return flagPayout(tx, payout, "rejected_late");
    await movePayout(tx, service, payout, "returned", { failure: why.slice(0, 300) });
  });
