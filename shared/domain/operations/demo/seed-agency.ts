import type { UserPrincipal } from "#shared/contracts/principal.ts";
import { service } from "#shared/contracts/principal.ts";
import { locks } from "#shared/db/locks.ts";
import { queryOne } from "#shared/db/query.ts";
import { alone, inTransaction, type Tx } from "#shared/db/transaction.ts";
import { KycCases } from "#shared/domain/identity/kyc/kyc.model.ts";
import { AgencyModel, AgencyPlanModel } from "#shared/domain/money/agencies/agency.model.ts";
import { acceptInvitation, inviteHost } from "#shared/domain/money/agencies/invitations.ts";
import { transferGift } from "#shared/domain/money/gifts/transfer-gift.ts";
import { moveEarnings } from "#shared/domain/money/payouts/move-payout.ts";
import { PayoutModel } from "#shared/domain/money/payouts/payout.model.ts";
import { findMethod, maskedOf, priceOf } from "#shared/domain/money/payouts/payout-methods.ts";
import { sealedFor } from "#shared/domain/money/payouts/request-payout.ts";
import { SplitPlanModel } from "#shared/domain/money/splits/split-plan.model.ts";
import { loadSplitPlans } from "#shared/domain/money/splits/split-plans.ts";
import { createSuperAdmin } from "#shared/domain/operations/admins/create-super-admin.ts";
import { checkRun } from "#shared/domain/operations/runs/check-run.ts";
import { computeRun } from "#shared/domain/operations/runs/compute-run.ts";
import { payRun } from "#shared/domain/operations/runs/pay-run.ts";
import { daysMs, isoNow } from "#shared/kernel/clock.ts";
import { newId } from "#shared/kernel/ids.ts";
import { seal } from "#shared/kernel/seal.ts";
import { demoAdminEmail } from "./seed-demo-admin.ts";

/** Approves the demo run beside the demo administrator, and can't log in. */
const secondAdminEmail = "second-demo-admin@example.com";
const [country, zone] = ["IN", "Asia/Kolkata"];
const payoutAmount = 1000;

interface Cast {
  readonly owner: UserPrincipal;
  readonly host: UserPrincipal;
  /** Has bought coins, if the demo's store is there. */
  readonly fan: UserPrincipal | undefined;
  readonly agencyId: string;
}

/**
 * Gives the studio and the console something of the host economy: a plan that lets the demo people earn, an agency of
 * Ada's with Grace as its host, an invitation, two runs, one of them paid, and a payout that waits. Once, and only if
 * there is no agency and no split plan.
 */
export async function seedAgency(): Promise<void> {
  const cast = await inTransaction(async (tx) => {
    // Processes that start together seed once.
    await tx.query("SELECT pg_advisory_xact_lock($1)", [locks.demoData]);
    return found(tx);
  });
  if (!cast) return;
  await loadSplitPlans();
  const { owner, host, fan, agencyId } = cast;
  const terms = { commission_basis_points: 1000, term_months: null };
  const { id } = await inviteHost(owner, agencyId, { user_id: host.userId, ...terms });
  await acceptInvitation(host, id);
  if (fan) {
    await inviteHost(owner, agencyId, { user_id: fan.userId, ...terms });
    await give(fan, host);
  }
  await sitForMonths(host.userId);
  await settle();
  await requestPayout(host.userId);
}

/** Step: founds the agency, and what it needs. Returns undefined if there is one, or the demo people are missing. */
async function found(tx: Tx): Promise<Cast | undefined> {
  const people = await tx.query<{ id: string; username: string }>(
    `UPDATE users SET country = $1 WHERE username IN ('ada', 'grace', 'joan') AND email LIKE '%@demo.example'
       AND NOT EXISTS (SELECT FROM agencies) AND NOT EXISTS (SELECT FROM split_plans)
       AND EXISTS (SELECT FROM admins WHERE email = $2)
     RETURNING id, username`,
    [country, demoAdminEmail],
  );
  const callerOf = (username: string): UserPrincipal | undefined => {
    const user = people.find((person) => person.username === username);
    return user && { kind: "user", userId: user.id, sessionId: newId(), expiresAtMs: 0 };
  };
  const [owner, host, fan] = ["ada", "grace", "joan"].map(callerOf);
  if (!owner || !host) return undefined;
  const [planId, agencyId] = [newId(), newId()];
  await SplitPlanModel.insert(tx, {
    ...{ id: newId(), name: "Hosts in India earn (demo)", countries: [country], starts_at: isoNow() },
    shares: [
      { to: "receiver", basis_points: 5000, asset: "earnings" },
      { to: "agency", basis_points: 500, asset: "earnings" },
      { to: "house", basis_points: 4500 },
    ],
  });
  await AgencyPlanModel.insert(tx, {
    ...{ id: planId, name: "Monthly targets (demo)", period: "month", day_minutes: 60 },
    targets: [
      { metric: "seat_seconds", threshold: 72_000, weight: 40 },
      { metric: "seat_days", threshold: 12, weight: 40 },
      { metric: "earnings", threshold: 5000, weight: 20 },
    ],
    levels: [
      { name: "Bronze", earnings: 0, salary: 2000 },
      { name: "Silver", earnings: 5000, salary: 6000 },
    ],
  });
  const agency = { id: agencyId, name: "Lamplight Hosts", owner_id: owner.userId, country, time_zone: zone };
  await AgencyModel.insert(tx, { ...agency, period: "month", plan_id: planId });
  tx.signal("split_plans.changed", {});
  return { owner, host, fan, agencyId };
}

async function give(fan: UserPrincipal, host: UserPrincipal): Promise<void> {
  const gift = await queryOne<{ gift_id: string; room_id: string }>(
    `SELECT g.id AS gift_id, r.id AS room_id FROM gifts g, rooms r
     WHERE g.retired_at IS NULL AND g.price BETWEEN 100 AND 200 AND r.host_id = $1 AND r.status = 'open' LIMIT 1`,
    [host.userId],
  );
  if (gift) await transferGift(fan, { ...gift, recipient_id: host.userId, quantity: 2 });
}

/** Dates the contract back, and lets the host sit for two hours on most days since. */
async function sitForMonths(hostId: string): Promise<void> {
  const start = "(date_trunc('month', now() AT TIME ZONE $2) - interval '2 months')";
  await alone(`UPDATE contracts SET starts_at = ${start} AT TIME ZONE $2 WHERE host_id = $1`, [hostId, zone]);
  await alone(
    `INSERT INTO seat_sessions (id, user_id, room_id, started_at, ended_at)
     SELECT gen_random_uuid(), $1, r.id, day AT TIME ZONE $2, (day + interval '2 hours') AT TIME ZONE $2
     FROM rooms r, generate_series(${start}, now() AT TIME ZONE $2 - interval '2 hours', interval '36 hours') AS day
     WHERE r.host_id = $1 AND r.status = 'open'`,
    [hostId, zone],
  );
}

/** Settles the month before the last one, and leaves the last one to be approved. */
async function settle(): Promise<void> {
  await createSuperAdmin({ email: secondAdminEmail, fullName: "Second Demo Administrator", password: newId() });
  const [one, other] = await Promise.all(
    [demoAdminEmail, secondAdminEmail].map(async (email) => {
      const admin = await queryOne<{ id: string }>("SELECT id FROM admins WHERE email = $1", [email]);
      return admin!.id;
    }),
  );
  for (const [months, isPaid] of [
    [2, true],
    [1, false],
  ] as const) {
    const run_id = newId();
    await alone(
      `INSERT INTO runs (id, period, starts_on, time_zone, starts_at, ends_at, created_by)
       SELECT $1, 'month', day, $2, day AT TIME ZONE $2, (day + interval '1 month') AT TIME ZONE $2, $3
       FROM (SELECT date_trunc('month', now() AT TIME ZONE $2) - $4 * interval '1 month' AS day) AS month`,
      [run_id, zone, one, months],
    );
    await computeRun({ run_id });
    await checkRun({ run_id });
    if (!isPaid) continue;
    await alone(
      `UPDATE runs SET status = 'approved', approved_by = $2, second_approved_by = $3 WHERE id = $1 AND status = 'checked'`,
      [run_id, one, other],
    );
    await payRun({ run_id });
  }
}

/** What the host was paid hasn't matured, so that the command would refuse. */
const requestPayout = (userId: string): Promise<void> =>
  inTransaction(async (tx) => {
    const expires_at = new Date(Date.parse(isoNow()) + daysMs(365)).toISOString();
    await KycCases.insert(tx, {
      ...{ id: newId(), user_id: userId, provider: "sandbox", status: "approved", level: 1, expires_at },
      decided_at: isoNow(),
    });
    const [id, details] = [newId(), { vpa: "grace@demobank" }];
    const method = await findMethod(userId, "upi", details);
    if (!method) return;
    const { kind, provider, currency, rate } = method;
    await PayoutModel.insert(tx, {
      ...{ id, user_id: userId, method_id: method.id, kind, provider, amount: payoutAmount, currency, rate },
      ...priceOf(method, payoutAmount),
      ...{ shown: maskedOf(details), details_sealed: seal(sealedFor(id), JSON.stringify(details)) },
    });
    const payout = { id, user_id: userId, amount: payoutAmount };
    await moveEarnings(tx, service, payout, { status: "requested", to: "payouts_held" });
  });
