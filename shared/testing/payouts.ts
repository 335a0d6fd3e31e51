import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { createManaged } from "#shared/domain/base/managed/write-managed.ts";
import { rememberSettings, settingDefault } from "#shared/domain/base/settings/settings.ts";
import { KycCases } from "#shared/domain/identity/kyc/kyc.model.ts";
import { transferGift } from "#shared/domain/money/gifts/transfer-gift.ts";
import { stock } from "#shared/domain/money/ledger/assets.ts";
import { managedPayoutMethods } from "#shared/domain/money/payouts/managed-payout-methods.ts";
import { PayoutModel } from "#shared/domain/money/payouts/payout.model.ts";
import { requestPayout } from "#shared/domain/money/payouts/request-payout.ts";
import { sendDuePayouts } from "#shared/domain/money/payouts/send-payouts.ts";
import { managedSellers } from "#shared/domain/money/sellers/managed-sellers.ts";
import { passOnCoins } from "#shared/domain/money/sellers/pass-on-coins.ts";
import { reverseTransfer } from "#shared/domain/money/sellers/reverse-transfer.ts";
import { SellerModel } from "#shared/domain/money/sellers/seller.model.ts";
import { loadSplitPlans } from "#shared/domain/money/splits/split-plans.ts";
import { adjustMoney } from "#shared/domain/operations/adjustments/adjust-balance.ts";
import { isoNow } from "#shared/kernel/clock.ts";
import { newId } from "#shared/kernel/ids.ts";
import { buildAdmin } from "./admins.ts";
import { buildSplitPlan, buyCoins } from "./earnings.ts";
import { type BuiltUser, buildGift, buildRoom, buildUser } from "./factories.ts";
import { adminCaller, callerOf } from "./people.ts";

/** What tests of payouts need: users who have earned and are known, and methods. */

/** Lets a user earn, by a gift that pays them all of it. */
export async function earn(user: BuiltUser, amount: number): Promise<void> {
  const [fan, room, gift] = await Promise.all([buildUser(), buildRoom({ host: user }), buildGift({ price: amount })]);
  const shares = [{ to: "receiver", basis_points: 10_000, asset: "earnings" }] as const;
  const planId = await buildSplitPlan(shares, { gift_ids: [gift.id] });
  await buyCoins(fan.id, amount);
  await transferGift(callerOf(fan), { room_id: room.id, gift_id: gift.id, recipient_id: user.id, quantity: 1 });
  await query("UPDATE split_plans SET retired_at = now() WHERE id = $1", [planId]);
  await loadSplitPlans();
}

/** Decides who a user is, as an administrator does. */
export async function know({ id }: { readonly id: string }, level = 1): Promise<void> {
  const decided = { level, expires_at: "2099-01-01T00:00:00.000Z", decided_at: isoNow() };
  await inTransaction((tx) =>
    KycCases.insert(tx, {
      id: newId(),
      user_id: id,
      provider: "manual",
      status: level > 0 ? "approved" : "rejected",
      ...decided,
    }),
  );
}

/** A user with earnings that can be paid out. */
export async function buildEarner(amount: number): Promise<BuiltUser> {
  const user = await buildUser();
  await earn(user, amount);
  await know(user);
  return user;
}

/** Creates a payout method for users of a country. */
export async function buildPayoutMethod(more: object = {}): Promise<string> {
  const method = {
    ...{
      name: `Method ${newId()}`,
      kind: "upi",
      fields: ["vpa"],
      provider: "razorpayx",
      currency: "INR",
      rate: 10_000,
    },
    ...{ countries: [], ...managedPayoutMethods.defaults, ...more },
  };
  return String((await createManaged(adminCaller(), managedPayoutMethods, method)).id);
}

/** Lets all payouts be due, but those that are being handled, and handles them. */
export async function sendNow(): Promise<void> {
  await query(
    `UPDATE payouts SET next_try_at = now() WHERE id IN (
       SELECT id FROM payouts WHERE next_try_at IS NOT NULL FOR UPDATE SKIP LOCKED)`,
  );
  await sendDuePayouts();
}

/** Retires the methods of tests. */
export const retirePayoutMethods = () =>
  query("UPDATE payout_methods SET retired_at = now() WHERE name LIKE 'Method %' AND retired_at IS NULL");

/** Returns the ID of a payout that was declined, without its moves in the ledger: those give back what they took. */
export async function buildPayout({ id }: { readonly id: string }): Promise<string> {
  const [method] = await query<{ id: string }>("SELECT id FROM payout_methods WHERE provider = 'sandbox' LIMIT 1");
  const payoutId = newId();
  await inTransaction((tx) =>
    PayoutModel.insert(tx, {
      ...{ id: payoutId, user_id: id, method_id: method!.id, kind: "upi", provider: "sandbox", status: "declined" },
      ...{ amount: 10, currency: "INR", rate: 10_000, fee: 0, net: 10, shown: "gr•••@okaxis" },
    }),
  );
  return payoutId;
}

/** Has a new user request a payout of all that they have earned. Returns its ID and theirs. */
export async function payOut(amount: number): Promise<{ payout: string; user: string }> {
  const user = await buildEarner(amount);
  rememberSettings({ earnings_maturing_days: 0 });
  const method = { kind: "upi", vpa: "grace@okaxis" } as const;
  const { id: payout } = await requestPayout(callerOf(user), { amount, method });
  rememberSettings({ earnings_maturing_days: settingDefault("earnings_maturing_days") });
  return { payout, user: user.id };
}

/** Makes a user a coin seller, once, with more stock, which they can pass on in a day. Returns the administrator. */
export async function makeSeller({ id: user_id }: { readonly id: string }, coins: number): Promise<AdminPrincipal> {
  const admin = { ...adminCaller(), adminId: (await buildAdmin()).id };
  if (!(await SellerModel.read({ user_id })))
    await createManaged(admin, managedSellers, { ...managedSellers.defaults, user_id, daily_limit: coins });
  await adjustMoney(admin, { user_id, currency: stock, amount: String(coins), reason: "Stock" });
  return admin;
}

/** Has a new seller pass a coin on to a user, and an administrator take it back. */
export async function sellAndReverse(buyer: { readonly id: string }): Promise<void> {
  const seller = await buildUser();
  const admin = await makeSeller(seller, 1);
  const { id } = await passOnCoins(callerOf(seller), { user_id: buyer.id, coins: 1 });
  await reverseTransfer(admin, id, "A test");
}
