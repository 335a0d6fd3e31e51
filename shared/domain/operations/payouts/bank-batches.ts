import { parse } from "csv-parse/sync";
import Joi from "joi";
import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import { type PayoutDetails, type PayoutFileLine, payoutFieldNames } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { flagPayout } from "#shared/domain/money/payouts/apply-outcome.ts";
import { movePayout } from "#shared/domain/money/payouts/move-payout.ts";
import { PayoutBatchModel, PayoutModel, type PayoutRow } from "#shared/domain/money/payouts/payout.model.ts";
import { sealedFor } from "#shared/domain/money/payouts/request-payout.ts";
import { formatDecimal, parseDecimal, smallestOf } from "#shared/kernel/decimal.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { unseal } from "#shared/kernel/seal.ts";
import { resolveStep } from "./decide-payout.ts";

/** How many payouts a batch has at most. */
export const batchMax = 500;

/**
 * Puts the approved payouts of a currency that are paid by a file, the oldest first, into a batch: they count as sent.
 * @throws CONFLICT when there is none
 */
export const createBatch = (caller: AdminPrincipal, currency: string): Promise<string> =>
  inTransaction(async (tx) => {
    const payouts = await tx.query<PayoutRow & Record<string, unknown>>(
      `SELECT p.* FROM payouts p JOIN users u ON u.id = p.user_id AND u.status = 'active'
       WHERE p.status = 'approved' AND p.provider = 'bank_file' AND p.currency = $1
       ORDER BY p.approved_at LIMIT ${batchMax} FOR UPDATE OF p SKIP LOCKED`,
      [currency],
    );
    if (payouts.length === 0)
      throw new DomainError("CONFLICT", "No approved payouts of this currency wait for a file.");
    const id = newId();
    const net = payouts.reduce((sum, payout) => sum + payout.net, 0);
    await PayoutBatchModel.insert(tx, { id, currency, payouts: payouts.length, net, created_by: caller.adminId });
    for (const payout of payouts) await movePayout(tx, caller, payout, "sent", { batch_id: id });
    await tx.audit(caller, {
      action: "payout_batch.create",
      target: { type: "payout_batch", id },
      after: { currency, payouts: payouts.length, net },
    });
    return id;
  });

/** The columns of a file for the bank. */
export const fileColumns = ["payout_id", "amount", "currency", "kind", ...payoutFieldNames] as const;

const linesOf = `
  SELECT id, net, currency, kind, details_sealed FROM payouts
  WHERE batch_id = coalesce($1, (SELECT id FROM payout_batches ORDER BY id DESC LIMIT 1)) AND status = 'sent' ORDER BY id`;

const lineOf = ({ id: payout_id, net, currency, kind }: PayoutRow): PayoutFileLine => ({
  payout_id,
  amount: formatDecimal(BigInt(net) * smallestOf(currency)),
  currency,
  kind,
});

/** Returns the lines of a batch's file, or the latest one's, but for payouts that are over. */
export const listBatch = async (id?: string): Promise<PayoutFileLine[]> =>
  (await query<PayoutRow>(linesOf, [id ?? null])).map(lineOf);

/** Yields them with where the money goes. */
export async function* readBatch(id?: string): AsyncIterable<readonly object[]> {
  const payouts = await query<PayoutRow>(linesOf, [id ?? null]);
  yield payouts.map((row) => {
    const { id: payoutId, details_sealed: sealed } = row;
    const details: PayoutDetails = sealed ? JSON.parse(unseal(sealedFor(payoutId), sealed) ?? "{}") : {};
    return { ...lineOf(row), ...details };
  });
}

const outcomeSchema = Joi.object<BankOutcome>({
  payout_id: Joi.string().uuid().required(),
  status: Joi.valid("settled", "returned").required(),
  amount: Joi.string()
    .pattern(/^\d{1,12}(\.\d{1,4})?$/)
    .required(),
  reference: Joi.string().max(100).required(),
})
  .unknown()
  .required();

interface BankOutcome {
  readonly payout_id: string;
  readonly status: "settled" | "returned";
  /** In units of the currency, as in the file for the bank. Another amount than that of the payout flags it. */
  readonly amount: string;
  readonly reference: string;
}

/** Reads what the bank has answered, as CSV with a header. @throws VALIDATION_ERROR */
function readOutcomes(csv: Buffer): BankOutcome[] {
  let lines: unknown[];
  try {
    lines = parse(csv, { bom: true, columns: true, skip_empty_lines: true, trim: true, to: batchMax + 1 });
  } catch {
    throw new DomainError("VALIDATION_ERROR", "The file isn't CSV with a header.");
  }
  if (lines.length > batchMax)
    throw new DomainError("VALIDATION_ERROR", "A file has at most {{count}} lines.", { values: { count: batchMax } });
  const outcomes = lines.map((line, index) => {
    const { error, value } = outcomeSchema.validate(line);
    if (error) throw new DomainError("VALIDATION_ERROR", "Line {{line}} is invalid.", { values: { line: index + 2 } });
    return value;
  });
  // In one order, so that concurrent files of a batch wait for each other.
  return outcomes.sort((one, other) => (one.payout_id < other.payout_id ? -1 : 1));
}

/**
 * Records what the bank says of the payouts of a batch, as CSV: `payout_id`, `status`, `amount`, `reference`. Those
 * that are in this state already are left out, so that a file can be sent again.
 * @throws VALIDATION_ERROR, NOT_FOUND when one isn't in the batch, FORBIDDEN, CONFLICT, as `resolvePayout`; then none
 *   is recorded
 */
export const recordOutcomes = (caller: AdminPrincipal, batchId: string, csv: Buffer): Promise<void> =>
  inTransaction(async (tx) => {
    const recorded: object[] = [];
    for (const outcome of readOutcomes(csv)) {
      const { payout_id } = outcome;
      recorded.push({ payout_id, status: await recordOutcome(tx, caller, batchId, outcome) });
    }
    await tx.audit(caller, {
      action: "payout_batch.record",
      target: { type: "payout_batch", id: batchId },
      after: { payouts: recorded },
    });
  });

async function recordOutcome(
  tx: Tx,
  caller: AdminPrincipal,
  batch_id: string,
  { payout_id: id, status, amount, reference }: BankOutcome,
): Promise<string> {
  const payout = await PayoutModel.lock(tx, { id, batch_id });
  if (!payout) throw new DomainError("NOT_FOUND", "This batch has no such payout.");
  if (payout.status === status && payout.flag === null) return "unchanged";
  await PayoutModel.change(tx, { id }, { reference });
  if (parseDecimal(amount) !== BigInt(payout.net) * smallestOf(payout.currency)) {
    await flagPayout(tx, payout, "amount");
    return "flagged";
  }
  await resolveStep(tx, caller, payout, { status, reason: reference });
  return status;
}
