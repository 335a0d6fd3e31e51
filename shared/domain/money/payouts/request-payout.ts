import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Payout, PayoutDetails, payoutKinds } from "#shared/contracts/views.ts";
import type { IdempotentCall } from "#shared/db/idempotency.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { getKyc } from "#shared/domain/identity/kyc/kyc.queries.ts";
import { readEarnings } from "#shared/domain/money/earnings/earnings.queries.ts";
import { payShareDebt } from "#shared/domain/money/earnings/pay-share-debts.ts";
import { earnings } from "#shared/domain/money/ledger/assets.ts";
import { debtOf } from "#shared/domain/money/ledger/debts.ts";
import { openBalance } from "#shared/domain/money/ledger/transfer.ts";
import { newId } from "#shared/kernel/ids.ts";
import { seal } from "#shared/kernel/seal.ts";
import { moveEarnings } from "./move-payout.ts";
import { PayoutModel } from "./payout.model.ts";
import { assertComplete, findMethod, type MethodRow, maskedOf, priceOf } from "./payout-methods.ts";
import { inDebt, kycRequired, notMatured, notOffered, paidEnough, tooLittle, tooManyOpen } from "./payouts.errors.ts";
import { readPayout } from "./payouts.queries.ts";

export interface PayoutInput {
  /** Earnings. */
  readonly amount: number;
  readonly method: PayoutDetails & { readonly kind: (typeof payoutKinds)[number] };
}

/** What the details of a payout are sealed for. */
export const sealedFor = (payoutId: string): string => `payout ${payoutId}`;

/**
 * Requests a payout: holds earnings that have matured until the money has arrived, or the payout has failed.
 * @throws KYC_REQUIRED, VALIDATION_ERROR (the method, its fields, too little), CONFLICT (debts, too many open payouts),
 *   INSUFFICIENT_BALANCE, RATE_LIMITED (the sum of a day or a month), IDEMPOTENCY_CONFLICT
 */
export const requestPayout = (
  caller: UserPrincipal,
  { amount, method: { kind, ...details } }: PayoutInput,
  idempotency?: IdempotentCall,
): Promise<Payout> =>
  inTransaction(async (tx) => {
    const { userId } = caller;
    const kyc = await getKyc(userId);
    if (kyc.level === 0) throw kycRequired();
    const method = await findMethod(userId, kind, details);
    if (!method) throw notOffered();
    if (kyc.level < method.kyc_level) throw kycRequired();
    assertComplete(method, details);
    const { fee, net } = priceOf(method, amount);
    if (amount < method.min || net < 1) throw tooLittle(Math.max(method.min, leastFor(method)));

    // The user's other payouts wait here.
    await openBalance(tx, userId, earnings);
    await payShareDebt(tx, userId, earnings);
    const [owed] = await tx.query<{ debt: number }>(`SELECT ${debtOf("$1")} AS debt`, [userId]);
    if (owed!.debt > 0) throw inDebt(owed!.debt);
    const { available } = await readEarnings(userId);
    if (amount > available) throw notMatured(available);
    await assertWithinLimits(tx, userId, method, amount);

    const id = newId();
    await PayoutModel.insert(tx, {
      ...{ id, user_id: userId, method_id: method.id, kind, provider: method.provider, amount },
      ...{ currency: method.currency, rate: method.rate, fee, net },
      ...{ shown: maskedOf(details), details_sealed: seal(sealedFor(id), JSON.stringify(details)) },
    });
    await moveEarnings(tx, caller, { id, user_id: userId, amount }, { status: "requested", to: "payouts_held" });
    await tx.publish("payout.updated", { payout_id: id, user_id: userId, status: "requested" });
    return readPayout(userId, id);
  }, idempotency);

/** Returns the least earnings of which anything is left after the fee. */
function leastFor(method: MethodRow): number {
  let [below, least] = [0, 1];
  while (priceOf(method, least).net < 1 && least < Number.MAX_SAFE_INTEGER / 2) [below, least] = [least, least * 2];
  while (least - below > 1) {
    const middle = Math.floor((below + least) / 2);
    if (priceOf(method, middle).net < 1) below = middle;
    else least = middle;
  }
  return least;
}

/** Payouts that took from a limit: those that ended without a payment gave it back. */
const counted = "user_id = $1 AND status NOT IN ('returned', 'declined')";

async function assertWithinLimits(tx: Tx, userId: string, method: MethodRow, amount: number): Promise<void> {
  const most = setting("payout_open_max");
  const [open] = await tx.query<{ count: number }>(
    "SELECT count(*)::integer FROM payouts WHERE user_id = $1 AND status IN ('requested', 'approved', 'sent')",
    [userId],
  );
  if (open!.count >= most) throw tooManyOpen(most);
  for (const [span, limit] of [
    ["day", method.daily_max],
    ["month", method.monthly_max],
  ] as const) {
    if (limit === 0) continue;
    const { used, wait } = await usedIn(tx, userId, span, method.zone);
    if (used + amount > limit) throw paidEnough(limit, wait);
  }
}

/**
 * Returns what a user was paid since the begin of the day or the month in a zone, and the seconds until its end.
 * @param at the present; for tests
 */
export async function usedIn(
  tx: Pick<Tx, "query">,
  userId: string,
  span: "day" | "month",
  zone: string,
  at: string | null = null,
): Promise<{ used: number; wait: number }> {
  const [row] = await tx.query<{ used: number; wait: number }>(
    `WITH span AS (
       SELECT at, date_trunc($2, at AT TIME ZONE $3) AS starts FROM (SELECT coalesce($4::timestamptz, now()) AS at) present
     )
     SELECT coalesce((SELECT sum(amount) FROM payouts
         WHERE ${counted} AND created_at >= starts AT TIME ZONE $3 AND ($4::timestamptz IS NULL OR created_at <= at)), 0)::bigint AS used,
       greatest(1, ceil(extract(epoch FROM (starts + ('1 ' || $2)::interval) AT TIME ZONE $3 - at)))::integer AS wait
     FROM span`,
    [userId, span, zone, at],
  );
  return row!;
}
